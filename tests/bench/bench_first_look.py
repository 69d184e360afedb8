"""How soon a visitor sees the first step, and how soon the next one, on the served pages once the server is warm."""

from __future__ import annotations

import time
from statistics import median

import panel as pn
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium
from tests.browser.served import address_of
from widgets import app

ROUNDS = 7
# Time from a key press until the words of the next step, written in Python, stand on the page.
STEP = """async () => {
  const find = (root, test) => { for (const e of root.querySelectorAll('*')) { if (test(e)) return e
    const in_ = e.shadowRoot && find(e.shadowRoot, test); if (in_) return in_ } }
  const map = find(document, e => e.classList.contains('map')), flow = find(document, e => e.classList.contains('lines'))
  return await new Promise((done) => {
    const t = performance.now()
    new MutationObserver((_, o) => { o.disconnect(); requestAnimationFrame(() => done(performance.now() - t)) }).observe(flow, { childList: true })
    map.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
  })
}"""


def run() -> dict[str, str]:
    """First step on the screen, for the chapter and for the widget alone, and one step on for two models."""
    pn.serve({"app": app.page}, port=0, threaded=True, show=False)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
            figures = {}
            for name, query in (("chapter 00", "?chapter=00"), ("ForwardStepper alone", "?widget=ForwardStepper")):
                _open(browser, query)  # the first visit loads libraries and weights: what --warm does
                times = [_open(browser, query) for _ in range(ROUNDS)]
                figures[f"{name}, first step on screen (promised: under 2.5 s)"] = f"median {median(times):.2f} s, largest {max(times):.2f} s"
            for model in ("hand-set", "checkpoint"):
                figures[f"next step, {model} (key press to new rows)"] = _step(browser, model)
            browser.close()
        return figures
    finally:
        pn.state.kill_all_servers()


def _open(browser: Browser, query: str) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    start = time.perf_counter()
    page.goto(f"{address_of()}/app{query}")
    _first_step(page)
    seconds = time.perf_counter() - start
    page.wait_for_timeout(3000)  # the cells after it, so that the next visit is not measured beside them
    page.close()
    return seconds


def _first_step(page: Page) -> None:
    page.locator(".part.step-bar[data-step]").wait_for(timeout=120_000)
    page.locator(".part.patch-pixels .whole canvas").first.wait_for(timeout=120_000)


def _step(browser: Browser, model: str) -> str:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address_of()}/app?widget=ForwardStepper&model={model}")
    page.locator(".part.step-bar[data-step]").wait_for(timeout=120_000)
    page.wait_for_timeout(1500)
    times = []
    for _ in range(20):
        times.append(page.evaluate(STEP))
        page.wait_for_timeout(300)
    page.close()
    return f"median {median(times):.0f} ms, largest {max(times):.0f} ms (n={len(times)})"
