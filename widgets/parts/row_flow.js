// One line a matrix. Hovering another token only writes other numbers into the cells that are there.
import { numbers, scale, scaleStrip, scaleStep, rgb, inkOn, colour, written, counted, make, symbolOf } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const head = make('div', { className: 'followed' }), who = make('span', { 'aria-live': 'polite' })
  const star = make('button', { type: 'button' }, '\u2605 Follow the class token')
  const body = make('div', { className: 'lines' })
  const part = frame(model, el, 'row-flow', draw)
  head.append(who, star)
  part.body.append(head, body)
  let values = [], picks = [], drawn = []

  function load() {
    values = numbers(model.values, 'float32'); picks = numbers(model.picks, 'int32')
    drawn = model.lines.map(build)
    body.replaceChildren(...drawn.map((line) => line.node))
    mark()
  }

  function build(line, i) {
    const shape = `${counted(line.rows)} \u00d7 ${counted(line.columns)}`
    const some = line.pick < 0 && !line.heads.length && line.shown < line.columns ? `, first ${line.shown} shown` : ''
    const symbol = symbolOf(line.symbol)
    symbol.style.color = colour(line.hue)
    const cells = make('div', { className: 'cells' }), made = []
    for (let c = 0; c < line.shown; c++) {
      const number = make('span', { className: 'mono number' }), under = make('span', { className: 'under' }, line.heads[c] ?? String(c))
      const cell = make('span', { className: 'cell' }, number, under)
      if (line.pick < 0 && !line.heads.length && !line.one) {
        cell.addEventListener('pointerenter', () => part.hover(part.current, [c]))
        cell.addEventListener('pointerleave', () => part.hover(null))
      }
      made.push({ cell, number, under }); cells.append(cell)
    }
    const bar = model.lines[i - 1]?.scale === line.scale ? null : scaleBar(line)
    const title = make('div', { className: 'name' }, symbol, make('span', { className: 'says' }, line.says), ...(bar ? [bar] : []), make('span', { className: 'shape' }, `${shape}${some}`))
    const node = make('div', { className: 'line' }, title, cells)
    return { node, symbol, cells: made, line }
  }

  function scaleBar(line) {
    const strip = scaleStrip(line.kind)
    return make('div', { className: 'scalebar' }, make('span', {}, written(line.low, 2)), strip, make('span', {}, written(line.high, 2) + (line.over ? ' and more' : '')))
  }

  function mark() {
    const last = model.tokens.length - 1
    const token = Math.min(part.current, last)
    part.root.dataset.token = token
    // before the class token is there, patch 0 stands in for it, as it does in the picture
    const first = model.class_button ? 0 : model.prefix
    const row = Math.max(token, first)
    const named = (t) => [...(t < model.prefix ? ['the '] : []), make('b', {}, model.tokens[t] ?? '')]
    who.replaceChildren(...(token < first ? ['You follow ', ...named(row), ` until the ${model.tokens[token]} joins.`]
      : first ? ['You follow ', ...named(row), `, row ${row - first} of its matrix.`]
      : drawn.length && drawn.every(({ line }) => line.one) ? ['The same for every token: the row of ', ...named(0), '.']
      : ['You follow ', ...named(token), `, row ${token} of z.`]))
    star.hidden = !model.class_button || model.prefix < 1 || token < model.prefix
    for (const { line, cells } of drawn) {
      const r = line.one ? 0 : Math.min(Math.max(row - line.first, 0), line.rows - 1)
      cells.forEach(({ cell, number, under }, c) => {
        const v = values[line.start + r * line.shown + c], background = scale(line.kind)[scaleStep(v, line.low, line.high)]
        number.textContent = written(v, line.digits)
        cell.style.background = rgb(background); cell.style.color = inkOn(background)
        if (line.pick >= 0) {
          const t = picks[line.pick + r * line.shown + c]
          under.textContent = t < 0 ? 'all others' : model.tokens[t]
        }
        cell.toggleAttribute('data-on', part.bus.columns.includes(c) && line.pick < 0 && !line.heads.length && !line.one)
      })
    }
  }

  function draw(what) {
    if (what === 'theme') return load()
    mark()
  }
  star.addEventListener('click', () => part.select(0))
  onChange(model, ['lines', 'values', 'picks', 'tokens', 'prefix', 'class_button'], load)
}
