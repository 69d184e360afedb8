// Picture with grid. The picture and its grid are drawn once; only the ring and the colours follow the pointer.
import { numbers, scale, scaleStrip, scaleStep, rgb, written, make, pictureOf, drawPictureWithGrid, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

export function render({ model, el }) {
  const base = make('canvas'), top = make('canvas')
  const layers = make('div', { className: 'layers', tabIndex: 0, role: 'application' }, base, top)
  const bar = make('div', { className: 'scalebar', hidden: true })
  const readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  let picture = null, maps = null, places = [], k = 2, rows = 0, cols = 0, wide = 0   // wide: as shown, in pixels of the page
  const part = frame(model, el, 'picture-grid', draw)
  part.body.append(layers, bar, readout)

  function load() {
    picture = pictureOf(model.rgb, model.picture_width, model.picture_height)
    const P = model.patch_size
    rows = Math.floor(model.picture_height / P); cols = Math.floor(model.picture_width / P)
    if (!picture) for (const c of [base, top]) c.width = c.height = 0
    maps = model.maps?.byteLength || model.maps?.length ? numbers(model.maps, 'float16') : null
    places = numbers(model.positions, 'int32')
    if (!model.follow) {
      layers.removeAttribute('tabindex'); layers.setAttribute('role', 'img'); layers.style.cursor = 'default'
      readout.hidden = true
      layers.setAttribute('aria-label', model.alt)
    } else layers.setAttribute('aria-label', `${model.alt || "A picture."} Cut into ${rows} rows of ${cols} patches. Arrow keys move the selected patch.`)
    drawBase(); drawBar()
  }

  function drawBase() {
    if (!picture) return
    k = drawPictureWithGrid(base, picture, rows, cols, model.patch_size)
    top.width = base.width; top.height = base.height
  }

  function drawBar() {
    bar.hidden = !maps
    if (!maps) return
    const strip = scaleStrip(model.maps_kind)
    bar.replaceChildren(make('span', {}, model.maps_name), make('span', { className: 'range' }, written(model.maps_low, 2), strip, written(model.maps_high, 2) + (model.maps_over ? ' and more' : '')))
  }

  function drawMark() {
    const g = top.getContext('2d'), P = model.patch_size * k, n = Math.min(part.patch, rows * cols - 1)
    g.clearRect(0, 0, top.width, top.height)
    if (picture) for (const m of model.marked) ring(g, (m % cols) * P + k, Math.floor(m / cols) * P + k, P - 2 * k, P - 2 * k, Math.max(3, 2 * k))
    top.dataset.marked = model.marked.join(' ')
    if (n < 0 || !picture || !model.follow) return
    if (maps) colourPatches(g, P)
    if (!model.stand_in && part.current < model.prefix) {
      delete top.dataset.patch
      readout.textContent = 'No patch: the class token is followed'
      return
    }
    const r = Math.floor(n / cols), c = n % cols
    const line = Math.max(2, k, wide ? 1.5 * top.width / wide : 0), inset = Math.min(line, 0.12 * P)   // a thinner line is lost where the picture is drawn small
    ring(g, c * P + inset, r * P + inset, P - 2 * inset, P - 2 * inset, line)
    top.dataset.patch = n   // what a test or a screen reader can ask for
    readout.textContent = places.length ? `Patch ${n}: row ${places[2 * n]}, column ${places[2 * n + 1]}` : `Patch ${n}`
  }

  const valueAt = (n) => maps[Math.min(part.current, maps.length / (rows * cols) - 1) * rows * cols + n]
  function colourPatches(g, P) {
    const colours = scale(model.maps_kind)
    g.globalAlpha = 0.72
    for (let n = 0; n < rows * cols; n++) {
      g.fillStyle = rgb(colours[scaleStep(valueAt(n), model.maps_low, model.maps_high)])
      g.fillRect((n % cols) * P, Math.floor(n / cols) * P, P, P)
    }
    g.globalAlpha = 1
  }

  function draw(what) {
    if (what === 'theme') { drawBase(); drawBar() }
    drawMark()
  }

  function under(event) {
    const box = layers.getBoundingClientRect()
    const c = Math.floor((event.clientX - box.left) / box.width * cols), r = Math.floor((event.clientY - box.top) / box.height * rows)
    return r < 0 || c < 0 || r >= rows || c >= cols ? null : r * cols + c + model.prefix
  }
  const watch = new ResizeObserver(() => { if (layers.clientWidth !== wide) { wide = layers.clientWidth; drawMark() } })
  watch.observe(layers)
  model.on('remove', () => watch.disconnect())
  if (model.follow) onPoint(layers, (e) => part.hover(under(e)), () => part.hover(null))
  layers.addEventListener('click', (e) => { if (!model.follow) return; const t = under(e); if (t !== null) { layers.focus(); part.select(t) } })
  onArrow(layers, (e) => {
    if (!model.follow) return null
    const next = arrow(e, Math.max(0, part.bus.selected - model.prefix), rows * cols, cols)
    if (next !== null) part.select(next + model.prefix)
    return next
  })
  onChange(model, ['rgb', 'patch_size', 'alt', 'positions', 'maps', 'maps_kind', 'maps_low', 'maps_high', 'maps_over', 'stand_in', 'marked'], () => { load(); drawMark() })
}
