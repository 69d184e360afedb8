// A window on the sequence. It glides to the token that is followed, unless the pointer is on the strip itself.
import { colour, make, pictureOf, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

const SIZE = 44, GAP = 6, TOP = 4

export function render({ model, el }) {
  const canvas = make('canvas', { tabIndex: 0, role: 'application' })
  const readout = make('div', { className: 'readout', 'aria-live': 'off' })
  const part = frame(model, el, 'token-strip', draw)
  part.body.append(canvas, readout)
  let picture = null, rows = 0, cols = 0, count = 0, first = 0, width = 600, start = 0, from = null

  function load() {
    picture = pictureOf(model.rgb, model.picture_width, model.picture_height)
    rows = Math.floor(model.picture_height / model.patch_size); cols = Math.floor(model.picture_width / model.patch_size)
    first = model.show_prefix ? 0 : model.prefix
    count = rows * cols + model.prefix - first
    canvas.setAttribute('aria-label', `The sequence of ${rows * cols} patches. Left and right arrow keys move the selected patch.`)
    from = null
    fit()
  }

  const fits = () => Math.max(1, Math.floor((width + GAP) / (SIZE + GAP)))
  function fit() {
    width = Math.max(200, Math.round(canvas.getBoundingClientRect().width || 600))
    const ratio = Math.max(1, devicePixelRatio)
    canvas.width = width * ratio; canvas.height = 84 * ratio
    canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0)
    drawAll()
  }

  const place = () => Math.max(0, Math.min(count - 1, part.current - first))
  function drawAll() {
    const g = canvas.getContext('2d'), here = place(), room = fits()
    if (!part.mine || from === null) start = Math.max(0, Math.min(count - room, here - Math.floor(room / 2)))
    from = part.bus.source
    g.clearRect(0, 0, width, 84)
    g.font = '11px ui-monospace, Menlo, Consolas, monospace'; g.textAlign = 'center'; g.textBaseline = 'top'
    for (let i = start; i < Math.min(count, start + room); i++) drawToken(g, i, i === here)
    drawWhole(g, here, room)
    const n = Math.max(0, here + first - model.prefix)
    canvas.dataset.patch = n; canvas.dataset.x = (here - start) * (SIZE + GAP)   // where it is drawn, for tests
    readout.textContent = here + first < model.prefix ? `Token ${here} of the sequence: the class token`
      : `Position ${n} of 0 to ${rows * cols - 1} in the sequence`
  }

  function drawToken(g, i, on) {
    const x = (i - start) * (SIZE + GAP), n = i + first - model.prefix, P = model.patch_size
    if (n < 0) {
      g.fillStyle = colour('class'); g.font = '28px sans-serif'; g.fillText('\u2605', x + SIZE / 2, TOP + 6)
      g.font = '11px ui-monospace, Menlo, Consolas, monospace'
    } else if (picture) {
      g.imageSmoothingEnabled = P > SIZE
      g.drawImage(picture, (n % cols) * P, Math.floor(n / cols) * P, P, P, x, TOP, SIZE, SIZE)
    }
    if (on) ring(g, x + 2, TOP + 1, SIZE - 4, SIZE - 2, 2)
    g.fillStyle = colour(on ? 'ink' : 'muted')
    g.fillText(n < 0 ? 'class' : String(n), x + SIZE / 2, TOP + SIZE + 4)
  }

  function drawWhole(g, here, room) {   // the whole sequence, a tick at the start of every row of the picture
    const y = 72, h = 8, unit = width / count
    g.fillStyle = colour('surface'); g.fillRect(0, y, width, h)
    g.fillStyle = colour('line'); g.fillRect(start * unit, y, Math.min(count, room) * unit, h)
    g.fillStyle = colour('muted')
    for (let r = 0; r < rows; r++) g.fillRect((r * cols + model.prefix - first) * unit, y, 1, h)
    g.fillStyle = colour('ink'); g.fillRect(Math.max(0, here * unit - 1), y - 2, Math.max(3, unit), h + 4)
  }

  function draw() { drawAll() }

  const onBar = (event) => event.clientY - canvas.getBoundingClientRect().top > 66
  function under(event) {
    const x = event.clientX - canvas.getBoundingClientRect().left, bar = onBar(event)
    const i = bar ? Math.floor(x / width * count) : start + Math.floor(x / (SIZE + GAP))
    return i < 0 || i >= count || (!bar && i >= start + fits()) ? null : i + first
  }
  onPoint(canvas, (e) => part.hover(under(e)), () => part.hover(null))
  canvas.addEventListener('click', (e) => {
    const t = under(e)
    if (t === null) return
    if (onBar(e)) from = null   // a place far away was chosen: go there
    canvas.focus(); part.select(t)
  })
  onArrow(canvas, (e) => {
    const next = arrow(e, Math.max(0, part.bus.selected - first), count, cols)
    if (next !== null) { part.bus.hovered = null; from = null; part.select(next + first) }
    return next
  })
  const watch = new ResizeObserver(() => { if (Math.abs(canvas.getBoundingClientRect().width - width) > 1) fit() })
  watch.observe(canvas)
  model.on('remove', () => watch.disconnect())
  onChange(model, ['rgb', 'patch_size', 'prefix', 'show_prefix'], load)
}
