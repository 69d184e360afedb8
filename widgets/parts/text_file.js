// A button that saves a text.
import { download, make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'code-copy', () => {})
  const button = make('button', { type: 'button' }), said = make('span', { className: 'said', role: 'status' })
  part.body.append(make('div', { className: 'row' }, button, said))
  button.addEventListener('click', () => {
    download(model.text, 'text/csv', model.file_name)
    said.textContent = `Saved as ${model.file_name}.`
  })
  onChange(model, ['text', 'label', 'file_name'], () => { button.textContent = model.label; said.textContent = '' })
}
