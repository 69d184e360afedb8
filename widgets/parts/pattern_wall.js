// A wall of patterns on one canvas, drawn once; a ring and a lens follow the pointer.
import { bytes, counted, make, pictureOf, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

export function render({ model, el }) {
  const base = make('canvas'), top = make('canvas'), lens = make('canvas', { className: 'lens' })
  const layers = make('div', { className: 'layers', tabIndex: 0, role: 'application' }, base, top)
  const readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  const part = frame(model, el, 'pattern-wall', mark)
  part.body.append(layers, make('div', { className: 'under' }, lens, readout))
  let raw = null, side = 1, count = 0, columns = 1, rows = 1, step = 1
  const GAP = 2, SCALE = 2

  function load() {
    raw = bytes(model.patterns).slice()
    const P = side = model.side
    count = Math.floor(raw.length / (3 * P * P))
    columns = Math.max(1, Math.ceil(Math.sqrt(1.5 * count))); rows = Math.max(1, Math.ceil(count / columns))
    step = P * SCALE + GAP
    for (const c of [base, top]) { c.width = columns * step - GAP; c.height = rows * step - GAP }
    lens.width = lens.height = P
    const g = base.getContext('2d')
    g.imageSmoothingEnabled = false
    for (let m = 0; m < count; m++) {
      g.drawImage(picture(m), (m % columns) * step, Math.floor(m / columns) * step, P * SCALE, P * SCALE)
    }
    layers.setAttribute('aria-label', `${model.alt}: ${counted(count)} of them. Arrow keys move from one to the next.`)
    mark()
  }
  const picture = (m) => pictureOf(raw.subarray(3 * m * side ** 2, 3 * (m + 1) * side ** 2), side, side)

  function mark() {
    const g = top.getContext('2d'), P = side * SCALE, at = Math.min(part.current, count - 1)
    g.clearRect(0, 0, top.width, top.height)
    if (at < 0) return
    for (const m of new Set([Math.min(part.bus.selected, count - 1), at])) ring(g, (m % columns) * step, Math.floor(m / columns) * step, P, P, 3)
    lens.getContext('2d').drawImage(picture(at), 0, 0)
    top.dataset.pattern = at
    readout.textContent = model.names[at] ?? String(at)
  }

  function under(event) {
    const box = layers.getBoundingClientRect()
    const c = Math.floor((event.clientX - box.left) / box.width * columns), r = Math.floor((event.clientY - box.top) / box.height * rows)
    const m = r * columns + c
    return c < 0 || r < 0 || c >= columns || m >= count ? null : m
  }
  onPoint(layers, (e) => part.hover(under(e)), () => part.hover(null))
  layers.addEventListener('click', (e) => { const m = under(e); if (m !== null) { layers.focus(); part.select(m) } })
  onArrow(layers, (e) => {
    const next = arrow(e, Math.min(part.bus.selected, count - 1), count, columns)
    if (next !== null) part.select(next)
    return next
  })
  onChange(model, ['patterns', 'side', 'names', 'alt'], load)
}
