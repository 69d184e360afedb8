"""A reader moves a slider by keys, and Python moves it: both see the same value, under a name a screen reader finds."""

from __future__ import annotations

from functools import partial

import panel as pn
import param
import pytest
from playwright.sync_api import Page, expect

from widgets.parts import controls

from .served import in_the_session


class Numbers(param.Parameterized):
    """One number between bounds, and one of a list."""

    k = param.Integer(3, bounds=(0, 64))
    width = param.Selector(default=8, objects=[2, 8, 1024])


@pytest.fixture
def numbers(page: Page, serve) -> Numbers:
    made = Numbers()
    page.goto(
        serve(
            lambda: pn.Column(
                controls.slider(made.param.k, "Numbers kept"), pn.bind("Python has {}".format, made.param.k)
            )
        )
    )
    return made


def test_keys_reach_python_and_python_reaches_the_slider(page: Page, numbers: Numbers) -> None:
    slider = page.get_by_role("slider", name="Numbers kept")
    slider.press("End")
    expect(page.locator(".value")).to_have_text("64")
    for key in ("Home", "ArrowRight", "ArrowRight"):
        slider.press(key)
    expect(slider).to_have_attribute("aria-valuetext", "2")
    expect(page.get_by_text("Python has 2")).to_be_visible()
    for value in (64, 0, 2):  # also where the reader has been before
        in_the_session(partial(setattr, numbers, "k", value))
        expect(slider).to_have_value(str(value))
        expect(page.locator(".value")).to_have_text(str(value))


def test_a_list_is_walked_and_written_as_its_values(page: Page, serve) -> None:
    made = Numbers()
    page.goto(
        serve(
            lambda: pn.Column(
                controls.slider(made.param.width, "Width", [2, 8, 1024]),
                pn.bind("Python has {}".format, made.param.width),
            )
        )
    )
    slider = page.get_by_role("slider", name="Width")
    expect(slider).to_have_attribute("aria-valuetext", "8")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "1,024")
    expect(page.get_by_text("Python has 1024")).to_be_visible()
