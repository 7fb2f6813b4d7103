"""Children that are made from the root's position, seen by their positions or by who is to move."""

from __future__ import annotations

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.faulty import FromRoot
from tests.health.unusual import Rules, Search, watched
from tests.variants import few

UNKNOWN: dict[str, Any] = {"game": None, "start": None, "value_range": (-1.0, 1.0)}
GAMES = ("tic_tac_toe", "connect_four")


def text(node: Any) -> str:
    """The board, field by field."""
    own, other = node.state[:2]
    return "".join("x" if own >> i & 1 else "o" if other >> i & 1 else "." for i in range(49))


def findings(kind: type[Search], name: str, **told: Any) -> list[mv.Finding]:
    found = watched(kind(Rules(name, [0, 4]), 1), 1_000, **UNKNOWN, **told).check()
    return [one for one in found if one.severity != "note"]


@pytest.mark.parametrize("name", few(GAMES))
def test_positions_that_are_those_of_the_first_moves_are_an_error(name: str) -> None:
    """What follows from it is left out."""
    (one,) = findings(FromRoot, name, state=text)
    assert (one.check, one.severity) == ("expansion-from-root", "error")
    assert one.evidence["nodes"] == one.evidence["of"]


@pytest.mark.parametrize("name", few(GAMES))
def test_without_positions_a_player_who_moves_for_good_is_a_warning(name: str) -> None:
    (one,) = findings(FromRoot, name)
    assert (one.check, one.severity) == ("expansion-from-root", "warning")
    assert "Right where" in one.message


def test_opponents_who_are_one_player_may_move_in_turn() -> None:
    others: dict[str, Any] = {"to_move": lambda node: int(node.parent is not None)}
    trace = watched(Search(Rules("connect_four", [0, 4]), 1), 120, **UNKNOWN, **others)
    (one,) = [each for each in trace.check() if each.check == "expansion-from-root"]
    assert one.severity == "note"


@pytest.mark.parametrize("name", few(GAMES))
@pytest.mark.parametrize("told", [{}, {"state": text}])
def test_children_of_their_parents_are_right(name: str, told: dict[str, Any]) -> None:
    assert findings(Search, name, **told) == []


@pytest.mark.parametrize(
    "words", [lambda node: f"move {node.move}", lambda node: f"{node.move} of 0 1 2 3 4 5 6 7 8"]
)
def test_a_text_of_the_last_move_alone_says_nothing_of_the_position(words: Any) -> None:
    assert findings(Search, "tic_tac_toe", state=words) == []
