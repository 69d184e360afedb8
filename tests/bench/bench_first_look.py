"""How soon a visitor sees the first step, and how soon the next one, on the served pages once the server is warm."""

from __future__ import annotations

import time
from statistics import median

from playwright.sync_api import Browser, Page

from tests.bench.hosted import hosted, new_page
from tests.bench.promises import Figure, Promise, spread

ROUNDS = 7
# Time from a key press until the words of the next step, written in Python, stand on the page.
STEP = """async () => {
  const find = (root, test) => { for (const e of root.querySelectorAll('*')) { if (test(e)) return e
    const in_ = e.shadowRoot && find(e.shadowRoot, test); if (in_) return in_ } }
  const map = find(document, e => e.classList.contains('map')), flow = find(document,
    e => e.classList.contains('lines'))
  return await new Promise((done) => {
    const t = performance.now()
    new MutationObserver((_, o) => { o.disconnect(); requestAnimationFrame(() => done(performance.now() - t)) })
      .observe(flow, { childList: true })
    map.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  })
}"""


def run() -> dict[str, Figure]:
    """First step on the screen, for the chapter and for the widget alone, and one step on for two models."""
    figures = {}
    with hosted() as (browser, address):
        for name, query in (("chapter 00", "?chapter=00"), ("ForwardStepper alone", "?widget=ForwardStepper")):
            _open(browser, address + query)  # the first visit loads libraries and weights: what --warm does
            times = [_open(browser, address + query) for _ in range(ROUNDS)]
            shown = f"median {median(times):.2f} s, largest {max(times):.2f} s (n={ROUNDS})"
            figures[f"{name}, first step on screen"] = Figure(shown, (Promise("median", median(times), 2.5, "s"),))
        for model in ("hand-set", "checkpoint"):
            figures[f"next step, {model} (key press to new rows)"] = _step(
                browser, f"{address}?widget=ForwardStepper&model={model}"
            )
    return figures


def _open(browser: Browser, address: str) -> float:
    page = new_page(browser)
    start = time.perf_counter()
    page.goto(address)
    _first_step(page)
    seconds = time.perf_counter() - start
    page.wait_for_timeout(3000)  # the cells after it, so that the next visit is not measured beside them
    page.close()
    return seconds


def _first_step(page: Page) -> None:
    page.locator(".part.step-bar[data-step]").wait_for(timeout=120_000)
    page.locator(".part.patch-pixels .whole canvas").first.wait_for(timeout=120_000)


def _step(browser: Browser, address: str) -> Figure:
    page = new_page(browser)
    page.goto(address)
    page.locator(".part.step-bar[data-step]").wait_for(timeout=120_000)
    page.wait_for_timeout(1500)
    times = []
    for _ in range(20):
        times.append(page.evaluate(STEP))
        page.wait_for_timeout(300)
    page.close()
    return spread(times)
