// A matrix as numbers in a table (small) or as colours on a canvas (large).
import { numbers, scale, scaleStrip, scaleStep, rgb, inkOn, written, counted, make, symbolOf, ring } from 'vit/drawing'
import { frame, onChange, onPoint, arrow, onArrow } from 'vit/part'

export function render({ model, el }) {
  const head = make('div', { className: 'symbol' }), holder = make('div', { className: 'scroller' })
  const bar = make('div', { className: 'scalebar' }), readout = make('div', { className: 'readout', 'aria-live': 'polite' })
  const part = frame(model, el, 'matrix-view', draw)
  part.body.append(head, holder, bar, readout)
  let values = [], cell = null, cells = [], base = null, top = null

  const small = () => Math.max(model.rows, model.columns) <= model.written_out
  const headOf = (heads, i) => (heads[i] ?? String(i))
  const said = (v) => (Number.isNaN(v) ? '\u2013' : written(v, model.digits))   // a dash where there is no number
  const shade = (v) => scale(model.kind)[scaleStep(v, model.low, model.high)]
  const row = () => (model.follow ? Math.max(0, Math.min(model.rows - 1, part.current - model.row_offset)) : -1)

  function load() {
    values = numbers(model.values, model.number_kind)
    head.replaceChildren(symbolOf(model.symbol),
      make('span', { className: 'shape', textContent: `${counted(model.rows)} \u00d7 ${counted(model.columns)}: one row a ${model.row_name}, one column a ${model.column_name}` }))
    drawBar()
    small() ? buildTable() : buildHeat()
    mark()
  }

  function drawBar() {
    const strip = scaleStrip(model.kind)
    bar.replaceChildren(make('span', {}, written(model.low, model.digits)), strip, make('span', {}, written(model.high, model.digits) + (model.over ? ' and more' : '')))
  }

  function buildTable() {
    const table = make('table', { tabIndex: 0, 'aria-label': `${model.symbol}, ${model.rows} by ${model.columns}. Arrow keys move between cells.` })
    const first = make('tr', {}, make('th'))
    for (let c = 0; c < model.columns; c++) first.append(make('th', { scope: 'col' }, headOf(model.column_heads, c)))
    table.append(first); cells = []
    for (let r = 0; r < model.rows; r++) {
      const line = make('tr', {}, make('th', { scope: 'row' }, headOf(model.row_heads, r)))
      for (let c = 0; c < model.columns; c++) {
        const v = values[r * model.columns + c], background = shade(v)
        const td = make('td', { className: 'mono', textContent: said(v) })
        if (background) { td.style.background = rgb(background); td.style.color = inkOn(background) }
        td.addEventListener('pointerenter', () => point([r, c]))
        td.addEventListener('pointerdown', () => point([r, c]))
        line.append(td); cells.push(td)
      }
      table.append(line)
    }
    table.addEventListener('pointerleave', (e) => { if (e.pointerType !== 'touch') point(null) })
    keys(table); base = top = null
    holder.replaceChildren(table)
  }

  function buildHeat() {
    base = make('canvas', { width: model.columns, height: model.rows }); top = make('canvas', { width: 1040, height: model.heat_height })
    base.style.cssText = `height:${model.heat_height}px; image-rendering: pixelated`
    const heat = make('div', { className: 'heat layers', tabIndex: 0, role: 'application', 'aria-label': `${model.symbol}, ${model.rows} by ${model.columns}, drawn as colours. Arrow keys move between numbers.` }, base, top)
    drawHeat()
    onPoint(heat, (e) => {
      const box = heat.getBoundingClientRect()
      const c = Math.floor((e.clientX - box.left) / box.width * model.columns), r = Math.floor((e.clientY - box.top) / box.height * model.rows)
      point(r >= 0 && c >= 0 && r < model.rows && c < model.columns ? [r, c] : null)
    }, () => point(null))
    heat.addEventListener('click', () => { if (cell && model.follow) part.select(cell[0] + model.row_offset) })
    keys(heat); cells = []
    holder.replaceChildren(heat, make('div', { className: 'ends' }, make('span', {}, `${model.column_name} 0`), make('span', {}, counted(model.columns - 1))))
  }

  function drawHeat() {
    if (!base || !model.rows || !model.columns) return
    const g = base.getContext('2d'), image = g.createImageData(model.columns, model.rows), colours = scale(model.kind)
    for (let i = 0; i < values.length; i++) {
      const [r, gr, b] = colours[scaleStep(values[i], model.low, model.high)]
      image.data.set([r, gr, b, 255], i * 4)
    }
    g.putImageData(image, 0, 0)
  }

  function keys(node) {
    onArrow(node, (e) => {
      const at = cell ?? [Math.max(0, row()), 0]
      const next = arrow(e, at[0] * model.columns + at[1], model.rows * model.columns, model.columns)
      if (next === null) return null
      const to = [Math.floor(next / model.columns), next % model.columns]
      if (model.follow && to[0] !== at[0]) part.select(to[0] + model.row_offset)
      point(to)
      return next
    })
    node.addEventListener('blur', () => point(null))
  }

  function point(to) {
    cell = to
    part.hover(to && model.follow ? to[0] + model.row_offset : null, to ? [to[1]] : [])
    mark()
  }

  function mark() {
    const r = cell?.[0] ?? row(), columns = part.mine ? (cell ? [cell[1]] : []) : part.bus.columns
    if (small()) markTable(r, cell?.[1] ?? -1)
    else if (top) markHeat(r, columns)
    const c = cell?.[1] ?? columns[0]
    readout.textContent = r >= 0 && c !== undefined && c < model.columns
      ? `${model.row_name} ${headOf(model.row_heads, r)}, ${model.column_name} ${headOf(model.column_heads, c)}: ${said(values[r * model.columns + c])}`
      : r >= 0 ? `Marked: the row of ${model.row_name} ${headOf(model.row_heads, r)}. Hover a place to read its number.` : 'Hover a place to read its number.'
  }

  function markTable(r, c) {
    holder.querySelectorAll('th.on, td.on').forEach((n) => n.classList.remove('on'))
    if (r >= 0) holder.querySelectorAll('tr')[r + 1]?.firstChild.classList.add('on')
    if (c >= 0) { holder.querySelector('tr').children[c + 1].classList.add('on'); cells[r * model.columns + c].classList.add('on') }
  }

  function markHeat(r, columns) {
    const g = top.getContext('2d'), h = top.height / model.rows, w = top.width / model.columns
    g.clearRect(0, 0, top.width, top.height)
    top.dataset.row = r
    if (r >= 0) ring(g, 2, r * h - 2, top.width - 4, Math.max(h, 2) + 4, 2)
    for (const c of columns) ring(g, c * w - 2, r * h - 2, Math.max(w, 3) + 4, Math.max(h, 3) + 4, 2)
  }

  function draw(what) {
    if (what === 'theme') { drawBar(); small() ? buildTable() : drawHeat() }
    mark()
  }
  onChange(model, ['values', 'rows', 'columns', 'kind', 'low', 'high', 'over', 'symbol', 'digits', 'row_heads', 'column_heads'], load)
}
