// One curve a token over the layers. The read-out names every mark with its value, so it is the legend too.
import { numbers, colour, written, make, symbolOf } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

const LEFT = 36, INSET = 12, RIGHT = 14, TOP = 8, BOTTOM = 22

export function render({ model, el }) {
  const canvas = make('canvas', { tabIndex: 0, role: 'application' })
  const label = make('div', { className: 'ylabel' }), said = make('div', { className: 'said', 'aria-live': 'polite' })
  const part = frame(model, el, 'token-curves', draw)
  part.body.append(label, canvas, said)
  let values = [], band = [], width = 400
  const height = () => model.drawing

  const last = () => model.first + model.points - 1
  const clamp = (n) => Math.max(model.first, Math.min(last(), n))
  const layer = () => clamp(part.bus.layer ?? model.layer)
  const token = () => Math.max(0, Math.min(model.tokens - 1, part.current))
  const hasClass = () => model.prefix > 0
  const nameOf = (t) => (t >= model.prefix ? `patch ${t - model.prefix}` : t === 0 ? 'class token' : `register ${t}`)
  const x = (i) => LEFT + INSET + (width - LEFT - INSET - RIGHT) * (model.points > 1 ? i / (model.points - 1) : 0.5)
  const y = (v) => {
    const at = model.even ? (u) => u : Math.log, share = (at(v) - at(model.low)) / (at(model.high) - at(model.low))
    return height() - BOTTOM - (height() - TOP - BOTTOM) * share
  }
  const rowOf = (t) => values.subarray(t * model.points, (t + 1) * model.points)
  const bandRow = (i) => band.subarray(i * model.points, (i + 1) * model.points)

  function load() {
    values = numbers(model.values, 'float32'); band = numbers(model.band, 'float32')
    label.textContent = model.y_label; label.hidden = !model.y_label
    canvas.setAttribute('aria-label', `${model.title}: a curve from ${model.point_name} ${model.first} to ${last()}. Left and right arrow keys move between layers.`)
    fit()
  }

  function fit() {
    width = Math.max(160, Math.round(canvas.getBoundingClientRect().width || 400))
    const ratio = Math.max(1, devicePixelRatio)
    canvas.style.height = `${height()}px`
    canvas.width = width * ratio; canvas.height = height() * ratio
    canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0)
    drawAll()
  }

  function ticks() {
    if (model.even) return [-1, -0.5, 0, 0.5, 1].filter((v) => v >= model.low && v <= model.high)
    const found = []
    for (let e = Math.floor(Math.log10(model.low)); e <= Math.log10(model.high); e++) for (const m of [1, 2, 5]) found.push([m * 10 ** e, m])
    const inside = found.filter(([v]) => v >= model.low && v <= model.high)
    return (inside.length > 8 ? inside.filter(([, m]) => m === 1) : inside).map(([v]) => v)
  }

  function path(g, row) { g.beginPath(); row.forEach((v, i) => (i ? g.lineTo(x(i), y(v)) : g.moveTo(x(i), y(v)))) }

  function drawAll() {
    const g = canvas.getContext('2d')
    g.clearRect(0, 0, width, height())
    if (!model.points || values.length < model.tokens * model.points) return
    drawAxes(g); drawBand(g)
    if (hasClass()) drawClass(g)
    drawFollowed(g)
    say()
  }

  function drawAxes(g) {
    g.font = '11px system-ui, sans-serif'; g.lineWidth = 1; g.textBaseline = 'middle'; g.textAlign = 'right'
    for (const v of ticks()) {
      g.strokeStyle = colour('line'); g.beginPath(); g.moveTo(LEFT, y(v)); g.lineTo(width - RIGHT, y(v)); g.stroke()
      g.fillStyle = colour('muted'); g.fillText(String(Number(v.toPrecision(1))).replace('-', '\u2212'), LEFT - 6, y(v))
    }
    if (model.level > model.low && model.level < model.high) {
      g.strokeStyle = colour('muted'); g.lineWidth = 1.5
      g.beginPath(); g.moveTo(LEFT, y(model.level)); g.lineTo(width - RIGHT, y(model.level)); g.stroke()
    }
    g.textAlign = 'center'; g.textBaseline = 'top'
    const every = (width - LEFT - RIGHT) / model.points < 20 ? 2 : 1
    for (let i = 0; i < model.points; i++) {
      const here = i + model.first === layer()
      if (here) { g.fillStyle = colour('surface'); g.fillRect(x(i) - 8, TOP, 16, height() - TOP - BOTTOM) }
      g.fillStyle = colour(here ? 'ink' : 'muted')
      if (here || i % every === 0) g.fillText(String(i + model.first), x(i), height() - BOTTOM + 6)
    }
  }

  function drawBand(g) {
    const low = bandRow(0), high = bandRow(2)
    g.fillStyle = colour('muted'); g.globalAlpha = 0.22; path(g, high)
    for (let i = model.points - 1; i >= 0; i--) g.lineTo(x(i), y(low[i]))
    g.closePath(); g.fill(); g.globalAlpha = 1
    g.strokeStyle = colour('muted'); g.lineWidth = 1.5; g.setLineDash([5, 4]); path(g, bandRow(1)); g.stroke(); g.setLineDash([])
  }

  function drawClass(g) {
    const row = rowOf(0)
    g.strokeStyle = g.fillStyle = colour('class'); g.lineWidth = 1.5; path(g, row); g.stroke()
    g.font = '13px sans-serif'; g.textAlign = 'center'; g.textBaseline = 'middle'
    row.forEach((v, i) => g.fillText('\u2605', x(i), y(v)))
  }

  function drawFollowed(g) {
    const t = token(), row = rowOf(t), i = layer() - model.first, classToken = t === 0 && hasClass()
    g.strokeStyle = colour(classToken ? 'class' : 'ink'); g.lineWidth = 2.5; path(g, row); g.stroke()
    g.beginPath(); g.arc(x(i), y(row[i]), 5, 0, 7); g.fillStyle = colour('paper'); g.fill(); g.stroke()
    canvas.dataset.token = t; canvas.dataset.layer = layer()   // what is drawn, for tests
  }

  function say() {
    const t = token(), i = layer() - model.first, value = (v) => make('span', { className: 'mono', textContent: written(v, model.digits) })
    const parts = [model.point_name.length > 1 ? make('b', {}, `${model.point_name} ${layer()}`) : symbolOf(`${model.point_name}_${layer()}`)]
    if (t >= model.prefix) parts.push(make('span', {}, `\u25CB ${nameOf(t)}: `, value(rowOf(t)[i])))
    if (hasClass()) parts.push(make('span', { className: 'class' }, '\u2605 class token: ', value(rowOf(0)[i])))
    parts.push(make('span', { className: 'others' }, '\u2504 patches, median: ', value(bandRow(1)[i])))
    said.replaceChildren(...parts)
  }

  function point(n) {
    if (part.bus.layer === n) return
    part.bus.layer = n; part.tell(part)
  }
  function under(event) {
    const box = canvas.getBoundingClientRect(), share = (event.clientX - box.left - LEFT - INSET) / (box.width - LEFT - INSET - RIGHT)
    return clamp(Math.round(share * (model.points - 1)) + model.first)
  }
  function keep(n) { model.layer = n; point(null); drawAll() }
  onPoint(canvas, (e) => point(under(e)), () => point(null))
  canvas.addEventListener('click', (e) => keep(under(e)))
  onArrow(canvas, (e) => {
    if (e.key === 'ArrowUp' || e.key === 'ArrowDown') return null
    const next = arrow(e, layer() - model.first, model.points, model.points)
    if (next !== null) keep(next + model.first)
    return next
  })

  function draw() { drawAll() }
  const watch = new ResizeObserver(() => { if (Math.abs(canvas.getBoundingClientRect().width - width) > 1) fit() })
  watch.observe(canvas)
  model.on('remove', () => watch.disconnect())
  onChange(model, ['values', 'band', 'tokens', 'points', 'first', 'prefix', 'layer', 'low', 'high', 'level', 'even', 'drawing', 'y_label', 'title', 'point_name'], load)
}
