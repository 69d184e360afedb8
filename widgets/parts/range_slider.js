// The value is written at once and sent at most every 80 ms, so that a drag does not queue work behind it.
export function render({ model, el }) {
  const name = make('span', { className: 'label' }), value = make('b', { className: 'value' })
  const input = make('input', { type: 'range', step: 1 })
  el.replaceChildren(make('label', { className: 'range' }, make('span', {}, name, value), input))
  const sent = []   // Python repeats each value it is told; an old one must not throw the reader back
  let waiting = 0

  const text = () => model.texts[input.value - model.start] ?? counted(Number(input.value))
  function write() {
    value.textContent = text()
    input.setAttribute('aria-valuetext', text())
  }
  function send() {
    clearTimeout(waiting); waiting = 0
    const now = Number(input.value)
    if (now === sent.at(-1)) return
    sent.push(now)
    model.value = now
  }
  function take() {
    const echo = sent.indexOf(model.value)
    if (echo >= 0 && echo < sent.length - 1) { sent.splice(0, echo + 1); return }
    if (waiting) return
    sent.length = 0
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
  model.on('value', take)
}
