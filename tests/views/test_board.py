"""A position is drawn as it is: every mark in its cell, the last move and the winning line marked."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from mcts_viz import games
from mcts_viz.errors import GameError
from mcts_viz.views.board import PLAYER_COLOURS, board_svg, cell_box, move_box
from mcts_viz.views.board_text import board_text, column_names

SVG = "{http://www.w3.org/2000/svg}"


class Position(NamedTuple):
    """A board of no game in particular."""

    rows: int
    columns: int
    symbols: Sequence[str]
    last: int | None = None
    line: Sequence[int] = ()
    style: str = "grid"
    region: Sequence[int] = ()
    owners: Sequence[str] = ()


def drawn(board: Position, title: str = "", **options: bool | str) -> ET.Element:
    """The picture, parsed."""
    return ET.fromstring(board_svg(board, title, **options))  # type: ignore[arg-type]


def tic_tac_toe(*actions: int) -> Position:
    """The position after these moves."""
    return Position(*games.game("tic_tac_toe").board(actions))


def connect_four(*actions: int) -> Position:
    """The position after these moves."""
    return Position(*games.game("connect_four").board(actions))


def test_text_shows_the_board_with_coordinates_and_the_last_move() -> None:
    assert board_text(tic_tac_toe(4, 0, 8)) == (
        "3  O  .  .\n"
        "2  .  X  .\n"
        "1  .  . [X]\n"
        "   a  b  c"
    )  # fmt: skip


def test_text_marks_the_winning_line() -> None:
    assert board_text(connect_four(3, 3, 2, 2, 4, 4, 5)).splitlines()[-3:] == [
        "  .  .  O  O  O  .  .",
        "  .  . (X)(X)(X)[X] .",
        "  1  2  3  4  5  6  7",
    ]


def test_text_keeps_columns_straight_for_long_symbols_and_large_boards() -> None:
    lines = board_text(Position(10, 1, ["wQ", *[""] * 9])).splitlines()
    assert lines[0] == "10  wQ"
    assert lines[1] == " 9  ."


def test_each_mark_is_in_its_cell_in_its_players_colour() -> None:
    picture = drawn(tic_tac_toe(4, 0), coordinates=False)
    crosses = [path for path in picture.iter(f"{SVG}path") if path.get("stroke-width") == "5"]
    noughts = [c for c in picture.iter(f"{SVG}circle") if c.get("stroke-width") == "5"]
    assert [cross.get("d", "")[:10] for cross in crosses] == ["M50.4 50.4"]  # around 60, 60
    assert [(nought.get("cx"), nought.get("cy")) for nought in noughts] == [("20", "20")]
    assert PLAYER_COLOURS[0] in crosses[0].get("style", "")
    assert PLAYER_COLOURS[1] in noughts[0].get("style", "")


@pytest.mark.parametrize("coordinates", [True, False])
def test_a_cells_box_is_where_the_picture_has_its_mark(coordinates: bool) -> None:
    board = tic_tac_toe(4, 0)
    picture = drawn(board, coordinates=coordinates)
    _, _, width, height = map(float, picture.get("viewBox", "").split())
    moved = re.findall(r"[\d.]+", picture.find(f"{SVG}g").get("transform", ""))  # type: ignore[union-attr]
    nought = next(c for c in picture.iter(f"{SVG}circle") if c.get("stroke-width") == "5")
    box = cell_box(board, 0, coordinates)
    x = float(moved[0]) + float(nought.get("cx", ""))
    y = float(moved[1]) + float(nought.get("cy", ""))
    assert (box.left + box.width / 2) * width == pytest.approx(x)
    assert (box.top + box.height / 2) * height == pytest.approx(y)
    assert move_box(board, 0, coordinates) == box


def test_one_plays_into_a_cell_or_into_the_column_that_a_disc_falls_in() -> None:
    board = connect_four(3, 3)
    column, cell = move_box(board, 24), cell_box(board, 24)
    assert (column.left, column.width) == (cell.left, cell.width)
    assert column.top == cell_box(board, 3).top
    assert column.height == pytest.approx(6 * cell.height)
    assert column.top + column.height <= 1


def test_discs_lie_in_their_holes_and_are_told_apart_without_colour() -> None:
    picture = drawn(connect_four(3, 3, 0))
    letters = [
        (text.get("x"), text.get("y"), text.text)
        for text in picture.iter(f"{SVG}text")
        if text.get("font-weight")
    ]
    assert letters == [("140", "180", "O"), ("20", "220", "X"), ("140", "220", "X")]
    assert [t.text for t in picture.iter(f"{SVG}text") if not t.get("font-weight")] == [
        str(column) for column in range(1, 8)
    ]


@pytest.mark.parametrize("board", [tic_tac_toe(4, 0), connect_four(3, 3)])
def test_the_last_move_is_marked_once(board: Position) -> None:
    assert board_svg(board, "").count("mcts-last") == 1
    assert "mcts-last" not in board_svg(board._replace(last=None), "")


def test_the_winning_line_is_marked() -> None:
    picture = drawn(tic_tac_toe(4, 0, 2, 1, 6))
    assert len([r for r in picture.iter(f"{SVG}rect") if r.get("fill-opacity") == "0.34"]) == 3
    picture = drawn(connect_four(3, 3, 2, 2, 4, 4, 5))
    rings = [c for c in picture.iter(f"{SVG}circle") if c.get("stroke") == "currentColor"]
    assert len(rings) == 4


def test_players_may_have_other_symbols_and_strangers_are_ink() -> None:
    svg = board_svg(Position(1, 3, ["●", "○", "#"]), "", players=("●", "○"))
    colours = re.findall(r"fill:([^\"]+)\">(.)</text>", svg)
    assert colours == [
        (f"var(--mcts-player-0, {PLAYER_COLOURS[0]})", "●"),
        (f"var(--mcts-player-1, {PLAYER_COLOURS[1]})", "○"),
        ("currentColor", "#"),
    ]


def test_the_picture_scales_and_has_a_name() -> None:
    picture = drawn(connect_four(), "Connect Four, X to move")
    assert picture.get("viewBox") == "0 0 288 268"
    assert picture.get("width") is picture.get("height") is None
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == "Connect Four, X to move"
    title = picture.find(f"{SVG}title")
    assert title is not None
    assert title.text == "Connect Four, X to move"


def test_hostile_text_stays_text() -> None:
    evil = '"><script>alert(1)</script>\x00&'
    picture = drawn(Position(1, 2, [evil, "\ud800"]), evil)
    assert not list(picture.iter(f"{SVG}script"))
    assert picture.get("aria-label") == evil.replace("\x00", "\ufffd")
    assert "\ufffd" in [text.text for text in picture.iter(f"{SVG}text")]


def test_a_theme_leaves_nothing_to_the_page() -> None:
    for theme in ("light", "dark"):
        svg = board_svg(connect_four(3, 3), "", theme=theme)
        assert "var(" not in svg
        assert re.search(r'style="color:#[0-9a-f]{6}"', svg)


def test_columns_go_on_after_z() -> None:
    assert column_names(Position(1, 28, [""] * 28))[-3:] == ["z", "aa", "ab"]


def test_a_board_that_does_not_fit_its_size_is_refused() -> None:
    with pytest.raises(GameError, match="2 × 2 has 4 cells, but the game gave 3 symbols"):
        board_svg(Position(2, 2, ["X"] * 3), "")
    with pytest.raises(GameError, match="cell 4 is marked on a board that has cells 0 to 3"):
        board_text(Position(2, 2, ["X"] * 4, last=4))
    with pytest.raises(GameError, match="0 cells"):
        board_text(Position(0, 2, []))


def test_both_player_colours_stand_out_on_light_and_dark() -> None:
    for colour in PLAYER_COLOURS:
        for background in ("#ffffff", "#1f2226"):
            light, dark = sorted((luminance(colour), luminance(background)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, background)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
