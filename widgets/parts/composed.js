// Paints HoloViews' Bokeh figures by the theme of the page. What they show, and which colour means what, is Python's.
import { colour, make } from 'vit/drawing'
import { frame } from 'vit/part'

export function render({ model, el, view }) {
  const part = frame(model, el, 'composed', paint)
  const holder = make('div', { className: 'drawing' })
  holder.style.overflowX = 'auto'   // two figures side by side are wider than a phone
  holder.append(model.get_child('drawing'))
  part.body.append(holder)
  const meant = new WeakMap()   // glyph -> which of its colours is which of the course's

  // As in plot.js: the look is the browser's own affair, so Python is not told.
  const quietly = (thing, values) => {
    const known = Object.entries(values).filter(([name]) => name in thing.properties)
    thing._setv(new Map(known.map(([name, value]) => [thing.properties[name], value])), {})
  }
  const models = () => [...(view.model.document?._all_models.values() ?? [])]
  const figures = () => models().filter((one) => one.tags?.includes(model.tag) && one.below)

  function names(glyph) {
    if (!meant.has(glyph)) {
      const found = {}
      for (const field of ['line_color', 'fill_color']) {
        const set = glyph.attributes[field], value = set?.value ?? set
        if (typeof value === 'string' && value.toLowerCase() in model.hues) found[field] = model.hues[value.toLowerCase()]
      }
      meant.set(glyph, found)
    }
    return Object.entries(meant.get(glyph))
  }

  function paint(why, again = 100) {
    const found = figures()
    if (!found.length && again) { requestAnimationFrame(() => paint(why, again - 1)); return }
    const muted = colour('muted'), line = colour('line'), ink = colour('ink')
    for (const figure of found) {
      for (const axis of [...figure.below, ...figure.left]) {
        quietly(axis, { axis_label_text_color: muted, major_label_text_color: muted, axis_line_color: line,
          major_tick_line_color: line, minor_tick_line_color: line })
      }
      for (const thing of [...figure.right, ...figure.center]) {
        quietly(thing, { grid_line_color: line, label_text_color: ink, major_label_text_color: muted,
          title_text_color: ink, background_fill_color: null, border_line_color: null })
      }
      if (figure.title) quietly(figure.title, { text_color: ink })
      quietly(figure, { outline_line_color: line })
      for (const mark of figure.renderers) {
        for (const glyph of [mark.glyph, mark.selection_glyph, mark.nonselection_glyph, mark.muted_glyph]) {
          if (glyph?.attributes) quietly(glyph, Object.fromEntries(names(glyph).map(([field, name]) => [field, colour(name)])))
        }
      }
    }
    for (const bar of models()) if ('logo' in (bar.properties ?? {}) && bar.attributes.logo) quietly(bar, { logo: null })
  }
  paint()
}
