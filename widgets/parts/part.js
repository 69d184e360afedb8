// Shared by every part: bytes to numbers, the frame around a drawing, the channel it listens on.

function bytes(value) {
  if (!value) return new Uint8Array(0)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value.buffer ?? value)
}

const HALF = (vit.half ??= Float32Array.from({ length: 65536 }, (_, h) => {
  const sign = h & 0x8000 ? -1 : 1, exponent = (h >> 10) & 31, fraction = h & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}))

function numbers(value, kind) {
  const raw = bytes(value).slice()   // a copy is aligned, whatever the message it came in
  if (kind === 'float32') return new Float32Array(raw.buffer)
  if (kind === 'float16') return Float32Array.from(new Uint16Array(raw.buffer), (h) => HALF[h])
  if (kind === 'int32') return new Int32Array(raw.buffer)
  return raw
}

const SCALE_CACHE = (vit.scales ??= new Map())
function scale(kind) {   // 256 colours as [r, g, b]
  const name = kind === 'signed' ? `signed-${vit.theme}` : kind
  if (!SCALE_CACHE.has(name)) {
    SCALE_CACHE.set(name, VIT_SCALES[name].map((h) => [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16))))
  }
  return SCALE_CACHE.get(name)
}
const step = (v, low, high) => Math.max(0, Math.min(255, Math.round(255 * (v - low) / ((high - low) || 1))))
const rgb = ([r, g, b]) => `rgb(${r},${g},${b})`
const inkOn = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b > 140 ? '#111317' : '#FFFFFF')
const COLOUR_CACHE = (vit.colours ??= new Map())
function colour(name) {   // asked for on every hover, and a computed style is slow to read
  const key = `${vit.theme} ${name}`
  if (!COLOUR_CACHE.has(key)) COLOUR_CACHE.set(key, getComputedStyle(document.documentElement).getPropertyValue(`--vit-${name}`).trim())
  return COLOUR_CACHE.get(key)
}
const written = (v, digits) => (digits === 0 ? String(Math.round(v)) : v.toFixed(digits)).replace('-', '\u2212')
const counted = (n) => n.toLocaleString('en-GB')

function make(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [k, v] of Object.entries(props)) k.includes('-') || k === 'role' ? node.setAttribute(k, v) : (node[k] = v)
  node.append(...children)
  return node
}

function symbolOf(text) {   // "x_p E" as x with a subscript, then E
  const pieces = text.split(/_(\w+)/)   // every second one stood behind a "_"
  return make('b', { className: 'mono' }, ...pieces.map((piece, i) => (i % 2 ? make('sub', {}, piece) : piece)))
}

function pictureOf(value, width, height) {   // RGB bytes to a canvas the size of the picture
  const from = bytes(value), canvas = make('canvas', { width, height })
  if (!width || !height || from.length < 3 * width * height) return null
  const context = canvas.getContext('2d'), image = context.createImageData(width, height), to = image.data
  for (let i = 0, j = 0; j < to.length; i += 3, j += 4) {
    to[j] = from[i]; to[j + 1] = from[i + 1]; to[j + 2] = from[i + 2]; to[j + 3] = 255
  }
  context.putImageData(image, 0, 0)
  return canvas
}

function drawPictureWithGrid(canvas, picture, rows, cols, P) {   // at about 448 px, with thin lines seen on light and on dark
  const k = Math.max(1, Math.round(448 * Math.max(1, devicePixelRatio) / picture.width)), side = P * k
  canvas.width = picture.width * k; canvas.height = picture.height * k
  const g = canvas.getContext('2d')
  g.drawImage(picture, 0, 0, canvas.width, canvas.height)
  g.lineWidth = 1
  for (const [style, shift] of [['rgba(255,255,255,.75)', 0.5], ['rgba(0,0,0,.55)', 1.5]]) {
    g.strokeStyle = style; g.beginPath()
    for (let c = 1; c < cols; c++) { g.moveTo(c * side - 1 + shift, 0); g.lineTo(c * side - 1 + shift, canvas.height) }
    for (let r = 1; r < rows; r++) { g.moveTo(0, r * side - 1 + shift); g.lineTo(canvas.width, r * side - 1 + shift) }
    g.stroke()
  }
  return k
}

