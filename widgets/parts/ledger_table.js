// Lines of a ledger. A click or an arrow key chooses one and Python hears of it; nothing is computed here.
import { make } from 'vit/drawing'
import { frame, onChange, onState, onArrow } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'ledger-table', () => {})
  const table = make('table'), holder = make('div', { className: 'holder' }, table), below = make('div', { className: 'below', hidden: true })
  part.body.append(holder, below)
  let rows = []
  const lowered = (text) => text.split(/_(\w+)/).map((piece, i) => (i % 2 ? make('sub', {}, piece) : piece))   // "D_ff"

  const broken = (text) => text.split(/(?<=\.)/).flatMap((piece) => [piece, make('wbr')])   // a long name breaks behind a dot

  function load() {
    const heads = make('tr', {}, make('th', { scope: 'col' }, model.first), ...model.heads.map((text) => make('th', { scope: 'col' }, text)))
    rows = model.lines.map((line) => {
      const name = make('div', { className: 'name' }, ...(line.plain ? broken(line.name) : lowered(line.name)))
      const bars = (line.bars ?? []).map(([share, hue], n) => {
        const bar = make('div', { className: `bar ${n ? 'second' : ''}` }, make('div', { className: 'fill' }))
        bar.firstChild.style.width = `${100 * share}%`
        bar.style.setProperty('--hue', `var(--vit-${hue})`)
        return bar
      })
      const first = make('th', { scope: 'row' }, name,
        make('div', { className: 'mono formula', hidden: !line.formula }, ...lowered(line.formula ?? '')),
        make('div', { className: 'mono worked', hidden: !line.worked }, line.worked ?? ''), ...bars)
      const row = make('tr', {}, first, ...line.cells.map((text) => make('td', {}, text)))
      row.dataset.key = line.key
      if (model.choosable) row.addEventListener('click', () => choose(rows.indexOf(row), true))
      return row
    })
    const foot = model.foot.length ? [make('tfoot', {}, make('tr', {}, make('th', { scope: 'row' }, model.foot[0]), ...model.foot.slice(1).map((text) => make('td', {}, text))))] : []
    const had = holder.contains(el.getRootNode().activeElement) && el.getRootNode().activeElement !== holder
    table.replaceChildren(make('thead', {}, heads), make('tbody', {}, ...rows), ...foot)
    holder.style.maxHeight = model.frame_height ? `${model.frame_height}px` : ''
    holder.tabIndex = model.frame_height && !model.choosable ? 0 : -1
    mark()
    tell()
    if (had) rows.find((row) => row.tabIndex === 0)?.focus()
  }

  function tell() {   // how much of a framed table is still to come
    const end = holder.getBoundingClientRect().bottom + 4
    const rest = rows.filter((row) => row.getBoundingClientRect().bottom > end).length
    below.hidden = !model.frame_height || holder.scrollHeight <= holder.clientHeight + 4
    below.textContent = rest ? `↓ ${rest} of ${rows.length} lines are further down: scroll in the frame` : `The last of ${rows.length} lines`
    holder.toggleAttribute('data-more', !below.hidden && rest > 0)
  }
  holder.addEventListener('scroll', tell)
  new ResizeObserver(tell).observe(holder)

  function mark() {   // by the keys of the rows that stand there: a new choice may come before new lines
    if (!model.choosable) return
    const at = Math.max(0, rows.findIndex((row) => row.dataset.key === model.chosen))
    rows.forEach((row, i) => {
      const chosen = row.dataset.key === model.chosen
      row.tabIndex = i === at ? 0 : -1
      row.toggleAttribute('data-chosen', chosen)
      row.setAttribute('aria-current', String(chosen))
    })
  }

  function choose(i, focus) {
    const { key } = rows[i].dataset
    if (model.chosen !== key) model.chosen = key
    mark()
    if (focus) rows[i].focus({ preventScroll: !model.frame_height })
  }

  onArrow(table, (event) => {
    const at = rows.indexOf(el.getRootNode().activeElement)
    if (at < 0 || !['ArrowUp', 'ArrowDown', 'Home', 'End', 'Enter', ' '].includes(event.key)) return null
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? rows.length - 1
      : event.key === 'ArrowUp' ? Math.max(0, at - 1) : event.key === 'ArrowDown' ? Math.min(rows.length - 1, at + 1) : at
    choose(next, true)
    return next
  })
  onChange(model, ['lines', 'heads', 'foot', 'first', 'frame_height'], load)
  onState(model, ['chosen'], mark)
}
