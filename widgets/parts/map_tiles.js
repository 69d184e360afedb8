// Maps as tiles. Each cell of each map is one pixel of an image that the canvas enlarges.
import { numbers, scale, scaleStrip, scaleStep, colour, written, counted, make, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

export function render({ model, el }) {
  const base = make('canvas'), top = make('canvas')
  const layers = make('div', { className: 'layers', tabIndex: 0, role: 'application' }, base, top)
  const bar = make('div', { className: 'scalebar' }), readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  const part = frame(model, el, 'map-tiles', draw)
  part.body.append(layers, bar, readout)
  let maps = null, k = 2, gap = 4, count = 0, at = null

  const size = () => model.rows * model.columns
  const place = (i) => [1 + (i % model.across) * (model.columns * k + gap), 1 + Math.floor(i / model.across) * (model.rows * k + gap)]   // 1: the frame of the first

  function load() {
    maps = numbers(model.maps, 'float16'); count = size() ? maps.length / size() : 0
    k = Math.max(1, Math.round(520 * Math.max(1, devicePixelRatio) / (model.across * model.columns || 1)))
    gap = Math.round(6 * Math.max(1, devicePixelRatio))
    const down = Math.ceil(count / model.across)
    for (const c of [base, top]) {
      c.width = model.across * (model.columns * k + gap) - gap + 2; c.height = Math.max(0, down * (model.rows * k + gap) - gap) + 2
    }
    layers.setAttribute('aria-label', `${model.alt} Arrow keys move between ${counted(count)} tiles.`)
    at = null
    drawTiles(); drawBar(); mark()
  }

  function drawTiles() {
    const g = base.getContext('2d'), colours = scale(model.kind), small = make('canvas', { width: model.columns || 1, height: model.rows || 1 })
    g.clearRect(0, 0, base.width, base.height); g.imageSmoothingEnabled = false
    if (!count) return
    g.lineWidth = 1; g.strokeStyle = colour('muted')   // a map may be as pale as the page at its edges
    for (let i = 0; i < count; i++) {
      const s = small.getContext('2d'), image = s.createImageData(model.columns, model.rows)
      for (let n = 0; n < size(); n++) image.data.set([...colours[scaleStep(maps[i * size() + n], model.low, model.high)], 255], 4 * n)
      s.putImageData(image, 0, 0)
      const [x, y] = place(i)
      g.drawImage(small, x, y, model.columns * k, model.rows * k)
      g.strokeRect(x - 0.5, y - 0.5, model.columns * k + 1, model.rows * k + 1)
    }
  }

  function drawBar() {
    const strip = scaleStrip(model.kind)
    bar.replaceChildren(make('span', {}, model.name_of_scale), make('span', {}, written(model.low, 2)), strip, make('span', {}, written(model.high, 2)))
  }

  const current = () => at ?? model.tokens.indexOf(part.current)
  function mark() {
    const g = top.getContext('2d'), i = current()
    g.clearRect(0, 0, top.width, top.height)
    top.dataset.tile = i
    if (i >= 0) { const [x, y] = place(i); ring(g, x + 2, y + 2, model.columns * k - 4, model.rows * k - 4, Math.max(2, devicePixelRatio * 2)) }
    readout.textContent = i >= 0 ? (model.names[i] ?? '') : 'Point at a tile to learn whose it is.'
  }

  function point(i) {
    at = i
    if (model.tokens.length) part.hover(i === null ? null : model.tokens[i])
    mark()
  }

  function under(event) {
    const box = layers.getBoundingClientRect()
    const c = Math.floor((event.clientX - box.left) / box.width * model.across)
    const r = Math.floor((event.clientY - box.top) / box.height * Math.ceil(count / model.across))
    const i = r * model.across + c
    return r < 0 || c < 0 || c >= model.across || i >= count ? null : i
  }

  function choose(i) {
    if (!model.tokens.length) return
    at = null
    part.select(model.tokens[i])
  }

  function draw(what) {
    if (what === 'theme') { drawTiles(); drawBar() }
    if (!part.mine) at = null
    mark()
  }
  onPoint(layers, (e) => point(under(e)), () => point(null))
  layers.addEventListener('click', (e) => { const i = under(e); if (i !== null) { layers.focus(); choose(i) } })
  onArrow(layers, (e) => {
    const next = arrow(e, Math.max(0, current()), count, model.across)
    if (next === null) return null
    model.tokens.length ? choose(next) : point(next)
    return next
  })
  onChange(model, ['maps', 'rows', 'columns', 'across', 'low', 'high', 'kind', 'tokens', 'names', 'alt', 'name_of_scale'], load)
}
