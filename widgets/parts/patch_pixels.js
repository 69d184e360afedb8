// One patch four ways: its colours, its three channels, its row of numbers. A pixel marks its numbers and back.
import { HUES } from 'vit/theme'
import { numbers, written, counted, make, pictureOf, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

const NAMES = ['red', 'green', 'blue']

export function render({ model, el }) {
  const part = frame(model, el, 'patch-pixels', () => mark())
  const squares = make('div', { className: 'squares' }), readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  const rowBox = make('div', { className: 'row' })
  part.body.append(squares, rowBox, readout)
  let picture = null, data = null, values = [], places = [], length = 0, at = new Map(), shown = [], row = null, rowTop, drawn = null

  function square(name, note, className) {
    const P = model.patch_size, base = make('canvas', { width: P, height: P }), top = make('canvas', { width: 160, height: 160 })
    const layers = make('div', { className: 'layers' }, base, top)
    onPoint(layers, (e) => {
      const box = layers.getBoundingClientRect()
      const v = Math.floor((e.clientX - box.left) / box.width * P), u = Math.floor((e.clientY - box.top) / box.height * P)
      if (u >= 0 && v >= 0 && u < P && v < P) pixel(u, v)
    }, () => part.hover(null))
    if (className === 'whole') byKeys(layers)
    squares.append(make('figure', { className }, make('figcaption', {}, make('b', {}, name), note), layers))
    shown.push({ base, top })
  }
  function byKeys(layers) {
    layers.tabIndex = 0
    layers.setAttribute('role', 'application')
    layers.setAttribute('aria-label', 'The pixels of the patch. Arrow keys move between pixels and read their three numbers.')
    onArrow(layers, (e) => {
      const P = model.patch_size, j = part.bus.columns[0]
      const next = arrow(e, j === undefined ? 0 : places[3 * j + 1] * P + places[3 * j + 2], P * P, P)
      if (next !== null) pixel(Math.floor(next / P), next % P)
      return next
    })
    layers.addEventListener('blur', () => part.hover(null))
  }
  const pixel = (u, v) => part.hover(part.current, [0, 1, 2].map((c) => at.get(`${c},${u},${v}`)))

  function load() {
    picture = pictureOf(model.rgb, model.picture_width, model.picture_height)
    data = picture?.getContext('2d').getImageData(0, 0, picture.width, picture.height).data
    values = numbers(model.values, 'float16'); places = numbers(model.places, 'int32'); length = places.length / 3
    at = new Map()
    for (let j = 0; j < length; j++) at.set(`${places[3 * j]},${places[3 * j + 1]},${places[3 * j + 2]}`, j)
    squares.replaceChildren(); shown = []; drawn = null
    square('The patch', 'enlarged', 'whole')
    NAMES.forEach((name, c) => square(name, model.spans[c] ?? '', 'channel'))
    row = { base: make('canvas', { width: length, height: 1 }) }; rowTop = make('canvas', { width: 1040, height: 30 })
    const layers = make('div', { className: 'layers' }, row.base, rowTop)
    onPoint(layers, (e) => {
      const box = layers.getBoundingClientRect(), j = Math.floor((e.clientX - box.left) / box.width * length)
      if (j >= 0 && j < length) part.hover(part.current, [j])
    }, () => part.hover(null))
    rowBox.replaceChildren(make('div', {}, make('b', {}, 'Laid out as one row')), layers,
      make('div', { className: 'ends' }, make('span', {}, 'number 0'), make('span', {}, counted(length - 1))))
    mark()
  }

  // No array is made for a pixel here: this runs for every patch the pointer crosses.
  function drawPatch(n) {
    const P = model.patch_size, W = model.picture_width, cols = Math.floor(W / P)
    const x0 = (n % cols) * P, corner = 4 * (Math.floor(n / cols) * P * W + x0)
    shown[0].base.getContext('2d').drawImage(picture, x0, Math.floor(n / cols) * P, P, P, 0, 0, P, P)
    for (let c = 0; c < 3; c++) {
      tint(shown[c + 1], P * P, (i) => corner + 4 * (Math.floor(i / P) * W + i % P) + c, () => c)
    }
    tint(row, length, (j) => corner + 4 * (places[3 * j + 1] * W + places[3 * j + 2]) + places[3 * j], (j) => places[3 * j])
    drawn = n
  }

  function tint(canvas, count, at, channelOf) {
    const g = canvas.base.getContext('2d'), image = (canvas.image ??= g.createImageData(canvas.base.width, canvas.base.height)), to = image.data
    for (let i = 0, k = 0; i < count; i++, k += 4) {
      const b = data[at(i)], hue = HUES[channelOf(i)]
      to[k] = hue[0] * b; to[k + 1] = hue[1] * b; to[k + 2] = hue[2] * b; to[k + 3] = 255
    }
    g.putImageData(image, 0, 0)
  }

  function mark() {
    const n = Math.min(part.patch, Math.floor(values.length / (length || 1)) - 1), P = model.patch_size
    if (!data || n < 0) return
    if (n !== drawn) drawPatch(n)
    part.root.dataset.patch = n
    const columns = part.bus.columns.filter((j) => j < length)
    const first = columns.length ? [places[3 * columns[0] + 1], places[3 * columns[0] + 2]] : null
    const channels = columns.map((j) => places[3 * j])
    shown.forEach(({ top }, i) => {
      const g = top.getContext('2d'), w = top.width / P
      g.clearRect(0, 0, top.width, top.height)
      if (first && (i === 0 || channels.includes(i - 1))) ring(g, first[1] * w, first[0] * w, w, w, 2)
    })
    const g = rowTop.getContext('2d'), w = rowTop.width / length
    g.clearRect(0, 0, rowTop.width, rowTop.height)
    for (const j of columns) ring(g, j * w - 1, 2, Math.max(w, 3) + 2, 26, 2)
    say(n, columns, first)
  }

  function say(n, columns, first) {
    if (!first) { readout.textContent = 'Point at a pixel to see its three numbers, or at the row to see which pixel a number came from.'; return }
    readout.replaceChildren(make('b', {}, `Pixel u = ${first[0]}, v = ${first[1]} of patch ${n} (down and right from its corner)`),
      ...columns.map((j) => make('div', {}, make('span', {}, NAMES[places[3 * j]]), make('span', { className: 'mono' }, written(values[n * length + j], model.digits)), make('span', {}, `is number ${j} of the ${counted(length)}`))))
  }
  onChange(model, ['rgb', 'patch_size', 'values', 'places', 'spans', 'digits'], load)
}
