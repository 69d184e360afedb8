"""A reader enlarges the picture, says shapes, budgets a run and measures: the page answers with the model's numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from widgets import CostExplorer, MeasureHere, TensorTracer, TrainingBudget
from widgets.counting import measure_here
from widgets.experiments.timing import Size, Timing
from widgets.kit.selection import Selection
from widgets.model import count
from widgets.model.costs import models, sides, table6

from .settled import assert_becomes, assert_fits


def open_widget(page: Page, serve, widget, part: str) -> None:
    page.goto(serve(lambda: widget.__panel__()))
    expect(page.locator(f".part.{part}").first).to_be_visible()


def enter(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")


def test_a_larger_picture_costs_what_is_counted_and_absurd_ones_are_refused(page: Page, serve) -> None:
    widget = CostExplorer(selection=Selection())
    open_widget(page, serve, widget, "plot")
    enter(page, "H, W Picture side, px", "1,024")
    macs = count.macs(models()["B/16"][1], 1024)
    ledger = page.locator(".part.ledger-table")
    expect(ledger).to_contain_text(f"{macs['attention']:,}")
    expect(ledger).to_contain_text("46.9%")
    enter(page, "H, W Picture side, px", "3.7")
    expect(page.get_by_role("alert").filter(has_text="must be a whole number")).to_be_visible()
    expect(ledger).to_contain_text(f"{macs['total']:,}")
    page.get_by_role("button", name="16", exact=True).click()
    expect(ledger).to_contain_text(f"{count.macs(models()['B/16'][1], 16)['total']:,}")
    figure = page.locator(".part.plot .figure").first
    figure.focus()
    for _ in range(3):
        figure.press("ArrowRight")
    figure.press("Enter")
    expect(ledger.locator(".title")).to_contain_text(f"at {sides(models()['B/16'][1])[2]:,} px")


def test_a_decimal_comma_and_two_meanings_are_asked_about_where_they_were_typed(page: Page, serve) -> None:
    widget = TrainingBudget(selection=Selection())
    open_widget(page, serve, widget, "field-sheet")
    peak, epochs = page.get_by_label("Peak, TFLOP/s", exact=True), page.get_by_label("Epochs", exact=True)
    enter(page, "Peak, TFLOP/s", "71,5")
    asked = page.get_by_role("alert").filter(has_text="“71,5”: did you mean 71.5? A point stands before decimals here")
    expect(asked).to_be_visible()
    expect(page.get_by_text("What is shown below is still the last that was possible.")).to_be_visible()
    assert widget.run.peak == 61.5
    asked.get_by_role("button", name="71.5", exact=True).click()
    expect(peak).to_have_value("71.5")
    expect(page.get_by_role("alert").filter(has_text="did you mean")).to_have_count(0)
    expect(page.get_by_text("What is shown below is still the last that was possible.")).to_have_count(0)
    enter(page, "Epochs", "1,234")
    asked = page.get_by_role("alert").filter(has_text="“1,234”: did you mean 1234 or 1.234?")
    asked.get_by_role("button", name="1.234", exact=True).click()
    expect(epochs).to_have_value("1.234")
    enter(page, "Peak, TFLOP/s", "1 234.5 TFLOP/s")
    expect(peak).to_have_value("1,234.5")
    assert_becomes(page, lambda: (widget.run.peak, widget.run.epochs), (1234.5, 1.234))


def test_sam_shows_its_windows(page: Page, serve) -> None:
    open_widget(page, serve, CostExplorer(selection=Selection()), "plot")
    expect(page.get_by_text("padded to whole windows")).to_be_hidden()
    page.get_by_label("Model", exact=True).select_option(label=models()["SAM H/16"][0])
    expect(page.get_by_role("cell", name="70 × 70")).to_be_visible()
    expect(page.get_by_role("cell", name="17.5 times")).to_be_visible()
    expect(page.locator(".part.plot .legend").first).to_contain_text("attention with windows")


def test_shapes_are_typed_one_after_another_without_leaving_the_field(page: Page, serve) -> None:
    widget = TensorTracer(selection=Selection())
    open_widget(page, serve, widget, "field-sheet")
    field = page.get_by_label("Its shape, in numbers")
    field.fill("32, 3, 336, 336")
    field.press("Enter")
    expect(page.locator(".part.field-sheet .title")).to_contain_text("2 of 14")
    page.keyboard.type("32 577 588")  # the field has kept the focus
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The class token is not there yet")
    field.fill("32 576 588")
    field.press("Enter")
    expect(page.locator(".part.ledger-table")).to_contain_text("(32, 576, 588)")
    page.locator(".part.ledger-table").get_by_text("every query with every key").click()
    expect(page.locator(".part.field-sheet .title")).to_contain_text("7 of 14")
    page.get_by_role("button", name="Show this one").click()
    expect(page.locator(".part.ledger-table")).to_contain_text("170,459,648")


def test_a_run_is_budgeted_and_counted_wrongly(page: Page, serve) -> None:
    open_widget(page, serve, TrainingBudget(selection=Selection()), "number-table")
    expect(page.get_by_role("cell", name="32.1% of the peak")).to_be_visible()
    page.get_by_label("A row of Table 6").select_option(label="ViT-B/16, 7 epochs")
    expect(page.locator(".part.number-table")).to_contain_text("223.7 exaFLOPs")
    enter(page, "Utilisation, %", "101")
    expect(page.get_by_role("alert").filter(has_text="Utilisation must be at most 100, not 101.")).to_be_visible()
    page.get_by_label("Count it as").select_option(label="multiply-adds called FLOPs")
    expect(page.locator(".part.ledger-table")).to_contain_text(f"{table6('macs')[1].counted:,.1f}")
    expect(page.get_by_role("status").filter(has_text="0 of 6 rows fit")).to_be_visible()


def test_measuring_shows_ratios_and_stops(page: Page, serve, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = asyncio.Event()

    def pretended(name: str, todo: list[Size]) -> Iterator[Timing]:
        for number in range(1, 1000 if not go_on.is_set() else 2):
            for size in todo:
                yield Timing(size, size.ratio**0.5, size.ratio**0.5, number)

    monkeypatch.setattr(measure_here, "measure", pretended)
    open_widget(page, serve, MeasureHere(selection=Selection(checkpoint="random-b16")), "ledger-table")
    page.get_by_role("button", name="Measure here").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").filter(has_text="Stopped after")).to_be_visible()
    go_on.set()
    page.get_by_role("button", name="Measure here").click()
    expect(page.get_by_role("status").filter(has_text="0.709 times as long")).to_be_visible()
    expect(page.locator(".part.ledger-table")).to_contain_text("0.709")


@pytest.mark.parametrize(("colour_scheme", "width"), [("dark", 400)])
def test_nothing_scrolls_sideways_on_a_phone(page: Page, serve, colour_scheme: str, width: int) -> None:
    selection = Selection()
    page.goto(
        serve(
            {
                name: widget(selection=selection).__panel__()
                for name, widget in (
                    ("cost", CostExplorer),
                    ("tracer", TensorTracer),
                    ("budget", TrainingBudget),
                    ("measure", MeasureHere),
                )
            }
        )
        + "/cost"
    )
    for name, part in (("cost", "plot"), ("tracer", "ledger-table"), ("budget", "number-table"), ("measure", "plot")):
        page.goto(f"{page.url.rpartition('/')[0]}/{name}")
        expect(page.locator(f".part.{part}").first).to_be_visible()
        assert_fits(page, width)
