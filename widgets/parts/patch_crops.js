// The patch that is followed, cut from each picture and enlarged.
import { bytes, make, pictureOf } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const row = make('div', { className: 'patterns' })
  const part = frame(model, el, 'pattern-row patch-crops', mark)
  part.body.append(row)
  let pictures = [], shown = []

  function load() {
    const raw = bytes(model.rgb), W = model.picture_width, H = model.picture_height, P = model.patch_size
    pictures = model.names.map((_, m) => pictureOf(raw.subarray(3 * m * W * H, 3 * (m + 1) * W * H), W, H))
    shown = model.names.map(() => make('canvas', { width: P, height: P }))
    shown.forEach((canvas) => { canvas.style.width = '104px' })
    row.replaceChildren(...model.names.map((name, m) => {
      const figure = make('figure', {}, make('figcaption', {}, name), shown[m])
      figure.style.width = '104px'
      return figure
    }))
    mark()
  }

  function mark() {
    const P = model.patch_size, columns = Math.floor(model.picture_width / P), rows = Math.floor(model.picture_height / P)
    const n = Math.min(part.patch, columns * rows - 1)
    if (n < 0) return
    part.root.dataset.patch = n
    shown.forEach((canvas, m) => {
      if (pictures[m]) canvas.getContext('2d').drawImage(pictures[m], (n % columns) * P, Math.floor(n / columns) * P, P, P, 0, 0, P, P)
    })
  }
  onChange(model, ['rgb', 'patch_size', 'names', 'picture_width', 'picture_height'], load)
}
