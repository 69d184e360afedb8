// Says it above a widget of a notebook when the kernel that drew it has gone, or has not answered for a while.
import { vit } from 'vit/theme'
import { make } from 'vit/drawing'

vit.kernels ??= watchKernels()

function watchKernels() {
  const PATIENCE = 15000   // ms that a message may wait for its acknowledgement
  const GONE = 'The kernel that drew this has stopped or begun again, so nothing here is answered. Run the cells again, from the first.'
  const SILENT = `Nothing has answered for ${PATIENCE / 1000} s: the kernel is still at work, or it has stopped. If it has, run the cells again.`
  const drawn = new Set(), talks = new WeakMap()   // ids of what kernels drew here; how the document of each speaks with its kernel

  function talk(plot) {
    const page = window.Bokeh?.documents.find((one) => one.roots().some((root) => root.id === plot))
    if (!page) return null
    if (!talks.has(page)) {
      const manager = page.roots().find((root) => 'client_comm_id' in root.attributes)
      const found = manager ? { manager, since: null } : null
      if (found) {
        const hear = manager.on_ack.bind(manager)
        manager.on_ack = (message) => { found.since = null; return hear(message) }
      }
      talks.set(page, found)
    }
    return talks.get(page)
  }
  function isSilent(plot) {
    const found = talk(plot)
    if (!found?.manager._blocked) { if (found) found.since = null; return false }
    found.since ??= Date.now()
    return Date.now() - found.since > PATIENCE
  }
  function tell(place, words) {
    let bar = place.querySelector(':scope > .vit-kernel')
    if (!words) return bar?.remove()
    if (!bar) {
      bar = make('p', { className: 'vit-kernel', role: 'alert' })
      bar.style.cssText = 'margin:0 0 8px;padding:8px 12px;border-left:3px solid var(--vit-wrong);background:var(--vit-surface);color:var(--vit-ink)'
      place.prepend(bar)
    }
    if (bar.textContent !== words) bar.textContent = words
  }
  return setInterval(() => {
    const alive = window.PyViz?.kernels ?? {}   // JupyterLab takes out of it what belonged to a kernel that has gone
    for (const plot of Object.keys(alive)) drawn.add(plot)
    for (const plot of drawn) {
      const place = document.getElementById(plot)
      const words = !(plot in alive) ? GONE : isSilent(plot) ? SILENT : ''
      if (place?.offsetHeight) tell(place, words)   // Panel draws one thing without a height, to ask the browser about itself
    }
  }, 1000)
}
