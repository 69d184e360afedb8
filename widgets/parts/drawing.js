// What every drawing is made of: bytes to numbers, numbers to colours and text, elements, pictures on a canvas.
import { vit, SCALES } from 'vit/theme'

export function bytes(value) {
  if (!value) return new Uint8Array(0)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value.buffer ?? value)
}

const HALF = Float32Array.from({ length: 65536 }, (_, h) => {
  const sign = h & 0x8000 ? -1 : 1, exponent = (h >> 10) & 31, fraction = h & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
})

export function numbers(value, kind) {
  const raw = bytes(value).slice()   // a copy is aligned, whatever the message it came in
  if (kind === 'float32') return new Float32Array(raw.buffer)
  if (kind === 'float16') return Float32Array.from(new Uint16Array(raw.buffer), (h) => HALF[h])
  if (kind === 'int32') return new Int32Array(raw.buffer)
  return raw
}

const SCALE_CACHE = new Map()
export function scale(kind) {   // 256 colours as [r, g, b]
  const name = kind === 'signed' ? `signed-${vit.theme}` : kind
  if (!SCALE_CACHE.has(name)) {
    SCALE_CACHE.set(name, SCALES[name].match(/.{6}/g).map((h) => [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16))))
  }
  return SCALE_CACHE.get(name)
}
export const scaleStep = (v, low, high) => Math.max(0, Math.min(255, Math.round(255 * (v - low) / ((high - low) || 1))))
export const rgb = ([r, g, b]) => `rgb(${r},${g},${b})`
export const inkOn = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b > 140 ? '#111317' : '#FFFFFF')
const COLOUR_CACHE = new Map()
export function colour(name) {   // asked for on every hover, and a computed style is slow to read
  const key = `${vit.theme} ${name}`
  if (!COLOUR_CACHE.has(key)) COLOUR_CACHE.set(key, getComputedStyle(document.documentElement).getPropertyValue(`--vit-${name}`).trim())
  return COLOUR_CACHE.get(key)
}
export const written = (v, digits) => (digits === 0 ? String(Math.round(v)) : v.toFixed(digits)).replace('-', '\u2212')
export const counted = (n) => n.toLocaleString('en-GB')

export function make(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [k, v] of Object.entries(props)) k.includes('-') || k === 'role' ? node.setAttribute(k, v) : (node[k] = v)
  node.append(...children)
  return node
}

export function scaleStrip(kind) {   // all colours of a scale, side by side
  const colours = scale(kind), strip = make('canvas', { width: colours.length, height: 1 }), g = strip.getContext('2d')
  colours.forEach((shade, i) => { g.fillStyle = rgb(shade); g.fillRect(i, 0, 1, 1) })
  return strip
}

// The file is made in the browser, so that it works offline and in a notebook alike.
export function download(text, type, name) {
  const link = make('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

export function symbolOf(text) {   // "x_p E" as x with a subscript, then E
  const pieces = text.split(/_(\w+)/)   // every second one stood behind a "_"
  return make('b', { className: 'mono' }, ...pieces.map((piece, i) => (i % 2 ? make('sub', {}, piece) : piece)))
}

export function pictureOf(value, width, height) {   // RGB bytes to a canvas the size of the picture
  const from = bytes(value), canvas = make('canvas', { width, height })
  if (!width || !height || from.length < 3 * width * height) return null
  const context = canvas.getContext('2d'), image = context.createImageData(width, height), to = image.data
  for (let i = 0, j = 0; j < to.length; i += 3, j += 4) {
    to[j] = from[i]; to[j + 1] = from[i + 1]; to[j + 2] = from[i + 2]; to[j + 3] = 255
  }
  context.putImageData(image, 0, 0)
  return canvas
}

export function drawPictureWithGrid(canvas, picture, rows, cols, P) {   // at about 448 px, with thin lines seen on light and on dark
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

export function ring(context, x, y, w, h, width = 2) {   // seen on light and on dark: paper outside, ink inside
  context.lineWidth = width * 2; context.strokeStyle = '#FFFFFF'; context.strokeRect(x, y, w, h)
  context.lineWidth = width; context.strokeStyle = '#111317'; context.strokeRect(x, y, w, h)
}
