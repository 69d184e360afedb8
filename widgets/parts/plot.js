// Colours Bokeh's figure by the theme of the page, and moves a point through the data by arrow keys. Every label is Python's.
import { colour, make } from 'vit/drawing'
import { frame, onChange, onState, arrow, onArrow } from 'vit/part'

export function render({ model, el, view }) {
  const legend = make('div', { className: 'legend' }), holder = make('div', { className: 'figure', tabIndex: 0, role: 'application' })
  const readout = make('div', { className: 'readout', role: 'status' })
  const part = frame(model, el, 'plot', draw)
  holder.append(model.get_child('figure'))
  part.body.append(legend, holder, readout)
  let at = null, taps = 0, figure = null

  const find = () => (figure ??= view.model.document?.get_model_by_name(model.figure_name))
  // The look is the browser's own affair. Bokeh's setv would tell Python, in a notebook even with { sync: false }, and
  // Python refuses the way the browser writes a colour: so only its inner half, which changes and redraws.
  const quietly = (thing, values) => thing._setv(new Map(Object.entries(values).map(([name, value]) => [thing.properties[name], value])), {})

  function paint() {
    if (!find()) { requestAnimationFrame(paint); return }
    const muted = colour('muted'), line = colour('line'), ink = colour('ink')
    for (const axis of [...figure.below, ...figure.left]) {
      quietly(axis, { axis_label_text_color: muted, major_label_text_color: muted, axis_line_color: line, major_tick_line_color: line })
    }
    for (const thing of figure.center) {
      if ('grid_line_color' in thing.attributes) quietly(thing, { grid_line_color: line })
      else if ('text_color' in thing.attributes) quietly(thing, { text_color: ink })
      else if ('dimension' in thing.attributes) quietly(thing, { line_color: ink })
    }
    for (const mark of figure.renderers) {
      const hue = colour(mark.tags[0]), filled = 'fill_color' in mark.glyph.attributes
      quietly(mark.glyph, { line_color: hue, ...(filled && mark !== cursor() ? { fill_color: hue } : {}) })
    }
  }

  function list() {
    legend.replaceChildren(...model.legend.map((one) => {
      const swatch = make('span', { className: `swatch ${one.kind}${one.dash ? ' dash' : ''}`, textContent: one.sign })
      swatch.style.setProperty('--hue', `var(--vit-${one.hue})`)
      return make('span', { className: 'entry' }, swatch, one.name)
    }))
    legend.hidden = model.legend.length < 2
    name()
    at = null; say(''); place([], [])
    paint()
  }

  function name() {
    holder.setAttribute('aria-label', `${model.title || 'Plot'}: ${model.legend.map((one) => one.name).join(', ')}. Arrow keys read the points.`)
  }

  const cursor = () => figure.renderers.at(-1)   // Python puts it behind the series
  const data = (s) => figure.renderers[s].data_source.data
  function move(event) {
    if (!find() || figure.renderers.length < 2) return null
    const [s, i] = at ?? [0, -1], count = figure.renderers.length - 1
    if (event.key === 'Enter' && at && model.tappable) { choose(s, i); return true }
    const turns = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const series = turns ? (s + turns + count) % count : s
    const points = data(series).x.length
    const next = turns ? Math.min(Math.max(i, 0), points - 1) : arrow(event, Math.max(i, 0), points, points)
    if (next === null) return null
    at = [series, at || turns || event.key === 'End' ? next : 0]   // the first key goes to the first point
    tell()
    return true
  }
  function tell() {
    const { x, y, label } = at[0] < figure.renderers.length - 1 ? data(at[0]) : { x: [] }
    if (at[1] >= x.length) at = null
    place(at ? [x[at[1]]] : [], at ? [y[at[1]]] : [])
    say(at ? label[at[1]] : '')
  }
  const place = (x, y) => { if (find() && figure.renderers.length) quietly(cursor().data_source, { data: { x, y } }) }
  function say(text) {
    readout.textContent = text; readout.hidden = !text
    holder.dataset.series = at?.[0] ?? ''; holder.dataset.point = at?.[1] ?? ''
  }
  const choose = (s, i) => { model.tap = [s, i, ++taps] }

  function listen() {
    if (!find()) { requestAnimationFrame(listen); return }
    figure.properties.renderers.change.connect(() => { paint(); watch(); if (at) tell() })   // the legend may have come first
    figure.properties.center.change.connect(paint)
    watch()
  }
  const watched = new Set()
  function watch() {
    figure.renderers.slice(0, -1).forEach((mark, s) => {
      if (watched.has(mark.id)) return
      watched.add(mark.id)
      mark.data_source.properties.data.change.connect(() => { if (at?.[0] === s) tell() })   // other numbers: say them
      mark.data_source.selected.properties.indices.change.connect(() => {
        const [i] = mark.data_source.selected.indices
        if (i === undefined) return
        quietly(mark.data_source.selected, { indices: [] })
        choose(s, i)
      })
    })
  }

  function draw(what) { if (what === 'theme') paint() }
  onArrow(holder, move)
  onChange(model, ['legend'], list)
  onState(model, ['title'], name)
  listen()
}
