// A walk of many steps. The bar answers at once and tells Python; Python's late answers do not throw it back.
import { make } from 'vit/drawing'
import { onAnswer, choose, frame, onChange, onState, onArrow } from 'vit/part'

export function render({ model, el }) {
  const part = frame(model, el, 'step-bar', () => {})
  const map = make('div', { className: 'map', tabIndex: 0, role: 'group' })
  const blocks = make('div', { className: 'blocks' }), chips = make('div', { className: 'chips' })
  const back = make('button', { type: 'button', className: 'back' }, '\u25C0 Previous'), on = make('button', { type: 'button', className: 'on' }, 'Next \u25B6')
  const play = make('button', { type: 'button', className: 'play', 'aria-pressed': 'false' }, 'Play')
  const slide = make('input', { type: 'range', min: 0, step: 1 }), where = make('span', { className: 'where', 'aria-live': 'polite' })
  const why = make('div', { className: 'why' }), meaning = make('span', { className: 'meaning' })
  map.append(blocks, make('div', { className: 'inside' }, chips, meaning))
  part.body.append(map, make('div', { className: 'ways' }, back, play, on, slide, where), why)
  const walk = {}, still = matchMedia('(prefers-reduced-motion: reduce)')
  let steps = [], starts = [], at = 0, timer = null, later = null

  function load() {
    steps = []; starts = []
    model.blocks.forEach((block, b) => {
      starts.push(steps.length)
      for (const step of block.steps) steps.push({ block: b, name: Array.isArray(step) ? step[0] : step, mark: Array.isArray(step) ? step[1] : '' })
    })
    slide.max = Math.max(0, steps.length - 1)
    meaning.textContent = model.mark_means
    blocks.replaceChildren(...model.blocks.map((block, b) => {
      const button = make('button', { type: 'button', tabIndex: -1, title: `${block.name}: ${block.steps.length} steps`, 'aria-label': block.name }, block.label ?? block.name)
      button.addEventListener('click', () => go(starts[b]))
      return button
    }))
    const [step, number] = model.choice
    at = Math.min(number < walk.number ? at : step, Math.max(0, steps.length - 1))
    draw()
  }

  function draw() {
    const here = steps[at]
    if (!here) return
    const done = new Set(model.done)
    ;[...blocks.children].forEach((button, b) => {
      button.toggleAttribute('data-here', b === here.block)
      b === here.block ? button.setAttribute('aria-current', 'step') : button.removeAttribute('aria-current')
    })
    const first = starts[here.block]
    const inside = model.blocks[here.block].steps.map((_, i) => {
      const n = first + i, step = steps[n]
      const chip = make('button', { type: 'button', tabIndex: -1 }, `${step.name}${step.mark ? ' ' + step.mark : ''}`)
      chip.toggleAttribute('data-here', n === at); chip.toggleAttribute('data-done', done.has(n)); chip.title = done.has(n) ? 'You have been through this step' : ''
      if (n === at) chip.setAttribute('aria-current', 'step')
      chip.addEventListener('click', () => go(n))
      return chip
    })
    chips.replaceChildren(...inside)
    slide.value = at
    const said = `Step ${at + 1} of ${steps.length}`
    where.textContent = said
    slide.setAttribute('aria-label', 'Step'); slide.setAttribute('aria-valuetext', `${said}: ${model.blocks[here.block].name}, ${here.name}`)
    map.setAttribute('aria-label', `${said}: ${model.blocks[here.block].name}, ${here.name}. Left and right arrow keys go through the steps, Home and End to the ends.`)
    back.disabled = at === 0; on.disabled = at === steps.length - 1
    part.root.dataset.step = at
    drawPlay()
  }

  function drawPlay() {
    const playing = timer !== null
    play.textContent = playing ? '\u275A\u275A Pause' : '\u25B6 Play'
    play.setAttribute('aria-pressed', String(playing))
    play.disabled = still.matches || (!playing && at === steps.length - 1)
    why.hidden = !still.matches
    why.textContent = still.matches ? 'Play is off, since your system asks for less motion. Use Next.' : ''
    part.root.dataset.playing = playing
  }

  function go(to, wait = 0) {
    to = Math.max(0, Math.min(steps.length - 1, to))
    if (to === at) return
    at = to
    draw()
    clearTimeout(later)   // a slider that is dragged passes many steps; only where it rests is asked for
    later = setTimeout(tell, wait)
  }
  function tell() {
    if (model.choice[0] !== at) choose(model, walk, at)
  }

  function stop() { if (timer !== null) { clearInterval(timer); timer = null; drawPlay() } }
  function start() {
    if (still.matches) return
    timer = setInterval(() => { go(at + 1); if (at === steps.length - 1) stop() }, model.pace * 1000)
    drawPlay()
  }

  play.addEventListener('click', () => (timer === null ? start() : stop()))
  back.addEventListener('click', () => go(at - 1))
  on.addEventListener('click', () => go(at + 1))
  slide.addEventListener('input', () => go(Number(slide.value), 60))
  onArrow(map, (e) => {
    if (e.metaKey || e.altKey || e.ctrlKey) return null
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[e.key]
    if (to !== undefined) go(to)
    return to
  })
  // any other input ends playing, wherever on the page it falls
  const ours = (event) => event.composedPath().includes(play) && (!event.key || event.key === ' ' || event.key === 'Enter')
  const interrupt = (event) => { if (timer !== null && !ours(event) && event.key !== 'Tab') stop() }
  for (const kind of ['pointerdown', 'keydown', 'wheel']) document.addEventListener(kind, interrupt, { capture: true, passive: true })
  still.addEventListener('change', () => { if (still.matches) stop(); drawPlay() })
  model.on('remove', () => {
    clearInterval(timer); clearTimeout(later)
    for (const kind of ['pointerdown', 'keydown', 'wheel']) document.removeEventListener(kind, interrupt, { capture: true })
  })
  onAnswer(model, walk, (step) => {
    if (step === at) return
    stop(); at = Math.min(step, steps.length - 1); draw()
  })
  onState(model, ['done'], draw)
  onChange(model, ['blocks', 'mark_means'], load)
}
