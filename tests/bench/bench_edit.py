"""What an edit costs in Chromium: from Enter in a cell of AttentionCalculator until the new numbers stand on the
page."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.bench.hosted import hosted, new_page
from tests.bench.promises import Figure, spread

# Opens a cell, writes a number and presses Enter; ends when a cell of O has changed and the page has been drawn.
EDIT = """async ([row, column, text]) => {
  const find = (root, test) => { for (const e of root.querySelectorAll('*')) { if (test(e)) return e
    const in_ = e.shadowRoot && find(e.shadowRoot, test); if (in_) return in_ } }
  const sheet = find(document, e => e.classList.contains('editable-matrices'))
  const td = sheet.querySelector(`[data-key=X] td[data-row="${row}"][data-column="${column}"]`)
  td.click()
  const input = td.querySelector('input'); input.value = text
  return await new Promise((done) => {
    const t = performance.now()
    new MutationObserver((_, o) => { o.disconnect(); done(performance.now() - t) }).observe(
      sheet.querySelector('[data-key=O]'), { subtree: true, childList: true, characterData: true, attributes: true })
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  })
}"""


def run() -> dict[str, Figure]:
    """Sixty edits of each example; milliseconds."""
    with hosted() as (browser, address):
        return _measure(new_page(browser), f"{address}?widget=AttentionCalculator")


def _measure(page: Page, address: str) -> dict[str, Figure]:
    page.goto(address)
    page.locator(".editable-matrices [data-key=O] td").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    figures = {"edit, 4 tokens and one head": spread(_edits(page), median=40, p95=100)}
    page.get_by_label("Start from").select_option(label="pencil example, two heads")
    page.locator(".editable-matrices [data-key=MSA] td").first.wait_for()
    page.wait_for_timeout(500)
    figures["edit, pencil example with two heads"] = spread(_edits(page))
    return figures


def _edits(page: Page) -> list[float]:
    times = []
    for n in range(65):
        times.append(page.evaluate(EDIT, [n % 4, n // 4 % 4, f"{n % 7 + n / 100 + 0.005:.3f}"]))
        page.wait_for_timeout(60)  # a reader's edits do not come in one breath
    return times[5:]
