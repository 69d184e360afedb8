"""Choosing a model that takes its time: the page says so at once, and the answer comes."""

from __future__ import annotations

import threading

import panel as pn
from playwright.sync_api import Page, expect

from widgets.kit.model_choice import ModelChoice
from widgets.kit.selection import Selection


def test_a_reader_is_told_to_wait_and_then_answered(page: Page, serve) -> None:
    let_go = threading.Event()
    selection = Selection()
    selection.param.watch(lambda event: let_go.wait(20), "checkpoint")  # a model that is slow to read the picture
    choice = ModelChoice(selection=selection)
    said = pn.pane.HTML(selection.param.checkpoint.rx.pipe(lambda name: f"<p class='now'>{name}</p>"))
    page.goto(serve(lambda: pn.Column(choice, said)))
    page.get_by_label("Model").select_option("Random ViT-B/16")
    expect(page.get_by_text("Random ViT-B/16 reads the picture")).to_be_visible()
    let_go.set()
    expect(page.locator(".now")).to_have_text("random-b16")
    expect(page.get_by_text("Random ViT-B/16 reads the picture")).to_be_hidden()
