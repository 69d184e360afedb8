// One question: radio buttons or a field, a button that commits, and what is said about it. Python judges.
import { curvePlot } from 'vit/curve'
import { make } from 'vit/drawing'
import { frame, onChange } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'ask', () => {})
  const form = make('form', { autocomplete: 'off', noValidate: true })
  const group = make('fieldset'), legend = make('legend'), answers = make('div', { className: 'answers' })
  const problem = make('p', { className: 'problem', role: 'alert' }), offers = make('div', { className: 'offers' })
  const commit = make('button', { type: 'submit', className: 'main' })
  const aside = make('button', { type: 'button', className: 'aside' })
  const feedback = make('div', { className: 'feedback', role: 'status', tabIndex: -1 })
  group.append(legend, answers, problem, offers)
  const row = make('div', { className: 'row' }, commit, aside)
  form.append(group, row, feedback)
  part.body.append(form)
  form.addEventListener('keydown', (event) => event.stopPropagation())   // a notebook's shortcuts are plain letters
  let inputs = [], curve = null, answering = false

  function build() {
    legend.innerHTML = model.text
    if (model.kind === 'number') {
      const field = make('input', { type: 'text', inputMode: 'decimal', value: model.typed, 'aria-label': 'Your guess' })
      answers.replaceChildren(make('label', { className: 'field' }, field, make('span', {}, model.unit)))
      inputs = [field]
    } else if (model.kind === 'curve') {
      curve = curvePlot(model)
      answers.replaceChildren(curve.node)
      inputs = curve.handles
    } else {
      inputs = model.choices.map((_, i) => make('input', { type: 'radio', name: 'choice', value: String(i) }))
      answers.replaceChildren(...model.choices.map((html, i) => {
        const words = make('span', { className: 'words' }), mark = make('span', { className: 'mark', 'aria-hidden': 'true' })
        words.innerHTML = html
        inputs[i].addEventListener('keydown', radioKey)
        return make('label', { className: 'choice' }, inputs[i], words, mark)
      }))
    }
    state()
  }

  function radioKey(event) {   // arrows choose, Enter commits
    if (event.key === 'Enter') { event.preventDefault(); form.requestSubmit() }
  }

  function state() {
    inputs.forEach((input, i) => {
      if (model.kind === 'curve') return
      input.disabled = model.locked
      if (model.kind === 'choice') {
        input.checked = model.picked === i
        const mark = model.marks[i] ?? '', label = input.parentElement
        label.dataset.mark = mark
        label.querySelector('.mark').textContent = { right: '\u2713 right', wrong: '\u2717 no', yours: '\u2190 yours' }[mark] ?? ''
      } else if (!input.matches(':focus')) input.value = model.typed
      input.setAttribute('aria-invalid', String(Boolean(model.problem)))
    })
    if (model.kind === 'curve') curve.mark()
    problem.textContent = model.problem; problem.hidden = !model.problem
    offers.replaceChildren(...model.offers.map((text) => {
      const button = make('button', { type: 'button' }, text)
      button.addEventListener('click', () => { answering = true; model.send_msg({ typed: text }) })
      return button
    }))
    offers.hidden = !model.offers.length
    commit.textContent = model.commit_label; commit.hidden = model.locked || !model.commit_label
    aside.textContent = model.aside_label; aside.hidden = !model.aside_label
    if (model.locked) feedback.after(row); else feedback.before(row)   // what was asked next comes after what was said
    const said = feedback.dataset.html ?? ''
    feedback.innerHTML = feedback.dataset.html = model.feedback; feedback.dataset.tone = model.tone; feedback.hidden = !model.feedback
    // What was pressed is gone or disabled by now, maybe for a while: take the keyboard to the answer, unless the
    // reader has gone on to something else.
    const at = el.getRootNode().activeElement
    if (answering && model.feedback && said !== model.feedback) {
      answering = false
      if (at ? form.contains(at) : document.activeElement === document.body) feedback.focus({ preventScroll: true })
    }
    if (model.problem && model.kind === 'number') inputs[0].focus({ preventScroll: true })
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (model.locked) return
    answering = true
    if (model.kind === 'curve') model.send_msg({ points: curve.points() })
    else if (model.kind === 'number') model.send_msg({ typed: inputs[0].value })
    else model.send_msg({ picked: inputs.findIndex((input) => input.checked) })
  })
  aside.addEventListener('click', () => { answering = true; model.send_msg({ aside: true }) })
  onChange(model, ['text', 'kind', 'choices', 'unit', 'axes'], build)
  onChange(model, ['typed', 'picked', 'marks', 'locked', 'problem', 'offers', 'points', 'answer_points', 'commit_label', 'aside_label', 'feedback', 'tone'], state)
}
