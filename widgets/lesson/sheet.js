// A sheet of text with buttons under it, and sections that grow as they are asked for.
import { make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'paper-sheet', () => {})
  const head = make('div', { className: 'head' }), row = make('div', { className: 'row' })
  const grown = make('div', { role: 'status' })
  part.body.append(head, row, grown)
  part.root.addEventListener('keydown', (event) => event.stopPropagation())   // a notebook's shortcuts are plain letters

  function buttons() {
    const at = el.getRootNode().activeElement?.dataset?.name
    row.replaceChildren(...model.buttons.map(([name, label, main]) => {
      const button = make('button', { type: 'button', className: main ? 'main' : '' }, label)
      button.dataset.name = name
      button.addEventListener('click', () => model.send_msg({ pressed: name }))
      return button
    }))
    // The same button, newly made, keeps the keyboard; when it is gone, the row's first takes it.
    if (at) (row.querySelector(`[data-name="${at}"]`) ?? row.querySelector('button'))?.focus({ preventScroll: true })
  }

  function sections() {
    model.sections.forEach((html, i) => {
      const there = grown.children[i]
      if (there?.dataset.html === html) return
      const section = make('div', { className: 'section' })
      section.innerHTML = html
      section.dataset.html = html
      there ? there.replaceWith(section) : grown.append(section)
    })
    while (grown.children.length > model.sections.length) grown.lastChild.remove()
  }
  onChange(model, ['head'], () => { head.innerHTML = model.head })
  onChange(model, ['buttons'], buttons)
  onChange(model, ['sections'], sections)
}
