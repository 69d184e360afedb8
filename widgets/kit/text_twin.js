// A native <details>: it opens by mouse and keyboard, and screen readers know it.
export function render({ model, el }) {
  const fold = document.createElement('details')
  const label = document.createElement('summary')
  const sentence = document.createElement('p')
  const table = document.createElement('table')
  fold.className = 'twin'
  fold.open = model.opened
  label.textContent = model.label
  fold.append(label, sentence, table)
  const fill = () => {
    sentence.textContent = model.sentence
    table.replaceChildren(...model.rows.map(([name, value]) => {
      const row = document.createElement('tr'), head = document.createElement('th')
      const cell = document.createElement('td')
      head.scope = 'row'
      head.textContent = name
      cell.textContent = value
      row.append(head, cell)
      return row
    }))
  }
  fill()
  model.on('sentence', fill)
  model.on('rows', fill)
  el.append(fold)
}
