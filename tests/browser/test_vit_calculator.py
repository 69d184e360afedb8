"""A reader types, refuses to give up, links, saves and compares: the calculator and the widgets around it in a
browser."""

from __future__ import annotations

import csv
from urllib.parse import quote

import panel as pn
import pytest
from playwright.sync_api import Locator, Page, expect

from widgets import ParameterLedger, PublishedCounts, Selection, ViTCalculator
from widgets.counting.calculator_settings import read
from widgets.model.count import parameters

from .settled import assert_becomes, assert_fits, assert_soon


def ledger(page: Page, number: int = 0) -> Locator:
    return page.locator(".part.ledger-table").nth(number)


def total(page: Page, number: int = 0) -> Locator:
    return ledger(page, number).locator("tfoot td").first


def enter(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label)
    field.fill(text)
    field.press("Enter")


def test_an_impossible_width_is_refused_in_place_and_an_offer_takes_it(page: Page, course: str) -> None:
    page.goto(f"{course}?widget=ViTCalculator")
    expect(total(page)).to_have_text("86,567,656")
    enter(page, "D Width", "770")
    field = page.get_by_label("D Width")
    expect(page.get_by_role("alert").filter(has_text="multiple of the 12 heads, and 770 is not")).to_be_visible()
    expect(field).to_have_value("770")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(total(page)).to_have_text("86,567,656")
    stale = page.get_by_text("What is shown below is still the last that was possible.")
    expect(stale).to_be_visible()
    enter(page, "P Patch side", "61,5")
    expect(page.get_by_role("alert").filter(has_text="61,5 looks like 61.5")).to_be_visible()
    expect(stale).to_have_count(1)  # once for all fields in red
    page.get_by_label("P Patch side").press("Escape")
    expect(stale).to_be_visible()
    page.get_by_role("button", name="780", exact=True).click()
    expect(total(page)).to_have_text("88,368,964")
    expect(field).to_have_value("780")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(stale).to_have_count(0)
    page.wait_for_function("() => new URL(location.href).searchParams.get('setting') === 'B/16,hidden_size=780'")
    page.reload()
    expect(total(page)).to_have_text("88,368,964")


def test_what_is_being_typed_is_not_replaced_by_an_answer_to_something_earlier(page: Page, serve) -> None:
    page.goto(serve(lambda: ViTCalculator(selection=Selection()).__panel__()))
    field = page.get_by_label("P Patch side")
    field.fill("32")
    choose = (  # the focus stays
        "(list) => { list.value = 'L/16'; list.dispatchEvent(new Event('change', { bubbles: true })) }"
    )
    page.get_by_label("Model", exact=True).evaluate(choose)
    expect(page.get_by_label("D Width")).to_have_value("1,024")
    expect(field).to_have_value("32")
    field.press("Enter")
    expect(total(page)).to_have_text("306,535,400")


def test_a_field_follows_again_after_something_was_typed_and_taken_back(page: Page, serve) -> None:
    page.goto(serve(lambda: ViTCalculator(selection=Selection()).__panel__()))
    field = page.get_by_label("P Patch side")
    for key in ("End", "5", "Backspace", "Tab"):
        field.press(key)
    page.get_by_label("Model", exact=True).select_option("L/32")
    expect(total(page)).to_have_text("306,535,400")
    expect(field).to_have_value("32")


def test_absurd_text_never_moves_the_sum(page: Page, serve) -> None:
    page.goto(serve(lambda: ViTCalculator(selection=Selection()).__panel__()))
    field = page.get_by_label("P Patch side")
    for absurd, words in (
        ("0", "at least 1, not 0"),
        ("-1", "at least 1, not -1"),
        ("1e9", "at most 4,096"),
        ("3.7", "whole number, not 3.7"),
        ("1,5", "whole number, and 1,5 looks like 1.5"),
        ("", "is empty"),
        ("many", "“many” is no number"),
        ("<b>x</b>", "“<b>x</b>” is no number"),
    ):
        enter(page, "P Patch side", absurd)
        said = page.get_by_role("alert").filter(has_text=words)
        expect(said.get_by_role("button").first).to_be_visible()
        expect(total(page)).to_have_text("86,567,656")
    field.press("Escape")
    expect(field).to_have_value("16")
    expect(page.get_by_role("alert").filter(has_text="Patch side P")).to_be_hidden()
    enter(page, "D Width", "770")  # another refusal does not bring back the one that is over
    expect(page.get_by_role("alert").filter(has_text="Width D must be a multiple")).to_be_visible()
    expect(field).to_have_value("16")
    expect(page.get_by_role("alert").filter(has_text="Patch side P")).to_be_hidden()
    enter(page, "P Patch side", "0")  # the same mistake again is said again
    expect(page.get_by_role("alert").filter(has_text="Patch side P must be at least 1, not 0")).to_be_visible()


