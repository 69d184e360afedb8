"""A reader changes a token, its norm and epsilon; every cell is NumPy's, and what is no number is refused in place."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from widgets.block.layer_norm_lab import LayerNormLab
from widgets.kit.selection import Selection

from .settled import assert_fits, assert_ink, box_of, each_look

START = np.array([2, 4, 4, 4, 5, 5, 7, 9.0])


@pytest.fixture
def lab(page: Page, serve) -> LayerNormLab:
    built = LayerNormLab(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    expect(cells(page, "n").first).to_be_visible()
    return built


def cells(page: Page, key: str) -> Locator:
    return page.locator(f'.editable-matrices .matrix[data-key="{key}"] td')


def text_of(values: np.ndarray) -> list[str]:
    return [f"{v:.3f}".replace("-0.000", "0.000").replace("-", "−") for v in values]


def type_in(page: Page, key: str, column: int, text: str) -> None:
    cells(page, key).nth(column).click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def normal(x: np.ndarray, epsilon: float, ddof: int = 0) -> np.ndarray:
    return (x - x.mean()) / np.sqrt(x.var(ddof=ddof) + epsilon)


def test_one_number_moves_the_whole_token(page: Page, lab: LayerNormLab) -> None:
    expect(cells(page, "n")).to_have_text(text_of(normal(START, 1e-6)))
    type_in(page, "x", 7, "33")
    x = np.array([*START[:7], 33.0])
    expect(cells(page, "mean")).to_have_text("8")
    expect(cells(page, "n")).to_have_text(text_of(normal(x, 1e-6)))
    type_in(page, "gamma", 7, "2"), type_in(page, "beta", 0, "−0.5")
    gamma, beta = np.array([1.0] * 7 + [2]), np.array([-0.5] + [0] * 7)
    expect(cells(page, "y")).to_have_text(text_of(gamma * normal(x, 1e-6) + beta))
    expect(cells(page, "compared")).to_have_text(
        [t for e in (1e-12, 1e-6, 1e-5) for t in text_of(gamma * normal(x, e) + beta)]
    )


def test_population_or_sample_variance(page: Page, lab: LayerNormLab) -> None:
    page.get_by_role("radio", name="D − 1").check(force=True)
    expect(cells(page, "variance")).to_have_text("4.571")
    expect(cells(page, "n")).to_have_text(text_of(normal(START, 1e-6, ddof=1)))
    cells(page, "variance").hover()
    expect(page.locator(".editable-matrices .sum .made")).to_contain_text("/ 7 = 4.571")


def test_a_tiny_spread_feels_epsilon_and_no_spread_needs_it(page: Page, lab: LayerNormLab) -> None:
    page.get_by_label("Start from").select_option(label="set by hand: a tiny spread")
    expect(cells(page, "n").first).to_have_text("0.707")
    type_in(page, "epsilon", 0, "1e-12")
    expect(cells(page, "n").first).to_have_text("1.000")
    expect(cells(page, "root")).to_have_text("0.001")
    page.get_by_label("Start from").select_option(label="set by hand: all the same")
    expect(cells(page, "variance")).to_have_text("0")
    type_in(page, "epsilon", 0, "0")
    expect(cells(page, "n").first).to_have_text("0 / 0")
    expect(page.get_by_text("0 / 0 is no number")).to_be_visible()


@pytest.mark.parametrize(
    ("key", "text", "said", "stays"),
    [
        ("x", "two", "is no number", "2"),
        ("x", "inf", "is no number", "2"),
        ("x", "0,5", "did you mean 0.5?", "2"),
        ("epsilon", "-1", "Epsilon must be at least 0", "1e−6"),
        ("epsilon", "0,5", "did you mean 0.5?", "1e−6"),
    ],
)
def test_what_is_no_number_is_refused_in_place(
    page: Page, lab: LayerNormLab, key: str, text: str, said: str, stays: str
) -> None:
    type_in(page, key, 0, text)
    expect(page.get_by_role("alert")).to_contain_text(said)
    expect(page.get_by_role("alert")).to_contain_text(f"The cell keeps {stays}.")
    expect(cells(page, key).first).to_have_text(stays)
    expect(cells(page, "n")).to_have_text(text_of(normal(START, 1e-6)))


def test_a_cell_says_how_it_was_made_by_pointer_and_by_keys(page: Page, lab: LayerNormLab) -> None:
    made = page.locator(".editable-matrices .sum .made")
    expect(made).to_have_text("(2 − 5) / 2 = −1.500")
    cells(page, "n").nth(7).hover()
    expect(made).to_have_text("(9 − 5) / 2 = 2.000")
    cells(page, "y").first.focus()
    page.keyboard.press("End")
    expect(made).to_have_text("1×2 + 0 = 2.000")
    type_in(page, "x", 0, "3")
    page.keyboard.press("Control+z")
    expect(cells(page, "x").first).to_have_text("2")


def test_a_token_of_the_picture(page: Page, lab: LayerNormLab) -> None:
    page.get_by_label("Start from").select_option(label="a token of the picture")
    expect(page.locator(".part.picture-grid .layers")).to_be_visible()
    page.get_by_label("Layer", exact=True).select_option(label="5")
    box = box_of(page.locator(".part.picture-grid .layers"))
    page.mouse.click(box["x"] + box["width"] * 4.5 / 16, box["y"] + box["height"] * 6.5 / 16)
    expect(
        page.get_by_text("The first 8 numbers of patch 100, as the first norm of layer 5 reads them")
    ).to_be_visible()
    row = lab.reading.trace.layers[3].z[0, 101, :8].numpy()
    wanted = [str(v).replace("-", "−") for v in (np.round(row.astype(float), 4) + 0.0).tolist()]
    expect(cells(page, "x")).to_have_text(wanted)
    expect(cells(page, "model")).to_have_text(text_of(lab.reading.trace.layers[4].ln1[0, 101, :8].numpy()))


def test_readable_in_both_themes_and_on_a_phone(page: Page, serve) -> None:
    from widgets import app

    page.goto(serve({"app": app.page}) + "/app?widget=LayerNormLab")
    expect(cells(page, "n").first).to_be_visible()
    for colour_scheme, width in each_look(page, ("light", 1280), ("dark", 400)):
        assert_fits(page, width)
        assert_ink(cells(page, "mean").first, colour_scheme)
