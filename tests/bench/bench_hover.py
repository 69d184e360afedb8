"""What a hover and a click cost in Chromium, on the widget alone as it is served."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.bench.hosted import hosted, new_page
from tests.bench.promises import Figure, Promise, spread

# Time to handle one pointer move in every part of the page, and to have the canvases drawn: reading one pixel back
# waits for the drawing, which the browser may otherwise put off past the end of the handler.
HOVER = """async (places) => {
  const all = (root, out = []) => { for (const e of root.querySelectorAll('*')) {
    if (e.tagName === 'CANVAS') out.push(e)
    if (e.shadowRoot) all(e.shadowRoot, out) } return out }
  const canvases = all(document), grid = canvases[0].parentElement, box = grid.getBoundingClientRect(), times = []
  for (const [x, y] of places) {
    const t = performance.now()
    grid.dispatchEvent(new PointerEvent('pointermove',
      { clientX: box.x + x * box.width, clientY: box.y + y * box.height, bubbles: true }))
    for (const c of canvases) c.getContext('2d').getImageData(0, 0, 1, 1)
    times.push(performance.now() - t)
    await new Promise(requestAnimationFrame)
  }
  return times
}"""
# Time from a click until the text that Python wrote in answer stands on the page.
CLICK = """async ([x, y]) => {
  const find = (root, test) => { for (const e of root.querySelectorAll('*')) { if (test(e)) return e
    const in_ = e.shadowRoot && find(e.shadowRoot, test); if (in_) return in_ } }
  const grid = find(document, e => e.classList.contains('layers')), words = find(document,
    e => e.tagName === 'DETAILS' && e.textContent.includes('In words'))
  const box = grid.getBoundingClientRect()
  return await new Promise((done) => {
    const t = performance.now()
    new MutationObserver((_, o) => { o.disconnect(); done(performance.now() - t) }).observe(words, { subtree: true,
      childList: true, characterData: true })
    grid.dispatchEvent(new MouseEvent('click',
      { clientX: box.x + x * box.width, clientY: box.y + y * box.height, bubbles: true }))
  })
}"""


def run() -> dict[str, Figure]:
    """Hover over 16 px and 8 px patches, and clicks; milliseconds."""
    with hosted() as (browser, address):
        return _measure(new_page(browser), f"{address}?widget=PatchHover")


def _measure(page: Page, address: str) -> dict[str, Figure]:
    frames: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.goto(address)
    page.locator(".part.picture-grid .layers").wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    places = [[(i * 37 % 100 + 0.5) / 100, (i * 61 % 100 + 0.5) / 100] for i in range(300)]
    page.evaluate(HOVER, places[:50])  # the first readings make the browser move its canvases to memory
    before = len(frames)
    figures = {"hover, 16 px patches": spread(page.evaluate(HOVER, places), p95=8)}
    sent = len(frames) - before
    figures["websocket messages sent by 300 hovers"] = Figure(sent, (Promise("number", sent, 0, "messages"),))
    clicks = [page.evaluate(CLICK, place) for place in places[1:61]]  # the first place is selected already
    figures["click to Python and back"] = spread(clicks, median=40)
    page.get_by_role("radio", name="8", exact=True).check(force=True)
    page.get_by_text("patches of 8 px").wait_for()
    figures["hover, 8 px patches"] = spread(page.evaluate(HOVER, places))
    return figures