def test_fields_behind_more_heads_pooling_and_registers(page: Page, serve) -> None:
    built = ViTCalculator(selection=Selection())
    page.goto(serve(lambda: built.__panel__()))
    assert page.locator("input:visible, select:visible, button:visible").count() <= 7, (
        "six controls, and the buttons that save and copy"
    )
    page.get_by_text("More fields").click()
    enter(page, "k Heads", "5")
    expect(page.get_by_role("alert").filter(has_text="must divide the width D = 768, and 5 does not")).to_be_visible()
    page.get_by_role("button", name="4", exact=True).click()
    expect(page.get_by_text("of D_h = 192 numbers")).to_be_visible()
    expect(total(page)).to_have_text("86,567,656")
    page.get_by_label("Class token").select_option(label="none")
    expect(page.get_by_role("alert").filter(has_text="Without a class token the head cannot read it")).to_be_visible()
    page.get_by_role("button", name="no class token, read the mean of the patches").click()
    expect(total(page)).to_have_text(f"{86_567_656 - 2 * 768:,}")
    enter(page, "R Registers", "4")
    expect(total(page)).to_have_text(f"{86_567_656 + 2 * 768:,}")
    assert_soon(
        page,
        lambda: built.now.shape.registers == 4 and parameters(built.now.shape)["total"] == 86_569_192,
        "Python counts the same model",
    )


def test_a_link_opens_two_models_and_rubbish_is_answered(page: Page, course: str) -> None:
    page.goto(f"{course}?widget=ViTCalculator&setting={quote('L/16~L/32', safe='')}")
    foot = ledger(page).locator("tfoot td")
    expect(foot.nth(0)).to_have_text("304,326,632")
    expect(foot.nth(2)).to_have_text("306,535,400")
    page.get_by_role("button", name="Change places").click()
    expect(foot.nth(0)).to_have_text("306,535,400")
    expect(page.get_by_label("P Patch side")).to_have_value("32")
    page.goto(f"{course}?widget=ViTCalculator&setting=B/16,hidden_size=770")
    expect(page.get_by_text("which is not possible: Width D must be a multiple of the 12 heads")).to_be_visible()
    expect(total(page)).to_have_text("86,567,656")


def test_arrow_keys_go_through_the_ledger(page: Page, serve) -> None:
    page.goto(serve(lambda: ViTCalculator(selection=Selection()).__panel__()))
    ledger(page).locator("tr[tabindex='0']").focus()
    for key, words in (
        ("ArrowDown", "MLP, all layers: 65.5%"),
        ("ArrowUp", "Attention, all layers: 32.7%"),
        ("End", "Head: 0.9%"),
        ("ArrowDown", "Head: 0.9%"),
        ("Home", "Patch embedding: 0.7%"),
    ):
        page.keyboard.press(key)
        expect(page.get_by_text(words)).to_be_visible()
    page.get_by_text("In words").click()
    expect(
        page.get_by_text("ViT-B/16 has 86,567,656 parameters and needs 17,563,828,224 multiply-adds")
    ).to_be_visible()


def test_the_saved_file_adds_up_and_the_code_is_shown(page: Page, serve) -> None:
    page.goto(serve(lambda: ViTCalculator(selection=Selection(setting="Ti/16")).__panel__()))
    expect(total(page)).to_have_text("5,717,416")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "vit.csv"
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["count"]) for row in rows if row["counted"] == "parameters") == 5_717_416
    page.get_by_text("Look at the code").click()
    expect(page.get_by_text("hidden_size=192, num_hidden_layers=12, num_attention_heads=3,")).to_be_visible()


def test_a_printed_count_sets_the_calculator_beside_it(page: Page, serve) -> None:
    selection = Selection()
    page.goto(
        serve(
            lambda: pn.Column(
                PublishedCounts(selection=selection).__panel__(),
                ViTCalculator(selection=selection, brief=True).__panel__(),
            )
        )
    )
    expect(total(page, 2)).to_have_text("86,567,656")
    ledger(page, 0).get_by_text("ViT-Huge").click()
    expect(total(page, 2)).to_have_text("632,045,800")
    ledger(page, 1).get_by_text("tanh layer").click()
    expect(total(page, 2)).to_have_text("632,404,480")
    expect(page.get_by_role("status").filter(has_text="This is inference; the paper does not say.")).to_be_visible()
    assert_becomes(page, lambda: read(selection.setting).shape.num_labels, 1280)


def test_a_term_opens_its_tensors(page: Page, serve) -> None:
    page.goto(serve(lambda: ParameterLedger(selection=Selection()).__panel__()))
    expect(total(page, 0)).to_have_text("22,046,976")
    ledger(page, 0).get_by_text("Position table").click()
    expect(ledger(page, 1)).to_contain_text("embeddings.position_embeddings")
    expect(ledger(page, 1)).to_contain_text("1 × 1,370 × 384")
    expect(total(page, 1)).to_have_text("526,080")
    page.get_by_label("Model").select_option(label="Random ViT-B/16")
    expect(total(page, 0)).to_have_text("86,567,656")
    expect(ledger(page, 0)).to_contain_text("never trained")
    ledger(page, 0).get_by_text("Head", exact=True).click()
    expect(ledger(page, 1)).to_contain_text("classifier.bias")
    ledger(page, 1).locator("tr[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("classifier.bias, 1,000. Its first numbers: 0.000")).to_be_visible()


@pytest.mark.parametrize(("width", "colour_scheme"), [(400, "dark")])
def test_a_telephone_shows_all_without_scrolling_sideways(page: Page, serve, width: int) -> None:
    page.goto(
        serve(
            lambda: pn.Column(
                ViTCalculator(selection=Selection(setting="22B~DINOv3-7B")).__panel__(),
                ParameterLedger(selection=Selection()).__panel__(),
                sizing_mode="stretch_width",
            )
        )
    )
    expect(total(page)).to_have_text("21,750,829,056")
    enter(page, "D Width", "1e99")
    expect(page.get_by_role("alert").filter(has_text="at most 1,048,576")).to_be_visible()
    assert_fits(page, width)
