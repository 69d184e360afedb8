// A query on the left, one row of A for every head on the right. Every number is Python's; here it is looked up and drawn.
import { numbers, scale, scaleStrip, scaleStep, make, pictureOf, drawPictureWithGrid } from 'vit/drawing'
import { frame, onChange, onState, onPoint, arrow, onArrow } from 'vit/part'

const FACTS = 5   // of a row: on the prefix, on the patches, on both, the largest on a patch, which patch

export function render({ model, el }) {
  const base = make('canvas'), over = make('canvas', { className: 'map' })
  const queryMark = make('div', { className: 'mark' }), keyMark = make('div', { className: 'mark key' })
  const layers = make('div', { className: 'layers', tabIndex: 0, role: 'application' }, base, over, queryMark, keyMark)
  const classes = make('div', { className: 'classes' }), overName = make('div', { className: 'name' })
  const bar = make('div', { className: 'scalebar' })
  const tiles = make('div', { className: 'tiles', role: 'radiogroup', 'aria-label': 'Small maps; the chosen one lies over the picture' })
  const readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  const hint = make('div', { className: 'keys', textContent: 'Keys: arrows move the query, Shift + arrows a key; among the maps, arrows choose the head.' })
  const part = frame(model, el, 'head-maps', draw)
  const whole = make('div', { className: 'whole' }, make('div', { className: 'name' }, make('b', {}, 'Choose the query here')), layers, classes, overName, readout, hint)
  const all = make('div', { className: 'all' }, make('div', { className: 'name' }, make('b', {}, 'The row of A that belongs to it, in every head')), bar, tiles)
  part.body.append(make('div', { className: 'views' }, whole, all))
  let weights = [], facts = [], ends = [], rows = 0, cols = 0, key = null, made = []

  const N = () => rows * cols
  const query = () => Math.max(0, Math.min(model.tokens - 1, part.current))
  const weight = (head, token) => weights[(head * model.tokens + query()) * model.tokens + token]
  const fact = (head, which) => facts[(head * model.tokens + query()) * FACTS + which]
  const short = (v) => (v >= 0.0995 ? v.toFixed(3) : v < 0.00005 ? '< 0.0001' : v.toFixed(4))
  const place = (n) => `patch ${n} (row ${Math.floor(n / cols)}, column ${n % cols})`
  const tokenName = (t) => (t >= model.prefix ? place(t - model.prefix) : t === 0 ? 'the class token' : `register ${t}`)

  function load() {
    weights = numbers(model.weights, 'float16'); facts = numbers(model.facts, 'float32'); ends = numbers(model.tops, 'float32')
    const P = model.patch_size, picture = pictureOf(model.rgb, model.picture_width, model.picture_height)
    rows = Math.floor(model.picture_height / P); cols = Math.floor(model.picture_width / P); key = null
    if (picture) drawPictureWithGrid(base, picture, rows, cols, P)
    layers.setAttribute('aria-label', `${model.alt || 'A picture.'} Cut into ${rows} rows of ${cols} patches. Arrow keys move the query; with Shift they move a key.`)
    classes.replaceChildren(...(model.prefix ? [classButton()] : []))
    build()
    if (ready()) drawAll()
  }
  const ready = () => N() > 0 && weights.length === model.heads * model.tokens * model.tokens && model.tokens === N() + model.prefix

  function classButton() {
    const button = make('button', { type: 'button' }, make('span', { className: 'star' }, '\u2605'), ' class token as the query')
    onPoint(button, () => part.hover(0), () => part.hover(null))
    button.addEventListener('click', () => part.select(0))
    return button
  }

  function build() {
    made = []
    const wide = model.heads === 4 ? 2 : model.heads % 4 === 0 && model.heads > 4 ? 4 : 3
    tiles.style.setProperty('--columns', wide); tiles.style.setProperty('--wide', wide)
    for (let h = 0; h < model.heads; h++) made.push(tile(h))
    tiles.replaceChildren(...made.map((one) => one.node))
  }

  function tile(h) {
    const canvas = make('canvas', { className: 'map', width: cols, height: rows })
    const q = make('div', { className: 'mark' }), k = make('div', { className: 'mark key' })
    const box = make('div', { className: 'layers' }, canvas, q, k), said = make('div', { className: 'facts' })
    const node = make('div', { className: 'tile', role: 'radio' }, make('div', { className: 'head', textContent: model.head_names[h] ?? `Head ${h + 1}` }), box, said)
    node.addEventListener('click', () => choose(h))
    onPoint(box, (e) => point(under(e, box)), () => point(null))
    return { node, canvas, q, k, said }
  }

  function choose(h) { model.head = h; drawAll(); made[h]?.node.focus() }
  function point(n) { if (n !== key) { key = n; drawAll() } }

  function drawAll() {
    if (!ready()) return
    const tops = made.map((_, h) => fact(h, 3)), shared = ends[query()], own = model.scale === 'own', chosen = Math.min(model.head, model.heads - 1)
    made.forEach((one, h) => {
      paint(one.canvas, h, own ? tops[h] : shared)
      mark(one.q, query() - model.prefix); mark(one.k, key ?? -1)
      tell(one.said, h, own)
      one.node.setAttribute('aria-checked', h === chosen); one.node.tabIndex = h === chosen ? 0 : -1
      one.node.dataset.high = own ? tops[h] : shared   // for tests: where its colours end
    })
    over.width = cols; over.height = rows
    paint(over, chosen, own ? tops[chosen] : shared)
    mark(queryMark, query() - model.prefix); mark(keyMark, key ?? -1)
    for (const button of classes.children) { button.classList.toggle('on', query() === 0); button.setAttribute('aria-pressed', part.bus.selected === 0) }
    overName.textContent = `Over the picture: ${model.head_names[chosen] ?? `head ${chosen + 1}`}.`
    layers.dataset.query = query()
    drawBar(own, shared); read(chosen)
  }

  function paint(canvas, h, high) {
    const g = canvas.getContext('2d'), image = g.createImageData(cols, rows), to = image.data, colours = scale('weight')
    const first = (h * model.tokens + query()) * model.tokens + model.prefix   // of the row of A, without class token
    for (let n = 0, j = 0; n < rows * cols; n++, j += 4) {
      const shade = colours[scaleStep(weights[first + n], 0, high)]
      to[j] = shade[0]; to[j + 1] = shade[1]; to[j + 2] = shade[2]; to[j + 3] = 255
    }
    g.putImageData(image, 0, 0)
  }

  function mark(node, n) {
    node.hidden = n < 0
    if (n < 0) return
    node.style.left = `${n % cols / cols * 100}%`; node.style.top = `${Math.floor(n / cols) / rows * 100}%`
    node.style.width = `${100 / cols}%`; node.style.height = `${100 / rows}%`
  }

  function tell(said, h, own) {
    const line = (name, value, cls) => [make('span', { className: cls }, name), make('b', {}, value)]
    said.replaceChildren(
      ...(model.prefix ? line('\u2605 class', short(fact(h, 0)), '') : []), ...line('patches', short(fact(h, 1)), ''),
      ...(own ? line('scale, 0 to', short(fact(h, 3)), '') : []),
      ...line(key === null ? '\u00a0' : 'this key', key === null ? '' : short(weight(h, key + model.prefix)), 'k'))
  }

  function drawBar(own, shared) {
    const strip = scaleStrip('weight')
    const words = own ? make('span', { className: 'warn' }, 'Each head has its own scale: do not compare colours between heads.')
      : make('span', {}, 'Weight on a patch. One scale for all heads; the largest hundredth of their weights is drawn alike.')
    bar.replaceChildren(make('span', {}, '0'), strip, make('span', {}, own ? "the head's largest" : `${short(shared)} and more`), words)
  }

  function read(chosen) {
    const name = model.head_names[chosen] ?? `Head ${chosen + 1}`, from = tokenName(query())
    const lines = [`Query: ${from}. ${name} gives ${model.prefix ? `${short(fact(chosen, 0))} to the class token and ` : ''}${short(fact(chosen, 1))} to all patches; the row sums to ${fact(chosen, 2).toFixed(3)}.`,
      `Most of all patches to ${place(fact(chosen, 4))}: ${short(fact(chosen, 3))}.`]
    const one = key === null ? make('p', {}, 'Point at one of the small maps to read the weight of that key in every head.')
      : make('p', { className: 'k' }, `Key: ${place(key)}. ${name} gives it ${short(weight(chosen, key + model.prefix))}.`)
    readout.replaceChildren(...lines.map((text) => make('p', {}, text)), one)
  }

  function draw() { drawAll() }   // its one scale is the same in light and dark

  function under(event, box) {
    const at = box.getBoundingClientRect()
    const c = Math.floor((event.clientX - at.left) / at.width * cols), r = Math.floor((event.clientY - at.top) / at.height * rows)
    return r < 0 || c < 0 || r >= rows || c >= cols ? null : r * cols + c
  }
  const token = (event) => { const n = under(event, layers); return n === null ? null : n + model.prefix }
  onPoint(layers, (e) => part.hover(token(e)), () => part.hover(null))
  layers.addEventListener('click', (e) => { const t = token(e); if (t !== null) { layers.focus(); part.select(t) } })
  layers.addEventListener('blur', () => point(null))
  onArrow(layers, (e) => {
    if (e.shiftKey) {
      const next = arrow(e, key ?? Math.max(0, query() - model.prefix), N(), cols)
      if (next !== null) point(next)
      return next
    }
    const from = part.bus.selected - model.prefix
    const next = from < 0 && e.key.startsWith('Arrow') ? 0 : arrow(e, Math.max(0, from), N(), cols)
    if (next !== null) part.select(next + model.prefix)
    return next
  })
  onArrow(tiles, (e) => {
    const next = arrow(e, Math.min(model.head, model.heads - 1), model.heads, Number(tiles.style.getPropertyValue('--wide')))
    if (next !== null) choose(next)
    return next
  })
  onState(model, ['head'], drawAll)
  onChange(model, ['rgb', 'patch_size', 'alt', 'weights', 'facts', 'tops', 'head_names', 'scale', 'prefix'], load)
}
