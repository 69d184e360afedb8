// Fields with names. Python decides what is possible; here a refused text stays where it was typed, with the reason.
import { make, symbolOf } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'field-sheet', () => {})
  const front = make('div', { className: 'fields' }), back = make('div', { className: 'fields' })
  const fold = make('details', {}, make('summary', {}), back)
  const stale = make('div', { className: 'stale', role: 'status' })   // what is shown elsewhere is of another text than the one in red
  part.body.append(front, fold, stale)
  part.root.dataset.lmSuppressShortcuts = 'true'
  let views = new Map(), shape = ''
  const over = new Map()   // key: the refusal that Escape took back, which must not return with the next one
  const send = (changes) => model.send_msg({ changes })

  function build() {
    views = new Map()
    const boxes = model.fields.map((field) => {
      const id = `f-${field.key}`, input = field.options.length ? make('select', { id }) : make('input', { id, type: 'text', inputMode: field.text ? 'text' : 'decimal', autocomplete: 'off', spellcheck: false })
      for (const [value, text] of field.options) input.append(make('option', { value }, text))
      const label = make('label', { htmlFor: id }, ...(field.symbol ? [symbolOf(field.symbol), ' '] : []), field.name)
      const note = make('div', { className: 'note' }), why = make('div', { className: 'why', role: 'alert' })
      const box = make('div', { className: 'field' }, label, input, note, why)
      input.addEventListener('input', () => { views.get(field.key).typing = true })   // an answer to an earlier text must not replace it
      input.addEventListener('change', () => { views.get(field.key).typing = false; send({ [field.key]: input.value }) })
      input.addEventListener('blur', () => {   // typed and taken back: there is no change to send, and the field follows again
        if (views.get(field.key).typing) { views.get(field.key).typing = false; load() }
      })
      input.addEventListener('keydown', (event) => {
        event.stopPropagation()   // JupyterLab would take the keys
        if (event.key === 'Escape') { views.get(field.key).typing = false; input.value = views.get(field.key).field.value; over.set(field.key, model.refusals[field.key]?.count); unmark(field.key) }
      })
      views.set(field.key, { field, box, input, note, why, count: 0, typing: false })
      return [field.more, box]
    })
    front.replaceChildren(...boxes.filter(([more]) => !more).map(([, box]) => box))
    back.replaceChildren(...boxes.filter(([more]) => more).map(([, box]) => box))
    fold.hidden = !back.children.length
  }

  function put(view, text) { if (!view.typing) view.input.value = text }

  function unmark(key) {
    const { box, input, why } = views.get(key)
    box.classList.remove('refused'); input.removeAttribute('aria-invalid'); why.replaceChildren()
    sayStale()
  }

  function sayStale() {
    const text = [...views.values()].some(({ box }) => box.classList.contains('refused')) ? model.stale : ''
    if (stale.textContent !== text) stale.textContent = text
    stale.hidden = !text
  }

  function load() {
    const now = JSON.stringify(model.fields.map((f) => [f.key, f.symbol, f.name, f.options, f.more, f.text]))
    if (now !== shape) { shape = now; build() }
    for (const field of model.fields) {
      const view = views.get(field.key), refusal = model.refusals[field.key]
      view.field = field
      view.note.textContent = field.note ?? ''
      if (!refusal || refusal.count === over.get(field.key)) { put(view, field.value); unmark(field.key); continue }
      if (view.count === refusal.count && view.box.classList.contains('refused')) continue
      view.count = refusal.count
      put(view, field.options.length ? field.value : refusal.typed)
      view.box.classList.add('refused'); view.input.setAttribute('aria-invalid', 'true')
      const offers = refusal.offers.map(([text, changes]) => {
        const button = make('button', { type: 'button' }, text)
        button.addEventListener('click', () => { send(changes); view.input.focus() })
        return button
      })
      view.why.replaceChildren(make('span', {}, refusal.sentence), ...(offers.length ? [make('div', { className: 'offers' }, make('span', {}, 'Possible: '), ...offers)] : []))
      if (field.more) fold.open = true
    }
    fold.firstChild.textContent = model.fold
    sayStale()
  }
  onChange(model, ['fields', 'refusals', 'fold'], load)
}
