// The file is made in the browser, so that it works offline and in a notebook alike.
import { make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'code-copy', () => {})
  const button = make('button', { type: 'button' }), said = make('span', { className: 'said', role: 'status' })
  part.body.append(make('div', { className: 'row' }, button, said))
  button.addEventListener('click', () => {
    const link = make('a', { href: URL.createObjectURL(new Blob([model.text], { type: 'text/csv' })), download: model.file_name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
    said.textContent = `Saved as ${model.file_name}.`
  })
  onChange(model, ['text', 'label', 'file_name'], () => { button.textContent = model.label; said.textContent = '' })
}
