"""A file of many searches on the page: each is a trace of its own, by its number."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.errors import MctsVizError
from mcts_viz.web.app import library_of
from mcts_viz.web.library import Library
from tests.web.screen import Screen

N = 5


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "short.many"
    wanted = [
        {"game": "tic_tac_toe", "iterations": 20 + seed, "seed": seed, "compile": False}
        for seed in range(N)
    ]
    mv.search_many(wanted, path)
    return path


def test_each_search_of_a_file_is_a_trace_by_its_number(many: Path) -> None:
    library = Library([many], many.parent)
    (entry,) = library.entries()
    assert library.searches_in(entry.key) == N
    assert library.trace(entry.key).n_iterations == 20
    for name in (entry.key.replace(":0", ":3"), "short:3", "short.many:3"):
        found = library.entry(name)
        assert (found.number, found.of_its_own.name) == (3, "short-3.mcts")
        assert library.trace(found.key).n_iterations == 23
        assert library.trace(found.key) is library.trace(found.key)


@pytest.mark.parametrize("number", ["5", "99999999", "-1", "x"])
def test_a_search_that_the_file_has_not_is_told(many: Path, number: str) -> None:
    library = Library([many], many.parent)
    with pytest.raises(MctsVizError, match=r"there is no (search|trace)"):
        library.trace(f"short:{number}")


def test_the_page_begins_with_the_number_asked_for_and_gives_the_search_as_a_file(
    many: Path, tmp_path: Path
) -> None:
    client: FlaskClient = pages.make_app([many], store=tmp_path, number=2).server.test_client()
    key = client.get("/api/start").get_json()["key"]
    assert client.get(f"/api/trace/{key}/searches").get_json() == {"number": 2, "count": N}
    assert client.get(f"/api/trace/{key}/summary").get_json()["iterations"] == f"{N} searches"
    whole = client.get(f"/api/trace/{key}/file")
    assert "short-2.mcts" in whole.headers["Content-Disposition"]
    (tmp_path / "one.mcts").write_bytes(whole.data)
    assert mv.open(tmp_path / "one.mcts").n_iterations == 22


def test_notes_on_one_search_are_not_on_the_next(many: Path, tmp_path: Path) -> None:
    app = pages.make_app([many], store=tmp_path)
    client: FlaskClient = app.server.test_client()
    key = library_of(app).entries()[0].key
    one, other = (f"/api/trace/{key.replace(':0', f':{number}')}/notes" for number in (1, 2))
    client.put(f"{one}/{'a' * 16}", json={"iteration": 3, "node": 0, "text": "here", "revision": 0})
    assert len(client.get(one).get_json()["notes"]) == 1
    assert client.get(other).get_json()["notes"] == []


def test_a_file_of_many_can_be_uploaded(many: Path, tmp_path: Path) -> None:
    library = Library([], tmp_path)
    key = library.add("mine.many", [many.read_bytes()])
    assert library.searches_in(key) == N
    with pytest.raises(MctsVizError):
        library.add("torn.many", [many.read_bytes()[:40]])
    assert [entry.name for entry in library.entries()] == ["mine"]


def test_one_walks_through_the_searches_of_a_file(screen: Screen, many: Path) -> None:
    shutil.copy(many, screen.site.folder / many.name)
    screen.visit("?trace=short:1")
    place = screen.page.locator("#searches")
    expect(place).to_contain_text(f"of {N}")
    expect(place.locator("input")).to_have_value("1")
    screen.press("PageDown").wait()
    expect(place.locator("input")).to_have_value("2")
    assert "trace=" in screen.page.url
    assert "%3A2" in screen.page.url
    place.get_by_label("Previous search of this file").click()
    expect(place.locator("input")).to_have_value("1")
    place.locator("input").fill("4")
    place.locator("input").press("Enter")
    screen.wait(24)
    expect(place.get_by_label("Next search of this file")).to_be_disabled()
    expect(screen.text("trace-select")).to_have_value("short")
