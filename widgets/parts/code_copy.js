// The clipboard is refused to some frames; then the code is opened and selected, and the reader is told which keys to press.
import { make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'code-copy', () => {})
  const button = make('button', { type: 'button' }), said = make('span', { className: 'said', role: 'status' })
  const code = make('pre', { className: 'mono', tabIndex: 0 }), fold = make('details', {}, make('summary', {}, 'Look at the code'), code)
  part.body.append(make('div', { className: 'row' }, button, said), fold)

  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(model.code)
      said.textContent = 'Copied. Paste it into a notebook cell.'
    } catch {
      fold.open = true
      getSelection().selectAllChildren(code)
      said.textContent = 'This page may not copy for you. The code is selected below: press Ctrl+C, or Command+C on a Mac.'
    }
  })
  onChange(model, ['code', 'label'], () => { button.textContent = model.label; code.textContent = model.code; said.textContent = '' })
}
