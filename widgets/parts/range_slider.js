// The value is written at once and sent at most every 80 ms, so that a drag does not queue work behind it.
import { counted, make } from 'vit/drawing'
import { onChange, onState } from 'vit/part'

export function render({ model, el }) {
  const name = make('span', { className: 'label' }), value = make('b', { className: 'value' })
  const input = make('input', { type: 'range', step: 1 })
  el.replaceChildren(make('label', { className: 'range' }, make('span', {}, name, value), input))
  let waiting = 0

  const text = () => model.texts[input.value - model.start] ?? counted(Number(input.value))
  function write() {
    value.textContent = text()
    input.setAttribute('aria-valuetext', text())
  }
  function send() {
    clearTimeout(waiting); waiting = 0
    model.value = Number(input.value)
  }
  function take() {
    if (waiting) return   // the reader has moved on, and says so in a moment
    input.value = model.value
    write()
  }

  input.addEventListener('input', () => { write(); waiting ||= setTimeout(send, 80) })
  input.addEventListener('change', send)
  onChange(model, ['label', 'start', 'end', 'texts', 'disabled'], () => {
    name.textContent = `${model.label}: `
    input.min = model.start; input.max = model.end; input.disabled = model.disabled
    input.value = model.value
    write()
  })
  onState(model, ['value'], take)
}
