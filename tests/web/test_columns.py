"""A number in a table is never cut: columns are left out, share first, and a button below the table shows them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.screen import Screen

SAMPLES = Path(__file__).parents[2] / "samples"
WIDTHS = (1024, 1280)
SAMPLE = "misleading_prior"  # has a prior, and true values
# texts with a digit that have less room than they need, or lie outside their table; not lists and names of moves
CUT = """() => [...document.querySelectorAll(".grid .ag-cell:not([col-id=moves], [col-id=move], [col-id=line])")]
    .map((cell) => cell.querySelector(".ag-cell-value") ?? cell)
    .filter((cell) => /[0-9]/.test(cell.textContent) && (cell.scrollWidth > cell.clientWidth
        || cell.getBoundingClientRect().right > cell.closest(".ag-root").getBoundingClientRect().right + 1))
    .map((cell) => cell.textContent)"""


@pytest.mark.thorough
@pytest.mark.parametrize("sample", sorted(path.stem for path in SAMPLES.glob("*.mcts")))
def test_no_number_of_a_table_is_cut(screen: Screen, sample: str) -> None:
    shutil.copy(SAMPLES / f"{sample}.mcts", screen.site.folder)
    page = screen.page
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 720})
        screen.open(sample, 100)
        for tab in ("Children", "This iteration", "Rollouts"):
            screen.tab(tab)
            table = page.locator(".grid .ag-root-wrapper").locator("visible=true")
            expect(table.or_(page.get_by_text("there are no moves to play")).first).to_be_visible()
            page.wait_for_function(f"() => !({CUT})().length")
        screen.open(sample, 100, phase="backpropagate")
        expect(page.locator("#iteration-table .ag-cell[col-id=mean_value]").first).to_be_attached()
        page.wait_for_function(f"() => !({CUT})().length")


def test_columns_without_room_are_offered_below_the_table(screen: Screen) -> None:
    shutil.copy(SAMPLES / f"{SAMPLE}.mcts", screen.site.folder)
    screen.page.set_viewport_size({"width": 1280, "height": 720})
    screen.open(SAMPLE, 100)
    more = screen.page.locator(".more-columns")
    expect(more).to_contain_text("+ share")
    expect(screen.page.locator("#children-table [col-id=share]")).to_have_count(0)
    more.click()
    expect(screen.page.locator("#children-table .ag-cell[col-id=share]").first).to_be_attached()
    expect(more).to_have_text("fewer columns")
    names = "[...document.querySelectorAll('#children-table .ag-cell[col-id=move]')]"
    screen.page.wait_for_function(
        f"() => {names}.every((each) => each.scrollWidth <= each.clientWidth)"
    )


def test_a_column_of_short_texts_is_narrow_in_small_letters_too(screen: Screen) -> None:
    """A width below the column's least one would be ignored, so that it kept its first width."""
    shutil.copy(SAMPLES / f"{SAMPLE}.mcts", screen.site.folder)
    # the page's rules let a script set styles, and no style element
    screen.page.add_init_script(
        "addEventListener('load', () => { const small = new CSSStyleSheet();"
        " small.replaceSync('.ag-root { font-size: 8px !important }');"
        " document.adoptedStyleSheets = [...document.adoptedStyleSheets, small]; })"
    )
    screen.open(SAMPLE, 100, phase="select")
    head = screen.page.locator("#iteration-table .ag-header-cell[col-id=depth]")
    expect(head).to_be_visible()
    screen.page.wait_for_function(
        "() => document.querySelector('#iteration-table .ag-header-cell[col-id=depth]').clientWidth < 60"
    )
