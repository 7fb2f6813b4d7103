"""The main views look as they did when somebody last looked at them: against the pictures in tests/web/pictures/.

`python -m tests.web.take_pictures` takes these anew, after a view has changed on purpose. What a view is on failure
goes to test-results/. How alike two pictures have to be stands in tests/web/picture.py, and is itself tested here: a
page that lacks a part is told apart, one in another font is not.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.conftest import PICTURES as RESULTS
from tests.web import picture
from tests.web.picture import Difference, Picture
from tests.web.screen import Screen, Site
from tests.web.views import PICTURES, VIEWS, go_to, record_other

SIZE = 1_500_000  # bytes that all pictures together may have
STYLES = "document.querySelectorAll('link[rel=stylesheet]')"


@pytest.fixture(scope="module")
def blank(context: BrowserContext) -> Iterator[Page]:
    """An empty page, whose browser reads pictures."""
    page = context.new_page()
    yield page
    page.close()


@pytest.fixture(scope="module")
def compared(site: Site) -> Site:
    """The served page, with a second search to compare with."""
    record_other(site.folder)
    return site


def stored(blank: Page, name: str) -> Picture:
    return picture.shrink(blank, (PICTURES / f"{name}.png").read_bytes())


def now(screen: Screen, blank: Page) -> Picture:
    return picture.shrink(blank, picture.take(screen.page))


def against_stored(screen: Screen, blank: Page, name: str) -> Difference:
    return picture.difference(stored(blank, name), now(screen, blank))


@pytest.mark.thorough
@pytest.mark.usefixtures("compared")
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_looks_as_it_did(screen: Screen, blank: Page, name: str) -> None:
    go_to(screen, VIEWS[name])
    found = against_stored(screen, blank, name)
    if found.is_large:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"view-{name}.png").write_bytes(picture.take(screen.page))
    assert not found.is_large, (
        f"{name}: {found}\nCompare test-results/view-{name}.png with tests/web/pictures/{name}.png; if that is "
        f"how it should look: python -m tests.web.take_pictures {name}"
    )


def test_every_picture_is_of_a_view_and_all_are_small() -> None:
    files = sorted(PICTURES.glob("*"))
    assert [path.name for path in files] == sorted(f"{name}.png" for name in VIEWS)
    assert sum(path.stat().st_size for path in files) < SIZE


# ---- that the comparison sees what it should --------------------------------------------------


@pytest.mark.thorough
def test_a_part_that_is_missing_is_seen(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-light"])
    for part in (".bar", ".side .node", ".tabs [role=tabpanel]", ".picture", ".controls", ".timeline"):  # fmt: skip
        hidden = f"{part}, {part} * {{ visibility: hidden !important; }}"
        tag = screen.page.add_style_tag(content=hidden)
        assert against_stored(screen, blank, "first-light").is_large, part
        tag.evaluate("each => each.remove()")
    assert not against_stored(screen, blank, "first-light").is_large


@pytest.mark.thorough
def test_a_page_without_its_style_sheet_is_seen(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-light"])
    sheet = f"[...{STYLES}].filter((each) => each.href.includes('mcts_viz.css'))"
    assert screen.page.evaluate(f"{sheet}.map((each) => each.disabled = true)") == [True]
    assert against_stored(screen, blank, "first-light").is_large


@pytest.mark.thorough
def test_the_wrong_theme_is_seen(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-dark"])
    assert against_stored(screen, blank, "first-light").share > 0.5


@pytest.mark.thorough
def test_parts_that_lie_on_one_another_are_seen(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-light"])
    screen.page.add_style_tag(content=".tabs { transform: translateY(-110px); }")
    assert against_stored(screen, blank, "first-light").is_large


@pytest.mark.thorough
def test_another_font_is_not(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-light"])
    before = now(screen, blank)
    for font in ("sans-serif", "serif"):  # monospace breaks lines elsewhere
        tag = screen.page.add_style_tag(
            content=f"body, body * {{ font-family: {font} !important; }}"
        )
        after = now(screen, blank)
        assert (after.blocks != before.blocks).any(), font
        assert not picture.difference(before, after).is_large, font
        tag.evaluate("each => each.remove()")


@pytest.mark.thorough
def test_the_same_page_twice_is_the_same_picture(screen: Screen, blank: Page) -> None:
    go_to(screen, VIEWS["first-light"])
    before = now(screen, blank)
    go_to(screen, VIEWS["first-light"])
    assert picture.difference(before, now(screen, blank)).share == 0


@pytest.mark.thorough
def test_a_blank_picture_differs_almost_everywhere_that_there_is_something(
    blank: Page,
) -> None:
    blank.set_content("<body style='background: white'></body>")
    empty = picture.shrink(blank, picture.take(blank))
    assert picture.difference(stored(blank, "first-light"), empty).share > 0.4
