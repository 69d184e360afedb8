// Progress of a served page lives here, in the visitor's own browser. Python sees it while the page is open.
const KEY = 'vit-course-progress', SECTIONS = ['exercises', 'quizzes', 'predictions']

export function render({ model, el }) {
  const empty = () => ({ version: 1, ...Object.fromEntries(SECTIONS.map((s) => [s, {}])) })
  const read = () => localStorage.getItem(KEY)
  const parsed = (text) => { try { return { ...empty(), ...JSON.parse(text) } } catch { return empty() } }
  let last = empty(), raw = null
  el.hidden = true

  function arrive() {
    let text
    try { text = raw = read() } catch { model.send_msg({ unavailable: true }); return }
    last = parsed(text)
    model.send_msg({ text: text ?? '' })
  }

  // Python sends everything it knows; only what it changed is written, so that two open pages do not undo each other.
  function keep() {
    if (!model.kept) return
    const now = parsed(model.kept)
    try {
      const stored = parsed(read())
      for (const section of SECTIONS) {
        for (const id of new Set([...Object.keys(now[section]), ...Object.keys(last[section])])) {
          const mine = JSON.stringify(now[section][id])
          if (mine === JSON.stringify(last[section][id])) continue
          if (mine === undefined) delete stored[section][id]
          else stored[section][id] = now[section][id]
        }
      }
      if (now.seed !== last.seed) {
        if (now.seed === undefined) delete stored.seed
        else if (last.seed !== undefined || stored.seed === undefined) stored.seed = now.seed   // of two new pages the first one's stays
      }
      localStorage.setItem(KEY, JSON.stringify(stored))
    } catch { model.send_msg({ unavailable: true }) }
    last = now
  }

  const elsewhere = (event) => {   // another page of the course wrote
    if (event.key === KEY && event.newValue) { last = parsed(event.newValue); model.send_msg({ text: event.newValue }) }
  }
  addEventListener('storage', elsewhere)
  model.on('remove', () => removeEventListener('storage', elsewhere))
  model.on('kept', keep)
  model.on('damaged', () => {
    if (!model.damaged) return
    localStorage.setItem(`${KEY}.damaged`, raw ?? '')
    if (read() !== raw) return   // a second keeper on this page was quicker
    localStorage.removeItem(KEY)
    last = empty()
  })
  arrive()
}