function ring(context, x, y, w, h, width = 2) {   // seen on light and on dark: paper outside, ink inside
  context.lineWidth = width * 2; context.strokeStyle = '#FFFFFF'; context.strokeRect(x, y, w, h)
  context.lineWidth = width; context.strokeStyle = '#111317'; context.strokeRect(x, y, w, h)
}

// Python repeats every choice to all parts, with the number of the last choice it has heard of. What it says before it
// has heard of the latest is late: whoever has chosen again must not be thrown back.
function onAnswer(model, line, take) {
  line.number = Math.max(line.number ?? 0, model.choice[1])
  model.on('choice', () => {
    const [value, number] = model.choice
    if (number < line.number) return
    line.number = number
    take(value)
  })
}
const choose = (model, line, value) => { model.choice = [value, ++line.number] }

// Builds the frame of a part and joins its channel. `draw(what)` is called with "data", "mark" or "theme".
function frame(model, el, name, draw) {
  const title = make('div', { className: 'title' }), caption = make('div', { className: 'caption' })
  const body = make('div', { className: 'body' }), notice = make('div', { className: 'notice', role: 'status' })
  const root = make('div', { className: `part ${name}` }, title, body, notice, caption)
  el.replaceChildren(root)
  const bus = model.channel ? vit.bus(model.channel) : { hovered: null, columns: [], listeners: new Set() }
  bus.columns ??= []
  if (bus.selected === undefined) bus.selected = model.choice[0]
  const words = () => {
    title.textContent = model.title; title.hidden = !model.title
    caption.textContent = model.caption; caption.hidden = !model.caption
    root.dataset.status = model.status
    notice.textContent = model.message; notice.hidden = model.status === 'ready' && !model.message
  }
  const self = {
    root, body, bus,
    get current() { return bus.hovered ?? bus.selected },
    get patch() { return Math.max(0, this.current - model.prefix) },   // no class token drawn: patch 0 stands in
    tell(source) { bus.source = source; bus.listeners.forEach((f) => f()) },
    hover(token, columns = []) {
      if (token === bus.hovered && columns.join() === bus.columns.join()) return
      bus.hovered = token; bus.columns = columns; self.tell(self)
    },
    select(token) {
      bus.hovered = null; bus.selected = token; self.tell(self)
      choose(model, bus, token)
    },
    get mine() { return bus.source === self },
  }
  const mark = () => draw('mark', self)
  bus.listeners.add(mark)
  const offTheme = vit.onTheme(() => draw('theme', self))
  for (const p of ['title', 'caption', 'status', 'message']) model.on(p, words)
  onAnswer(model, bus, (token) => { if (bus.selected !== token) { bus.selected = token; self.tell(null) } })
  model.on('remove', () => { bus.listeners.delete(mark); offTheme() })
  words()
  return self
}

// Runs `redraw` now, and once after each message from Python, however many of `names` it changed.
function onChange(model, names, redraw) {
  let waiting = false
  const later = () => {
    if (waiting) return
    waiting = true
    queueMicrotask(() => { waiting = false; redraw() })
  }
  for (const name of names) model.on(name, later)
  redraw()
}

// A mouse points by hovering and leaves; a finger points by touching, and what it pointed at stays.
function onPoint(node, point, leave) {
  node.addEventListener('pointermove', point)
  node.addEventListener('pointerdown', point)
  node.addEventListener('pointerleave', (event) => { if (event.pointerType !== 'touch') leave(event) })
}

// Arrow keys move by one in a grid, Home and End to the ends of the row, with Ctrl to the ends of the grid.
// Answers the new index, or null if the key is not ours.
function arrow(event, index, count, columns) {
  const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }
  if (event.metaKey || event.altKey) return null
  const start = event.ctrlKey ? 0 : index - index % columns
  if (event.key === 'Home') return start
  if (event.key === 'End') return event.ctrlKey ? count - 1 : Math.min(count, start + columns) - 1
  if (event.ctrlKey) return null
  if (!(event.key in moves)) return null
  const next = index + moves[event.key]
  return next < 0 || next >= count ? index : next
}

// JupyterLab and its kin take arrow keys for themselves unless they are stopped here.
function onArrow(node, handle) {
  node.addEventListener('keydown', (event) => {
    const next = handle(event)
    if (next === null || next === undefined) return
    event.preventDefault(); event.stopPropagation()
  })
}
