// Lines of progress, and what can be done with all of it. Saving and reading a file happen in the browser.
import { download, make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'progress', () => {})
  const lines = make('div', { className: 'lines' })
  const where = make('p', { className: 'where' }), notice = make('p', { className: 'problem', role: 'alert' })
  const save = make('button', { type: 'button' }, 'Save to a file'), erase = make('button', { type: 'button' })
  const file = make('input', { type: 'file', accept: '.json,application/json' })
  const load = make('label', { className: 'button' }, 'Load a file', file)
  const row = make('div', { className: 'row' }, save, load, erase)
  part.body.append(lines, where, notice, row)
  part.root.addEventListener('keydown', (event) => event.stopPropagation())   // a notebook's shortcuts are plain letters
  let asked = false

  function fill() {
    lines.replaceChildren(...model.rows.map(([name, words, share, address]) => {
      const head = make(address ? 'a' : 'span', address ? { href: address } : {})
      head.innerHTML = name
      const bar = make('span'), meter = make('div', { className: 'meter', 'aria-hidden': 'true' }, bar)
      bar.style.width = `${100 * share}%`
      return make('div', { className: 'line' }, head, make('span', { className: 'words' }, words), meter)
    }))
    where.textContent = model.where; where.hidden = !model.where
    notice.textContent = model.notice; notice.hidden = !model.notice
    row.hidden = !model.actions
    if (!model.actions) row.replaceChildren()
    ask(false)
  }
  function ask(really) {
    asked = really
    erase.textContent = really ? 'Really delete all of it' : 'Delete my progress'
  }
  save.addEventListener('click', () => {
    download(model.exported, 'application/json', 'vit-course-progress.json')
  })
  file.addEventListener('change', async () => {
    if (file.files[0]) model.send_msg({ load: await file.files[0].text() })
    file.value = ''
  })
  erase.addEventListener('click', () => {
    if (asked) model.send_msg({ delete: true })
    ask(!asked)
  })
  erase.addEventListener('blur', () => ask(false))
  onChange(model, ['rows', 'where', 'notice', 'actions'], fill)
}
