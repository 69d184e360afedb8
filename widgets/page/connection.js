// Says it on the page when the server no longer answers it, and offers the same view again. Bokeh could connect anew,
// but not to a page whose parts hold bytes, as ours do: it drops them on the way.
function vitWatch(session) {
  const bar = document.querySelector('.vit-lost'), words = bar.querySelector('span'), again = bar.querySelector('button')
  const LOOK = 60000, SOON = 3000, ASLEEP = 20000   // ms: between looks, between looks while lost, a timer late by this has slept
  const url = location.pathname.replace(/\/$/, '') + '/ws'
  let lost = false     // for good: the socket has closed, or the server does not know this page any more
  let known = false    // the server has said once that it knows this page, so that its silence means something
  const begun = Date.now()
  let looking = null

  function say(text, button) {
    again.hidden = !button
    if (words.textContent !== text) words.textContent = text
    bar.hidden = !text
  }
  async function ask() {   // "here", "gone" or "away"
    try {
      const answer = await fetch(url, { headers: { 'Vit-Session': session }, cache: 'no-store' })
      if (answer.status >= 500 || answer.status === 429) return 'away'
      return answer.ok && (await answer.json()).here ? 'here' : 'gone'
    } catch { return 'away' }
  }
  async function look() {
    clearTimeout(looking)
    const found = await ask()
    known ||= found === 'here'
    lost ||= known && found === 'gone'
    if (found === 'away' && (known || lost)) say('The connection to the server is lost: nothing here is answered any more. This page looks for the server every few seconds.', false)
    else if (lost) say('The server no longer knows this page, so nothing here is answered. What the address does not hold, such as a picture of your own, has to be given again.', true)
    else if (!window.Bokeh?.documents.length && Date.now() - begun > LOOK) say('This page has no live connection to the server, so its widgets cannot answer. A proxy on the way may hold websockets back.', true)
    else say('', false)
    plan(lost || found === 'away' ? SOON : LOOK)
  }
  function plan(ms) {
    clearTimeout(looking)
    looking = setTimeout(look, ms)
  }
  let ticked = Date.now()
  setInterval(() => {
    if (Date.now() - ticked > ASLEEP) look()
    ticked = Date.now()
  }, 5000)
  let leaving = false
  addEventListener('beforeunload', () => { leaving = true; setTimeout(() => { leaving = false }, 5000) })
  addEventListener('pageshow', (event) => { if (event.persisted) look() })
  addEventListener('online', look)
  document.addEventListener('visibilitychange', () => { if (!document.hidden) look() })
  again.addEventListener('click', () => location.reload())
  window.vitLost = () => { if (!leaving) { lost = true; look() } }
  plan(SOON)
}
