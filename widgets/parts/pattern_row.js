// Patterns of pixels side by side; under each its note, and the number it has for the token that is followed.
import { bytes, numbers, scale, rgb, written, make, pictureOf } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const row = make('div', { className: 'patterns', role: 'list' })
  const part = frame(model, el, 'pattern-row', mark)
  part.body.append(row)
  let values = null, figures = [], cells = []

  function load() {
    const raw = bytes(model.patterns), P = model.side, one = 3 * P * P, count = Math.floor(raw.length / one)
    values = model.by_token?.byteLength || model.by_token?.length ? numbers(model.by_token, 'float32') : null
    figures = []; cells = []
    for (let m = 0; m < count; m++) {
      const canvas = pictureOf(raw.subarray(m * one, (m + 1) * one), P, P)
      canvas.style.width = `${model.size}px`
      const note = make('div', { className: 'note' }, model.notes[m] ?? ''), number = make('div', { className: 'number mono' })
      const bar = make('div', { className: 'bar' }, make('i'))
      const below = [...(model.notes.length ? [note] : []), ...(values ? [number, bar] : [])]
      const figure = make('figure', { role: 'listitem' }, make('figcaption', {}, model.heads[m] ?? String(m + 1)), canvas, ...below)
      figure.style.width = `${model.size}px`
      figure.classList.toggle('faint', m >= model.lit)
      figures.push(figure); cells.push({ number, bar: bar.firstChild })
    }
    row.replaceChildren(...figures)
    mark()
  }

  function mark() {
    if (!values || !figures.length) return
    const count = figures.length, n = Math.min(part.patch, values.length / count - 1)
    part.root.dataset.patch = n
    cells.forEach(({ number, bar }, m) => {
      const v = values[n * count + m], width = Math.min(50, 50 * Math.abs(v) / (model.high || 1))
      number.textContent = (v > 0 ? '+' : '') + written(v, model.digits)
      bar.style.cssText = `width:${width}%;left:${v < 0 ? 50 - width : 50}%;background:${rgb(scale('signed')[v < 0 ? 0 : 255])}`
    })
  }
  onChange(model, ['patterns', 'side', 'heads', 'notes', 'by_token', 'digits', 'high', 'lit', 'size'], load)
}
