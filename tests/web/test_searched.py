"""The board as a picture of the search: the numbers of the table of children, at the same iteration."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.analysis.node.facts import child_rows
from mcts_viz.web.cursor import place
from mcts_viz.web.library import Library
from mcts_viz.web.panels.tabs.board import MOST_BARS, searched
from mcts_viz.web.searched import (
    expected_line,
    expected_line_svg,
    legal_moves,
    moves_svg,
    short_count,
)
from mcts_viz.web.words import number
from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


class Opened:
    """A trace in a library."""

    def __init__(self, folder: Path, name: str) -> None:
        (path,) = folder.glob(f"{name}.*[ns]")  # .mcts or .json
        self.library = Library([], folder)
        self.key = self.library.key_of(path)
        self.trace = mv.open(path)


@pytest.fixture(scope="module")
def folder(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boards")
    shutil.copytree(recordings, folder, dirs_exist_ok=True)
    return folder


@pytest.mark.parametrize(("name", "t", "node"), [(TIC_TAC_TOE, 120, 0), (CONNECT_FOUR, 900, 3)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_move_has_the_numbers_of_the_table_in_its_cell(
    folder: Path, name: str, t: int, node: int, theme: str
) -> None:
    opened = Opened(folder, name)
    snapshot = opened.trace.at(t)
    moves = legal_moves(opened.library, opened.key, snapshot, node, theme)
    rows = child_rows(snapshot, node, opened.library.n_legal(opened.trace, node))
    assert [move.row for move in moves if move.row] == rows
    assert len({move.cell for move in moves}) == opened.library.n_legal(opened.trace, node)
    svg = moves_svg(opened.library, opened.key, node, t, theme, numbers=True) or ""
    texts = re.findall(r">([^<>]+)</text>", svg)
    for row in rows:
        assert number(row.mean_value, 2) in texts
        assert short_count(row.visits) in texts
    assert svg.count('class="searched"') == len(rows)
    assert svg.count('class="untried"') == len(moves) - len(rows)
    assert texts.count("→") == sum(row.next_selected for row in rows)
    assert texts.count("★") == sum(row.chosen for row in rows)


def test_a_disc_is_as_large_as_its_visits_and_has_the_colour_of_its_mean(folder: Path) -> None:
    opened = Opened(folder, TIC_TAC_TOE)
    svg = moves_svg(opened.library, opened.key, 0, 300, "light", numbers=False) or ""
    discs = re.findall(r'r="([\d.]+)" fill="(#\w+)"[^>]*class="searched"', svg)
    rows = child_rows(opened.trace.at(300), 0)
    radii = [float(radius) for radius, _ in discs]
    assert radii == sorted(radii, reverse=True)  # as the rows are, by visits
    assert radii[0] > radii[-1]
    moves = legal_moves(opened.library, opened.key, opened.trace.at(300), 0, "light")
    assert [fill for _, fill in discs] == [move.fill for move in moves if move.row]
    assert len(discs) == len(rows)
    assert not re.search(r">\d+</text>", svg.split("★")[1])


def test_what_is_known_by_perfect_play_stands_beside_the_moves(folder: Path) -> None:
    opened = Opened(folder, TIC_TAC_TOE)
    library, trace = opened.library, library_trace(opened)
    while library.truths.ask(opened.key, trace) is None:
        pass
    moves = legal_moves(library, opened.key, trace.at(300), 0, "light")
    assert {move.truth for move in moves} == {"D"}  # every first move draws
    assert 'fill="#727c88"' in (moves_svg(library, opened.key, 0, 300, "light", True) or "")


def library_trace(opened: Opened) -> Any:
    return opened.library.trace(opened.key)


def test_the_expected_line_is_numbered_on_the_board(folder: Path) -> None:
    opened = Opened(folder, CONNECT_FOUR)
    snapshot = opened.trace.at(1_500)
    line = expected_line(snapshot, 0)
    assert line == snapshot.principal_path[1 : len(line) + 1]
    svg = expected_line_svg(opened.library, opened.key, 0, 1_500, "dark") or ""
    numbered = re.findall(r'font-size="13" font-weight="650" [^>]*>(\d+)</text>', svg)
    assert numbered == [str(n) for n in range(1, len(line) + 1)]


def test_a_game_without_a_board_has_no_picture(folder: Path) -> None:
    opened = Opened(folder, FOREIGN)
    assert moves_svg(opened.library, opened.key, 0, 60, "light", True) is None
    moves = legal_moves(opened.library, opened.key, opened.trace.at(60), 0, "light")
    assert [move.row.node for move in moves if move.row] == [
        row.node for row in child_rows(opened.trace.at(60), 0)
    ]


def test_of_very_many_moves_the_most_visited_have_bars(tmp_path: Path) -> None:
    nodes = [f'{{"new_nodes": [{{"parent": 0, "action": {i}}}], "outcome": 1}}' for i in range(99)]
    again = '{"leaf": 99, "outcome": 1}'
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "wide.ndjson").write_text("\n".join([*nodes, again]), encoding="utf-8")
    mv.import_trace(logs / "wide.ndjson", tmp_path / "wide.mcts")
    opened = Opened(tmp_path, "wide")
    panel = searched(opened.library, place(opened.library, {"trace": opened.key, "iteration": 100}))
    told = str(panel)
    assert told.count("searched-bar'") == MOST_BARS
    assert "+39 more, in the table of children" in told
    assert told.index("98: 2 visits") < told.index("0: 1 visit")


def test_a_move_on_the_board_says_its_numbers_and_leads_to_its_child(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 200)
    screen.page.get_by_alt_text("position at the node").click()
    board = screen.page.get_by_alt_text("the position with the moves")
    expect(board).to_be_visible()
    assert board.evaluate("image => image.decode().then(() => image.naturalWidth)")
    for t in (200, 201):
        snapshot = trace.at(t)
        child = snapshot.ranked_children(0)[1]
        move = screen.page.locator(f".searched-move[data-select='{child}']")
        expect(move).to_have_attribute(
            "data-tip",
            re.compile(
                f"{snapshot.label(child)}: {snapshot.visits[child]} visits .*"
                f"mean {snapshot.mean_value[child]:.4f}"
            ),
        )
        screen.press("ArrowRight").wait(t + 1)
    move.click()
    screen.wait_for(f"d.cursor.node === {child}")
    expect(screen.text("node-panel").locator("h2")).to_have_text(snapshot.label(child))
    expect(screen.page.get_by_alt_text("the expected line")).to_be_visible()


def test_a_move_is_clicked_though_its_panel_was_made_anew_while_it_was_pressed(
    screen: Screen,
) -> None:
    child = screen.site.trace(TIC_TAC_TOE).at(200).ranked_children(0)[1]
    screen.open(TIC_TAC_TOE, 200).tab("Board")
    move = screen.page.locator(f".searched-move[data-select='{child}']")
    move.hover()
    move.evaluate("(button) => { window.pressed = button; }")
    screen.page.mouse.down()
    screen.press("ArrowRight").wait(201)
    screen.page.wait_for_function("() => !pressed.isConnected")
    screen.page.mouse.up()
    screen.wait_for(f"d.cursor.node === {child}")


@pytest.mark.thorough
def test_the_moves_of_a_game_without_a_board_are_bars(screen: Screen) -> None:
    snapshot = screen.site.trace(FOREIGN).at(60)
    screen.open(FOREIGN, 60)
    screen.tab("Board")
    bars = screen.page.locator(".searched-bar")
    expect(bars).to_have_count(len(snapshot.children(0)))
    first = snapshot.ranked_children(0)[0]
    expect(screen.page.locator(f".searched-bar[data-select='{first}']")).to_contain_text(
        f"{snapshot.visits[first]} · {snapshot.mean_value[first]:.2f}"
    )
