// Points on a small plot that a reader drags up and down, or moves with the arrow keys. Python gives every number and
// every label; here a height on the screen becomes a height on the axis and back, and nothing else is computed.

const SVG = 'http://www.w3.org/2000/svg'
const WIDE = { width: 560, height: 280, left: 64, right: 16, top: 32, bottom: 44 }
const NARROW = { ...WIDE, width: 330, height: 240, left: 52 }   // so that its words stay as large as the page's

function svg(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  if (text !== undefined) node.textContent = text
  return node
}

export function curvePlot(model) {
  const { x_texts, x_label, y_label, y_ticks, low, high, step, levels } = model.axes
  const PLOT = matchMedia('(max-width: 480px)').matches ? NARROW : WIDE
  const inner = { w: PLOT.width - PLOT.left - PLOT.right, h: PLOT.height - PLOT.top - PLOT.bottom }
  const across = (i) => PLOT.left + (x_texts.length < 2 ? inner.w / 2 : 16 + (inner.w - 32) * i / (x_texts.length - 1))
  const up = (value) => PLOT.top + inner.h * (1 - (value - low) / (high - low))
  const clipped = (value) => Math.min(high, Math.max(low, value))
  const snapped = (value) => clipped(low + Math.round((value - low) / step) * step)
  let values = model.points.length ? [...model.points] : x_texts.map(() => levels.start)

  const node = svg('svg', { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, class: 'curve', role: 'group', 'aria-label': y_label })
  node.append(svg('text', { x: 0, y: 14, class: 'axis' }, y_label))
  for (const [value, text] of y_ticks) {
    node.append(svg('line', { x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: up(value), y2: up(value), class: 'grid' }),
      svg('text', { x: PLOT.left - 8, y: up(value) + 4, 'text-anchor': 'end' }, text))
  }
  x_texts.forEach((text, i) => node.append(svg('text', { x: across(i), y: PLOT.height - 24, 'text-anchor': 'middle' }, text)))
  node.append(svg('text', { x: PLOT.left + inner.w / 2, y: PLOT.height - 4, 'text-anchor': 'middle', class: 'axis' }, x_label))
  const answer = svg('polyline', { class: 'answer' }), marks = svg('g', { class: 'answer-marks' })
  const line = svg('polyline', { class: 'guess' })
  node.append(answer, marks, line)

  const handles = x_texts.map((text, i) => {
    const handle = svg('circle', {
      r: 9, cx: across(i), class: 'handle', tabindex: 0, role: 'slider', 'aria-orientation': 'vertical',
      'aria-label': `${y_label} at ${text}`, 'aria-valuemin': low, 'aria-valuemax': high,
    })
    const to = (value) => { if (!model.locked) { values[i] = snapped(value); draw() } }
    const keys = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }
    handle.addEventListener('keydown', (event) => {
      if (event.key in keys) to(values[i] + keys[event.key] * step)
      else if (event.key === 'Home') to(low)
      else if (event.key === 'End') to(high)
      else return
      event.preventDefault()
    })
    handle.addEventListener('pointerdown', (event) => {
      if (model.locked) return
      handle.setPointerCapture(event.pointerId)
      const move = (e) => {
        const box = node.getBoundingClientRect(), y = (e.clientY - box.top) * PLOT.height / box.height
        to(low + (high - low) * (1 - (y - PLOT.top) / inner.h))
      }
      handle.addEventListener('pointermove', move)
      handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true })
    })
    node.append(handle)
    return handle
  })
  // Near a point is near enough: a press anywhere in its column takes it.
  node.addEventListener('pointerdown', (event) => {
    if (model.locked || handles.includes(event.target)) return
    const box = node.getBoundingClientRect(), x = (event.clientX - box.left) * PLOT.width / box.width
    const i = x_texts.reduce((best, _, j) => (Math.abs(across(j) - x) < Math.abs(across(best) - x) ? j : best), 0)
    const y = (event.clientY - box.top) * PLOT.height / box.height
    values[i] = snapped(low + (high - low) * (1 - (y - PLOT.top) / inner.h))
    draw()
    handles[i].focus({ preventScroll: true })
  })

  function draw() {
    line.setAttribute('points', values.map((v, i) => `${across(i)},${up(v)}`).join(' '))
    handles.forEach((handle, i) => {
      handle.setAttribute('cy', up(values[i]))
      handle.setAttribute('aria-valuenow', values[i])
    })
  }
  function mark() {
    if (model.points.length) values = [...model.points]
    const right = model.answer_points.map(clipped)
    answer.setAttribute('points', right.map((v, i) => `${across(i)},${up(v)}`).join(' '))
    marks.replaceChildren(...right.map((v, i) => svg('rect', { x: across(i) - 5, y: up(v) - 5, width: 10, height: 10 })))
    handles.forEach((handle) => handle.setAttribute('tabindex', model.locked ? -1 : 0))
    node.classList.toggle('locked', model.locked)
    draw()
  }
  draw()
  return { node, handles, mark, points: () => values }
}
