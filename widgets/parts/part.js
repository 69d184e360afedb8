// The frame around a drawing, the channel it listens on, what the reader points at and which keys move it.
import 'vit/kernel'
import { vit } from 'vit/theme'
import { make } from 'vit/drawing'

// Python repeats every choice to all parts, with the number of the last choice it has heard of. What it says before it
// has heard of the latest is late: whoever has chosen again must not be thrown back.
export function onAnswer(model, line, take) {
  line.number = Math.max(line.number ?? 0, model.choice[1])
  onState(model, ['choice'], () => {
    const [value, number] = model.choice
    if (number < line.number) return
    line.number = number
    take(value)
  })
}
export const choose = (model, line, value) => { model.choice = [value, ++line.number] }

// Builds the frame of a part and joins its channel. `draw(what)` is called with "data", "mark" or "theme".
export function frame(model, el, name, draw) {
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
  onState(model, ['title', 'caption', 'status', 'message'], words)
  onAnswer(model, bus, (token) => { if (bus.selected !== token) { bus.selected = token; self.tell(null) } })
  model.on('remove', () => { bus.listeners.delete(mark); offTheme() })
  words()
  return self
}

// A message from Python changes one value after the other. Who draws in between sees a picture of one size and the
// patches of another, and what it throws then keeps the rest of the message from coming. So nothing acts on a value
// before the message is over: first every part loads what came, then it draws what is chosen or said.
function afterMessage(model, names, act, rounds) {
  let waiting = false
  const wait = (left) => queueMicrotask(() => { if (left) wait(left - 1); else { waiting = false; act() } })
  for (const name of names) model.on(name, () => { if (!waiting) { waiting = true; wait(rounds) } })
}

// Runs `load` now, and once after each message that changed any of `names`.
export function onChange(model, names, load) {
  afterMessage(model, names, load, 0)
  load()
}

// Runs `draw` once after each message that changed any of `names`, when all parts have loaded what came with it.
export const onState = (model, names, draw) => afterMessage(model, names, draw, 1)

// A mouse points by hovering and leaves; a finger points by touching, and what it pointed at stays.
export function onPoint(node, point, leave) {
  node.addEventListener('pointermove', point)
  node.addEventListener('pointerdown', point)
  node.addEventListener('pointerleave', (event) => { if (event.pointerType !== 'touch') leave(event) })
}

// Arrow keys move by one in a grid, Home and End to the ends of the row, with Ctrl to the ends of the grid.
// Answers the new index, or null if the key is not ours.
export function arrow(event, index, count, columns) {
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
export function onArrow(node, handle) {
  node.addEventListener('keydown', (event) => {
    const next = handle(event)
    if (next === null || next === undefined) return
    event.preventDefault(); event.stopPropagation()
  })
}
