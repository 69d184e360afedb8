"""A reader steps and hovers: at every step the page shows the numbers that the trace holds for that token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from widgets.checkpoints.fetching import facts_of
from widgets.first_look.forward_stepper import ForwardStepper
from widgets.kit.selection import Selection
from widgets.model.step_rows import Pass, hand_set_pass
from widgets.pictures import open_sample

from .pointing import hover_cell
from .settled import assert_becomes, assert_fits, assert_ink, assert_soon, box_of, each_look, read_canvas

CELLS = """() => {   // of every line: its symbol, the numbers in its cells, and what stands under them
  const all = (root, out = []) => { for (const e of root.querySelectorAll('*')) {
    if (e.matches('.row-flow .line')) out.push(e); if (e.shadowRoot) all(e.shadowRoot, out) } return out }
  return all(document).map((line) => [line.querySelector('b').textContent,
    [...line.querySelectorAll('.number')].map((n) => n.textContent),
      [...line.querySelectorAll('.under')].map((n) => n.textContent)])
}"""
ALPHA = """canvas => {   // the colour over the middle of each patch, row by row
  const [rows, cols] = canvas.dataset.grid.split('x').map(Number), g = canvas.getContext('2d'), out = []
  for (let n = 0; n < rows * cols; n++) { const x = (n % cols + 0.5) * canvas.width / cols,
    y = (Math.floor(n / cols) + 0.5) * canvas.height / rows
    out.push([...g.getImageData(x, y, 1, 1).data].slice(0, 3).reduce((a, b) => a + b)) }
  return out
}"""


@pytest.fixture
def stepper(page: Page, serve: Callable[..., str]) -> Iterator[ForwardStepper]:
    built = ForwardStepper(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(page.locator(".part.step-bar")).to_have_attribute("data-step", "0")
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    yield built


def at_step(page: Page, step: int) -> None:
    """Wait until the words of the step stand there: bar and rows come in one message."""
    expect(page.locator(".part.step-bar")).to_have_attribute("data-step", str(step))


def written(values: np.ndarray) -> list[str]:
    return [f"{v:.3f}".replace("-", "−") for v in values]


def expected(run: Pass, step: int, token: int, head: int = 0) -> dict[str, list[str]]:
    """By its symbol, the last row that the step shows of a token, straight from the trace."""
    t, prefix = run.trace, run.trace.prefix
    inside = ["ln1", "q", "scores", "weights", "msa", "z_prime", "ln2", "mlp", "z"]
    if step < 3:
        row = {1: t.patches, 2: t.patch_embeddings}[step][0, token - prefix]
        return {{1: "xp", 2: "xp E + b"}[step]: written(row[:8])}
    if step == 3:
        return {"z0": written(t.z0[0, token])}
    layer, which = divmod(step - 4, len(inside))
    if layer == len(t.layers):
        if which == 0:
            return {f"LN(z{layer})": written(t.normalised[0, token, :8])}
        return {"y": written(t.y[0, :8])}
    symbol = {
        "ln1": f"LN(z{layer})",
        "q": "q",
        "scores": "scores",
        "weights": "A",
        "msa": "MSA",
        "z_prime": f"z′{layer + 1}",
        "ln2": f"LN(z′{layer + 1})",
        "mlp": "MLP",
        "z": f"z{layer + 1}",
    }[inside[which]]
    tensor = getattr(t.layers[layer], inside[which])[0]
    if tensor.ndim == 3:
        tensor = tensor[head]
    row = tensor[token].numpy()
    if inside[which] in ("scores", "weights"):
        return {symbol: written(np.sort(row)[::-1][:6])}
    return {symbol: written(row[:8])}


def shown(page: Page) -> dict[str, list[str]]:
    return {symbol: numbers for symbol, numbers, _ in page.evaluate(CELLS)}


def check_step(page: Page, run: Pass, step: int, token: int) -> None:
    """The rows of this step and token stand on the page, within half a second of being asked for."""
    ((symbol, wanted),) = expected(run, step, token).items()
    seen = {}
    for _ in range(60):
        seen = shown(page)
        if seen.get(symbol, [])[: len(wanted)] == wanted:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"step {step}, token {token}: {symbol} should be {wanted}, the page shows {seen}")


def hover_patch(page: Page, n: int, columns: int, rows: int) -> None:
    hover_cell(page.locator(".part.picture-grid .layers"), n, (rows, columns))


def test_stepping_by_keyboard_and_hovering_show_what_the_trace_holds(page: Page, stepper: ForwardStepper) -> None:
    run = hand_set_pass(open_sample("cat"))
    page.locator(".part.step-bar .map").focus()
    for step in range(1, len(stepper.walk.places)):
        page.keyboard.press("ArrowRight")
        at_step(page, step)
        page.mouse.move(2, 2)
        check_step(page, run, step, 25)  # the patch in the middle, which is followed from the start
        if step == 5:
            assert shown(page)["k"] == written(run.trace.layers[0].k[0, 0, 25]) and shown(page)["v"] == written(
                run.trace.layers[0].v[0, 0, 25]
            )
        for n in (0, 16, 48):
            hover_patch(page, n, 7, 7)
            check_step(page, run, step, n + 1)
    assert stepper.place.step.key == "head" and page.locator(".part.step-bar .on").is_disabled()
    assert shown(page)["logits"] == written(np.sort(run.trace.logits[0].numpy())[::-1])


def test_a_row_of_the_table_is_followed_and_the_class_token_can_be(page: Page, stepper: ForwardStepper) -> None:
    run = stepper.run
    page.locator(".part.step-bar .map").focus()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    check_step(page, run, 9, 25)
    heat = box_of(page.locator(".part.matrix-view .heat"))
    page.mouse.move(heat["x"] + 3.5 * heat["width"] / 8, heat["y"] + 10.5 * heat["height"] / 50)
    check_step(page, run, 9, 10)
    value = written(run.trace.layers[0].z_prime[0, 10])[3]
    expect(page.locator(".part.matrix-view .readout")).to_have_text(f"token 10 (patch 9), number 3: {value}")
    page.get_by_role("button", name="Follow the class token").click()
    page.mouse.move(2, 2)
    check_step(page, run, 9, 0)
    expect(page.get_by_text("You follow the class token, row 0 of z.")).to_be_visible()
    assert_becomes(page, lambda: stepper.selection.token, 0)


def test_softmax_shows_the_shares_by_name_and_over_the_picture(page: Page, stepper: ForwardStepper) -> None:
    page.get_by_role("button", name="Layer 2").click()
    page.get_by_role("button", name="Softmax").click()
    at_step(page, 4 + 9 + 3)
    A = stepper.run.trace.layers[1].weights[0, 0].numpy()
    check_step(page, stepper.run, 16, 25)
    _, numbers, under = next(line for line in page.evaluate(CELLS) if line[0] == "A")
    assert under == [*(stepper.run.token_names[t] for t in np.argsort(-A[25], kind="stable")[:6]), "all others"]
    assert abs(sum(map(float, numbers)) - 1) < 0.005
    top = page.locator(".part.picture-grid canvas").nth(1)
    top.evaluate("c => { c.dataset.grid = '7x7' }")
    bright = np.array(read_canvas(top, ALPHA))
    order = A[25, 1:].argsort()
    assert bright[order[-3:]].min() > bright[order[:20]].max(), "the patches with the largest shares are the brightest"


def test_buttons_slider_home_and_end_reach_every_step(page: Page, stepper: ForwardStepper) -> None:
    bar = page.locator(".part.step-bar")
    page.get_by_role("button", name="Next").click()
    at_step(page, 1)
    bar.locator(".map").focus()
    page.keyboard.press("End")
    at_step(page, 23)
    expect(page.get_by_role("status").get_by_text("Only the class token's row goes on.")).to_be_visible()
    page.keyboard.press("Home")
    at_step(page, 0)
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    for step in range(1, 24):
        page.keyboard.press("ArrowRight")
        at_step(page, step)
    expect(slider).to_have_attribute("aria-valuetext", "Step 24 of 24: Answer, Read out")
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_role("status").get_by_text("After the last layer every token")).to_be_visible()
    assert_becomes(page, lambda: stepper.walk.index, 22)


def test_no_key_is_lost_when_they_come_faster_than_python_answers(page: Page, stepper: ForwardStepper) -> None:
    page.locator(".part.step-bar .map").focus()
    for _ in range(13):
        page.keyboard.press("ArrowRight")
    check_step(page, stepper.run, 13, 25)
    at_step(page, 13)
    assert_soon(page, lambda: stepper.walk.index == 13, "Python stands at the last step")


def test_hovering_sends_no_message(page: Page, serve: Callable[..., str]) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    built = ForwardStepper(selection=Selection(step=9, token=25))
    page.goto(serve(lambda: built.__panel__()))
    check_step(page, built.run, 9, 25)
    page.wait_for_timeout(400)
    before = len(sent)
    for n in range(20, 40):
        hover_patch(page, n, 7, 7)
    check_step(page, built.run, 9, 40)
    assert len(sent) == before, "hover must stay in the browser"


def test_play_goes_on_stops_at_the_end_and_at_any_other_input(page: Page, serve: Callable[..., str]) -> None:
    built = ForwardStepper(selection=Selection(step=21))
    built._parts["bar"].pace = 0.25
    page.goto(serve(lambda: built.__panel__()))
    bar, play = page.locator(".part.step-bar"), page.locator(".part.step-bar .play")
    at_step(page, 21)
    play.click()
    at_step(page, 22)
    at_step(page, 23)
    expect(bar).to_have_attribute("data-playing", "false")
    assert play.is_disabled(), "at the end there is nothing to play"
    bar.locator(".map").focus()
    page.keyboard.press("Home")
    for stopped_by in (lambda: page.keyboard.press("Shift"), lambda: page.mouse.click(3, 3), play.click):
        play.click()
        expect(bar).to_have_attribute("data-playing", "true")
        stopped_by()
        expect(bar).to_have_attribute("data-playing", "false")
    stands = int(bar.get_attribute("data-step"))
    page.wait_for_timeout(600)
    assert int(bar.get_attribute("data-step")) == stands < 20


def test_less_motion_is_respected(browser: Browser, serve: Callable[..., str], watch) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    watch.on(page)
    page.goto(serve(lambda: ForwardStepper(selection=Selection()).__panel__()))
    expect(page.get_by_text("Play is off, since your system asks for less motion. Use Next.")).to_be_visible()
    assert page.locator(".part.step-bar .play").is_disabled()
    page.get_by_role("button", name="Next").click()
    at_step(page, 1)
    context.close()
    assert not watch.unexpected(), watch.unexpected()


@pytest.mark.parametrize(
    ("checkpoint", "picture", "layer"), [("dinov2-small", "photographer", 7), ("random-b16", "coffee", 11)]
)
def test_real_models_grey_and_not_square(
    page: Page, stepper: ForwardStepper, checkpoint: str, picture: str, layer: int
) -> None:
    page.get_by_label("Picture", exact=True).select_option(label=open_sample(picture).title)
    page.get_by_label("Model").select_option(label=facts_of(checkpoint)["title"])
    page.get_by_role("button", name=f"Layer {layer + 1}", exact=True).click(timeout=60_000)
    at_step(page, 4 + 9 * layer)
    rows, columns = stepper.run.trace.grid
    for which in (5, 8):
        page.locator(".part.step-bar .chips button").nth(which).click()
        check_step(page, stepper.run, 4 + 9 * layer + which, stepper.selection.token)
        n = 3 * columns + columns - 1
        hover_patch(page, n, columns, rows)
        check_step(page, stepper.run, 4 + 9 * layer + which, n + 1)
    width = stepper.run.trace.y.shape[1]
    expect(page.locator(".part.row-flow .shape").last).to_contain_text(f"× {width:,}, first 8 shown")
    page.locator(".part.step-bar .map").focus()
    page.keyboard.press("End")
    headless = stepper.run.trace.logits is None
    expect(
        page.get_by_role("status").get_by_text(
            "This model has no answer head: it ends here." if headless else "makes a score for each answer"
        )
    ).to_be_visible()


def test_step_layer_and_model_stand_in_the_address(page: Page, course: str) -> None:
    page.goto(f"{course}?widget=ForwardStepper&step=18&token=9")
    at_step(page, 17)
    run = hand_set_pass(open_sample("cat"))
    check_step(page, run, 17, 9)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("step=19"))  # as on the screen, from 1
    assert "layer=2" in page.url and "token=9" in page.url
    page.get_by_label("Model").select_option(label=facts_of("dinov2-small")["title"])
    page.wait_for_url(re.compile("model=checkpoint"), timeout=60_000)


def test_readable_in_both_themes_on_a_phone(page: Page, stepper: ForwardStepper) -> None:
    page.get_by_role("button", name="Layer 1").click()
    at_step(page, 4)
    check_step(page, stepper.run, 4, 25)
    for colour_scheme, width in each_look(page, ("light", 400), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(page.locator(".part.row-flow .says").first, colour_scheme)
