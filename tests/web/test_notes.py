"""Notes on the page: made, changed, followed and deleted, by one person or two, and never lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from mcts_viz.web.routes.notes_file import Note, notes_file, read
from tests.conftest import Console
from tests.web.recordings import CONNECT_FOUR, HOSTILE, TIC_TAC_TOE
from tests.web.screen import Screen, Site

TEXTS = ".note-text"


@pytest.fixture(autouse=True)
def _none(site: Site) -> Iterator[None]:
    """Each test begins and ends without notes."""
    yield
    for path in site.folder.glob("*.notes.json"):
        path.unlink()


def kept(site: Site, name: str = TIC_TAC_TOE) -> list[Note]:
    return read(notes_file(site.path(name)))


def write(screen: Screen, text: str) -> Locator:
    """Bookmark this place and say something."""
    screen.press("b")
    field = screen.page.locator(f"{TEXTS}:focus")
    expect(field).to_be_visible()
    screen.page.keyboard.type(text)
    return field


def saved(screen: Screen) -> None:
    """Wait until the server has all texts."""
    screen.page.wait_for_function(
        "() => document.querySelectorAll('.note-row .note-state').length > 0 &&"
        "[...document.querySelectorAll('.note-state')].every((each) => each.textContent === '')"
    )


def test_b_bookmarks_the_place_and_takes_the_text(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 214, node=3)
    write(screen, "why here? ? n b")  # keys of the page are letters here
    screen.press("Escape")
    saved(screen)
    (note,) = kept(screen.site)
    assert (note.iteration, note.node, note.text) == (214, 3, "why here? ? n b")
    assert screen.debug()["t"] == 214
    label = screen.site.trace(TIC_TAC_TOE).at(300).label(3)
    expect(screen.page.locator(".note-place")).to_contain_text(f"iteration 214 · {label}")
    expect(screen.page.locator(".note-file")).to_have_text(
        "kept in tic_tac_toe.notes.json, beside the trace"
    )


@pytest.mark.thorough
def test_a_note_is_a_mark_on_the_timeline_and_a_way_back(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 214, node=3)
    write(screen, "first line\nsecond line")
    screen.press("Escape")
    saved(screen)
    screen.press("Home").wait(0)
    mark = screen.page.locator(".mcts-mark-button[data-kind=note]")
    mark.hover()
    expect(screen.page.locator(".mcts-mark-card")).to_contain_text("first line")
    screen.page.locator(".note-place").click()
    screen.wait(214)
    screen.wait_for("mcts.app.cursor().node === 3")
    expect(screen.page.locator(".mcts-now")).to_contain_text("first line")


@pytest.mark.thorough
def test_b_again_at_the_same_place_goes_on_with_the_same_note(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    write(screen, "one")
    screen.press("Escape")
    write(screen, " two")
    screen.press("Escape")
    expect(screen.page.locator(TEXTS)).to_have_count(1)
    saved(screen)
    assert [note.text for note in kept(screen.site)] == ["one two"]


@pytest.mark.thorough
def test_notes_are_listed_by_iteration_and_are_there_after_a_reload(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 200)
    write(screen, "late")
    screen.press("Escape", "Home").wait(0)
    write(screen, "early")
    screen.press("Escape")
    saved(screen)
    screen.page.reload()
    screen.wait().tab("Notes")
    expect(screen.page.locator(TEXTS)).to_have_count(2)
    values = screen.page.eval_on_selector_all(TEXTS, "(all) => all.map((each) => each.value)")
    assert values == ["early", "late"]


@pytest.mark.thorough
def test_a_deleted_note_can_be_had_back(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    write(screen, "precious")
    screen.press("Escape")
    saved(screen)
    screen.page.get_by_role("button", name="Delete").click()
    expect(screen.page.locator(TEXTS)).to_have_count(0)
    expect(screen.page.locator(".mcts-mark-button[data-kind=note]")).to_have_count(0)
    screen.page.get_by_role("button", name="Undo").click()
    expect(screen.page.locator(TEXTS)).to_have_value("precious")
    saved(screen)
    assert [note.text for note in kept(screen.site)] == ["precious"]


def second_tab(context: BrowserContext, site: Site) -> tuple[Page, Screen]:
    page = context.new_page()
    return page, Screen(page, site)


@pytest.mark.thorough
def test_two_tabs_keep_each_others_notes(
    screen: Screen, context: BrowserContext, site: Site
) -> None:
    screen.open(TIC_TAC_TOE, 100)
    page, other = second_tab(context, site)
    other.open(TIC_TAC_TOE, 200)
    write(screen, "mine")
    write(other, "theirs")
    screen.press("Escape")
    other.press("Escape")
    saved(screen)
    saved(other)
    assert [note.text for note in kept(site)] == ["mine", "theirs"]
    screen.page.evaluate("dispatchEvent(new Event('focus'))")  # as when one comes back to a tab
    expect(screen.page.locator(TEXTS)).to_have_count(2)
    page.close()


@pytest.mark.thorough
def test_of_two_texts_for_one_note_both_are_kept(
    screen: Screen, context: BrowserContext, site: Site
) -> None:
    screen.open(TIC_TAC_TOE, 100)
    write(screen, "seen by both")
    screen.press("Escape")
    saved(screen)
    page, other = second_tab(context, site)
    other.open(TIC_TAC_TOE, 100).tab("Notes")
    for each, text in ((other, "theirs"), (screen, "mine")):
        field = each.page.locator(TEXTS).first
        expect(field).to_have_value("seen by both")
        field.fill(text)
        field.blur()
        saved(each)
    expect(screen.message()).to_contain_text("Both texts are kept")
    expect(screen.page.locator(TEXTS)).to_have_count(2)
    assert {note.text for note in kept(site)} == {"theirs", "mine"}
    page.close()


@pytest.mark.thorough
def test_what_is_being_written_survives_the_arrival_of_other_notes(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    field = write(screen, "half a sent")
    saved(screen)
    document = json.loads(notes_file(screen.site.path(TIC_TAC_TOE)).read_text(encoding="utf-8"))
    document["notes"].append(
        {"id": "0123456789", "iteration": 1, "node": 0, "text": "new", "revision": 1}
    )
    notes_file(screen.site.path(TIC_TAC_TOE)).write_text(json.dumps(document), encoding="utf-8")
    screen.page.evaluate("dispatchEvent(new Event('focus'))")
    expect(screen.page.locator(TEXTS)).to_have_count(2)
    expect(field).to_be_focused()
    screen.page.keyboard.type("ence")
    expect(field).to_have_value("half a sentence")
    screen.press("Escape")
    saved(screen)


def refuse(*_: Any) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.thorough
def test_a_folder_that_cannot_be_written_is_told_and_the_text_stays(
    screen: Screen, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    console.allow("400")
    screen.open(TIC_TAC_TOE, 100)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        write(screen, "not lost")
        screen.press("Escape")
        problem = screen.page.locator(".note-problem")
        expect(problem).to_contain_text(
            "tic_tac_toe.notes.json: cannot be written: Permission denied. Make its folder writable"
        )
        expect(screen.page.locator(".note-state")).to_have_text("not saved")
        assert kept(screen.site) == []
    screen.page.get_by_role("button", name="Try again").click()
    saved(screen)
    expect(problem).to_be_hidden()
    assert [note.text for note in kept(screen.site)] == ["not lost"]


@pytest.mark.thorough
def test_all_notes_can_be_saved_as_markdown_and_as_json(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 214, node=3)
    write(screen, "a < b")
    screen.press("Escape")
    saved(screen)
    where = screen.site.trace(TIC_TAC_TOE).at(300).label(3)
    with screen.page.expect_download() as download:
        screen.page.get_by_role("button", name="Markdown").click()
    assert download.value.suggested_filename == "tic_tac_toe.notes.md"
    assert Path(download.value.path()).read_text(encoding="utf-8") == (
        f"# Notes on tic\\_tac\\_toe.mcts\n\n## Iteration 214, {where}\n\na &lt; b\n"
    )
    with screen.page.expect_download() as download:
        screen.page.get_by_role("button", name="JSON").click()
    document = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert document == json.loads(
        notes_file(screen.site.path(TIC_TAC_TOE)).read_text(encoding="utf-8")
    )


@pytest.mark.thorough
def test_a_hostile_text_stays_text(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    write(screen, HOSTILE)
    screen.press("Escape")
    saved(screen)
    screen.page.locator(".mcts-mark-button[data-kind=note]").hover()
    expect(screen.page.locator(".mcts-mark-card")).to_contain_text(HOSTILE)
    assert screen.page.locator(".notes img, .mcts-mark-card img, #timeline img").count() == 0


@pytest.mark.thorough
def test_each_trace_has_its_own_notes(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    write(screen, "on the first")
    screen.press("Escape")
    saved(screen)
    screen.choose("trace-select", CONNECT_FOUR)
    screen.wait()
    expect(screen.page.locator(TEXTS)).to_have_count(0)
    expect(screen.page.locator(".note-empty")).to_be_visible()
    expect(screen.page.locator(".note-file")).to_contain_text("connect_four.notes.json")


@pytest.mark.thorough
def test_a_damaged_file_is_told_and_left_alone(screen: Screen, console: Console) -> None:
    console.allow("400")
    file = notes_file(screen.site.path(TIC_TAC_TOE))
    file.write_text("{broken")
    screen.open(TIC_TAC_TOE, 100).tab("Notes")
    expect(screen.page.locator(".note-problem")).to_contain_text("it is not JSON")
    assert file.read_text() == "{broken"
