// Looks the numbers of the followed token up; they were all written in Python.
import { make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const table = make('table')
  const part = frame(model, el, 'number-table', mark)
  part.body.append(table)
  let cells = []

  function load() {
    cells = model.names.map(() => make('td'))
    table.replaceChildren(
      ...model.names.map((name, i) => make('tr', {}, make('th', { scope: 'row' }, name), cells[i])),
      ...model.fixed.map(([name, value]) => make('tr', { className: 'still' }, make('th', { scope: 'row' }, name), make('td', {}, value))))
    mark()
  }

  function mark() {
    const values = model.by_token[Math.min(part.patch, model.by_token.length - 1)] ?? []
    cells.forEach((cell, i) => { cell.textContent = values[i] ?? '' })
  }
  onChange(model, ['fixed', 'names', 'by_token'], load)
}
