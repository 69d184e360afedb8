// One map of the grid at a time: that of the token that is followed. Or, on a lattice, always the same map, where what
// is followed is a place: so grids of different size can be pointed at together.
import { numbers, scale, scaleStrip, scaleStep, rgb, written, make, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

const CELL = 16

export function render({ model, el }) {
  const base = make('canvas'), top = make('canvas')
  const layers = make('div', { className: 'layers', tabIndex: 0, role: 'application' }, base, top)
  const first = make('button', { type: 'button', className: 'class-token', textContent: '\u2605 class token' })
  const bar = make('div', { className: 'scalebar' }), readout = make('div', { className: 'readout' })
  const part = frame(model, el, 'position-map', draw)
  let maps = null, count = 0
  part.body.append(layers, bar, first, readout)

  const L = () => model.lattice
  const cellOf = (at) => (!L() ? at - model.prefix
    : Math.floor(Math.floor(at / L()) * model.rows / L()) * model.columns + Math.floor((at % L()) * model.columns / L()))
  const placeOf = (n) => (!L() ? n + model.prefix
    : Math.floor((2 * Math.floor(n / model.columns) + 1) * L() / (2 * model.rows)) * L() + Math.floor((2 * (n % model.columns) + 1) * L() / (2 * model.columns)))

  function load() {
    maps = numbers(model.maps, 'float16'); count = model.rows * model.columns
    for (const c of [base, top]) { c.width = model.columns * CELL; c.height = model.rows * CELL }
    first.hidden = !model.offer_class || !model.prefix
    part.root.classList.toggle('lattice', L() > 0)
    layers.setAttribute('aria-label', `${model.title}: map of ${L() ? 'numbers' : 'cosines'}, ${model.rows} rows of ${model.columns} positions. Arrow keys move the position.`)
    drawBar(); drawMap()
  }

  function drawBar() {
    const strip = scaleStrip(model.kind)
    bar.replaceChildren(make('span', {}, written(model.low, 2)), strip, make('span', {}, written(model.high, 2)))
  }

  function drawMap() {
    const token = L() ? part.current : Math.min(part.current, (maps?.length ?? 0) / count - 1)
    if (!count || !(token >= 0)) return
    const start = L() ? 0 : token * count
    const g = base.getContext('2d'), colours = scale(model.kind)
    for (let n = 0; n < count; n++) {
      g.fillStyle = rgb(colours[scaleStep(maps[start + n], model.low, model.high)])
      g.fillRect((n % model.columns) * CELL, Math.floor(n / model.columns) * CELL, CELL, CELL)
    }
    const over = top.getContext('2d'), n = cellOf(token)
    over.clearRect(0, 0, top.width, top.height)
    if (n >= 0) ring(over, (n % model.columns) * CELL + 1, Math.floor(n / model.columns) * CELL + 1, CELL - 2, CELL - 2, 2)
    layers.dataset.token = token; layers.dataset.cell = n
    first.setAttribute('aria-pressed', String(token < model.prefix))
    readout.textContent = !L() ? model.said[token] ?? ''
      : `Row ${Math.floor(n / model.columns)}, column ${n % model.columns}: ${written(maps[n], model.digits)}`
  }

  function draw(what) {
    if (what === 'theme') drawBar()
    drawMap()
  }

  function under(event) {
    const box = layers.getBoundingClientRect()
    const c = Math.floor((event.clientX - box.left) / box.width * model.columns), r = Math.floor((event.clientY - box.top) / box.height * model.rows)
    return r < 0 || c < 0 || r >= model.rows || c >= model.columns ? null : placeOf(r * model.columns + c)
  }
  onPoint(layers, (e) => part.hover(under(e)), () => part.hover(null))
  onPoint(first, () => part.hover(0), () => part.hover(null))
  layers.addEventListener('click', (e) => { const t = under(e); if (t !== null) { layers.focus(); part.select(t) } })
  first.addEventListener('click', () => part.select(0))
  onArrow(layers, (e) => {
    const next = arrow(e, Math.max(0, cellOf(part.bus.selected)), count, model.columns)
    if (next !== null) part.select(placeOf(next))
    return next
  })
  onChange(model, ['maps', 'rows', 'columns', 'low', 'high', 'kind', 'said', 'prefix', 'title', 'offer_class', 'lattice', 'digits'], load)
}
