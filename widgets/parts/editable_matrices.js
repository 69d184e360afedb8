// Matrices that make one another. Python writes every number and every sum; here they are shown, marked and edited.
import { scale, scaleStrip, scaleStep, rgb, inkOn, make, symbolOf } from 'vit/drawing'
import { frame, onChange, onState, arrow } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'editable-matrices', draw)
  const sheet = make('div'), bubble = make('div', { className: 'bubble', role: 'alert', hidden: true })
  const name = make('div', { className: 'name' }), made = make('div', { className: 'made mono' })
  const sum = make('div', { className: 'sum', 'aria-live': 'polite' }, name, made)
  part.body.append(sheet, bubble)
  part.root.dataset.lmSuppressShortcuts = 'true'
  let lines = [], shape = '', views = new Map(), pointed = null, editor = null

  // what is drawn -------------------------------------------------------------------------------------------
  function load() {
    lines = model.content ? JSON.parse(model.content) : []
    const now = JSON.stringify(lines.map((l) => [l.heading, l.beside, l.matrices.map((m) => [m.key, m.symbol, m.rows, m.columns, m.editable, m.hue, m.kind, m.note])]))
    if (now === shape) refresh()
    else { shape = now; build() }
    mark()
  }

  function build() {
    closeEditor(); views = new Map()
    const last = model.sum_after < 0 ? lines.length - 1 : model.sum_after
    const blocks = []   // of lines that may stand side by side, and the sum between two of them
    lines.forEach((line, n) => {
      const row = make('div', { className: 'row' }, ...line.matrices.map(buildMatrix))
      const drawn = make('div', { className: 'line' }, make('div', { className: 'heading', hidden: !line.heading }, ...subscripted(line.heading)), row)
      if (line.beside && blocks.length && blocks.at(-1) !== sum) blocks.at(-1).append(drawn)
      else blocks.push(make('div', { className: 'lines' }, drawn))
      if (n === last) blocks.push(sum)
    })
    sheet.replaceChildren(...blocks)
    for (const view of views.values()) paint(view)
  }

  function subscripted(text) {   // "W_q" as W with a subscript, within a sentence
    return text.split(/\b([A-Za-z]+_[a-z]+)\b/).map((piece, i) => {
      if (i % 2 === 0) return piece
      const [letter, below] = piece.split('_')
      return make('span', {}, letter, make('sub', {}, below))
    })
  }

  function buildMatrix(m) {
    const keys = `Arrow keys move between cells${m.editable ? ', Enter edits, Escape cancels, Control and Z undoes' : ''}.`
    const table = make('table', { role: 'grid', 'aria-label': `${m.symbol}, ${m.rows.length} by ${m.columns.length}. ${m.note} ${keys}` })
    const top = m.columns.map((text) => make('th', { scope: 'col' }, text)), tds = []
    table.append(make('tr', {}, make('th'), ...top))
    const side = m.rows.map((text, r) => {
      const head = make('th', { scope: 'row' }, text)
      const line = make('tr', {}, head, ...m.columns.map((_, c) => {
        const td = make('td', { className: 'mono', tabIndex: r || c ? -1 : 0, role: 'gridcell' })
        td.dataset.row = r; td.dataset.column = c
        tds.push(td)
        return td
      }))
      table.append(line)
      return head
    })
    const bar = make('div', { className: 'scalebar', hidden: !m.kind })
    const box = make('div', { className: `matrix ${m.editable ? 'editable' : ''}` },
      make('div', { className: 'head' }, symbolOf(m.symbol), make('span', {}, `${m.rows.length} \u00d7 ${m.columns.length}`), make('span', {}, m.note)),
      make('div', { className: 'scroller' }, table), bar)
    box.dataset.key = m.key
    box.style.setProperty('--hue', `var(--vit-${m.hue})`)
    views.set(m.key, { m, table, tds, top, side, bar })
    listen(m.key, table)
    return box
  }

  function refresh() {
    for (const m of lines.flatMap((line) => line.matrices)) {
      const view = views.get(m.key), before = view.m.cells
      view.m = m
      view.tds.forEach((td, i) => {
        const r = Math.floor(i / m.columns.length), c = i % m.columns.length
        td.classList.toggle('changed', before[r][c] !== m.cells[r][c])
      })
      paint(view)
    }
  }

  function paint({ m, tds, bar }) {
    tds.forEach((td, i) => {
      const r = Math.floor(i / m.columns.length), c = i % m.columns.length
      if (!editor || editor.td !== td) td.textContent = m.cells[r][c]
      td.classList.toggle('crossed', Boolean(m.crossed?.[r][c]))
      td.classList.toggle('tinted', Boolean(m.kind))
      if (!m.kind) return
      const background = scale(m.kind)[scaleStep(m.values[r][c], m.low, m.high)]
      td.style.background = rgb(background); td.style.color = inkOn(background)
    })
    if (!m.kind) return
    const strip = scaleStrip(m.kind)
    bar.replaceChildren(make('span', {}, m.ends[0]), strip, make('span', {}, m.ends[1]))
  }

  // what is pointed at --------------------------------------------------------------------------------------
  const cellOf = (text) => { const [key, r, c] = text.split(' '); return views.has(key) && r !== undefined ? { key, r: Number(r), c: Number(c) } : null }
  const tdOf = ({ key, r, c }) => { const view = views.get(key); return view && r < view.m.rows.length && c < view.m.columns.length ? view.tds[r * view.m.columns.length + c] : null }
  const at = (key, td) => ({ key, r: Number(td.dataset.row), c: Number(td.dataset.column) })

  function mark() {
    sheet.querySelectorAll('.on, .from').forEach((node) => { node.classList.remove('on', 'from') })
    const here = pointed ?? cellOf(model.chosen), td = here && tdOf(here)
    if (!td) { name.textContent = 'Point at a cell to see which numbers made it.'; made.textContent = ''; return }
    const { m, top, side } = views.get(here.key)
    td.classList.add('on'); top[here.c].classList.add('on'); side[here.r].classList.add('on')
    for (const [key, row, column] of m.made_of) markSource(views.get(key), pick(row, here), pick(column, here))
    write(m, here)
  }
  const pick = (which, { r, c }) => (which === 'i' ? r : which === 'j' ? c : null)

  function markSource(view, row, column) {
    if (!view) return
    view.tds.forEach((td) => {
      if ((row !== null && Number(td.dataset.row) !== row) || (column !== null && Number(td.dataset.column) !== column)) return
      td.classList.add('from'); td.style.setProperty('--from', `var(--vit-${view.m.hue})`)
    })
    if (row !== null) view.side[row].classList.add('on')
    if (column !== null) view.top[column].classList.add('on')
  }

  function write(m, { r, c }) {
    const where = [['row', m.rows[r]], ['column', m.columns[c]]].flatMap(([what, head]) => (head ? [`, ${what} ${head}`] : [])).join('')
    const pieces = m.sums?.[r]?.[c]
    name.replaceChildren(symbolOf(m.symbol), where, m.editable ? ': click it, or press Enter, to change it' : '')
    made.replaceChildren(...(pieces ?? []).map(([text, hue]) => {
      if (!hue) return document.createTextNode(text)
      const span = make('span', { textContent: text })
      span.style.color = `var(--vit-${hue})`
      return span
    }), pieces ? ` = ${m.cells[r][c]}` : m.cells[r][c])
  }

  function point(to) {
    if (pointed?.key === to?.key && pointed?.r === to?.r && pointed?.c === to?.c) return
    pointed = to
    mark()
  }

  function choose(key, td) {   // what a click or a key went to stays when the pointer leaves, and Python hears of it
    for (const other of views.get(key).tds) other.tabIndex = other === td ? 0 : -1
    const { r, c } = at(key, td)
    pointed = null
    if (model.chosen !== `${key} ${r} ${c}`) model.chosen = `${key} ${r} ${c}`
    mark()
  }

  // what is done --------------------------------------------------------------------------------------------
  function listen(key, table) {
    const tdUnder = (event) => event.target.closest?.('td')
    table.addEventListener('pointerover', (event) => { const td = tdUnder(event); if (td) point(at(key, td)) })
    table.addEventListener('pointerleave', (event) => { if (event.pointerType !== 'touch') point(null) })
    table.addEventListener('click', (event) => {
      const td = tdUnder(event)
      if (!td || event.target.tagName === 'INPUT') return
      td.focus({ preventScroll: true }); choose(key, td)
      if (views.get(key).m.editable) openEditor(key, td, null)
    })
    table.addEventListener('focusin', (event) => { const td = tdUnder(event); if (td && event.target === td) choose(key, td) })
    table.addEventListener('keydown', (event) => {
      const td = tdUnder(event)
      if (!td || event.target.tagName === 'INPUT' || !pressed(event, key, td)) return
      event.preventDefault(); event.stopPropagation()
    })
  }

  function pressed(event, key, td) {   // answers whether the key was ours
    const { m, tds } = views.get(key), { r, c } = at(key, td)
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') { model.send_msg({ undo: true }); return true }
    if (event.key === 'Escape') { bubble.hidden = true; return true }
    if (m.editable && (event.key === 'Enter' || event.key === 'F2')) { openEditor(key, td, null); return true }
    if (m.editable && (event.key === 'Delete' || event.key === 'Backspace')) { openEditor(key, td, ''); return true }
    const next = arrow(event, r * m.columns.length + c, tds.length, m.columns.length)
    if (next !== null) { hideRefusal(); tds[next].focus(); return true }
    if (m.editable && event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      openEditor(key, td, event.key)
      return true
    }
    return false
  }

  function openEditor(key, td, text) {
    closeEditor(); hideRefusal()
    const { m } = views.get(key), { r, c } = at(key, td), before = m.cells[r][c]
    const input = make('input', { type: 'text', inputMode: 'text', value: text ?? before, autocomplete: 'off', spellcheck: false, 'aria-label': `${m.symbol}, row ${m.rows[r]}, column ${m.columns[c]}` })
    editor = { td, input, before, key, r, c }
    td.replaceChildren(input)
    input.focus({ preventScroll: true })
    if (text === null) input.select()
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Tab') event.stopPropagation()
      if (event.key === 'Enter') { event.preventDefault(); commit(true) }
      if (event.key === 'Escape') { event.preventDefault(); closeEditor(); td.focus({ preventScroll: true }) }
    })
    input.addEventListener('blur', () => commit(false))
  }

  function closeEditor() {
    if (!editor) return
    const { td, key, r, c } = editor
    editor = null
    td.textContent = views.get(key)?.m.cells[r][c] ?? ''
  }

  function commit(stay) {
    if (!editor) return
    const { td, input, before, key, r, c } = editor, text = input.value
    closeEditor()
    if (stay) td.focus({ preventScroll: true })
    if (text.trim() !== before) model.send_msg({ key, row: r, column: c, text })
  }

  function hideRefusal() {
    bubble.hidden = true
    sheet.querySelectorAll('td.refused').forEach((td) => td.classList.remove('refused'))
  }

  function showRefusal() {
    hideRefusal()
    if (!model.refusal) return
    const { key, row, column, sentence } = JSON.parse(model.refusal), td = tdOf({ key, r: row, c: column })
    if (!td) return
    td.classList.add('refused')
    bubble.textContent = sentence
    bubble.hidden = false
    const cell = td.getBoundingClientRect(), body = part.body.getBoundingClientRect()
    bubble.style.left = `${Math.max(0, Math.min(cell.left - body.left, body.width - bubble.offsetWidth))}px`
    bubble.style.top = `${cell.bottom - body.top + 4}px`
  }

  function draw(what) {
    if (what === 'theme') for (const view of views.values()) paint(view)
  }
  onChange(model, ['content'], load)
  onChange(model, ['refusal'], showRefusal)
  onState(model, ['chosen'], mark)
}
