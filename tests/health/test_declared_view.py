"""A correct search whose recording says nothing, or something wrong, of whose values it keeps: that is what is told,
not two mistakes of the search."""

import math
import random
from typing import Any

import pytest

import mcts_viz as mv

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Position:
    """Tic-Tac-Toe with marks 1 and −1."""

    def __init__(self, cells: tuple[int, ...] = (0,) * 9, player: int = 1, move: int = -1) -> None:
        self.cells, self.player, self.move = cells, player, move
        self.visits, self.total, self.children = 0, 0.0, list["Position"]()

    def winner(self) -> int:
        sums = [sum(self.cells[i] for i in line) for line in LINES]
        return 1 if 3 in sums else -1 if -3 in sums else 0

    def after(self) -> list["Position"]:
        if self.winner():
            return []
        return [
            Position((*self.cells[:i], self.player, *self.cells[i + 1 :]), -self.player, i)
            for i in range(9)
            if not self.cells[i]
        ]


def iterate(root: Position, draw: random.Random, view: str) -> None:
    """One iteration of UCT, correct, which keeps values in a view."""
    path = [root]
    while path[-1].children:
        node = path[-1]

        def score(child: Position, node: Position = node) -> float:
            if not child.visits:
                return math.inf
            sign = {"to_move": -1, "mover": 1, "player0": node.player}[view]
            explored = 1.4 * math.sqrt(math.log(node.visits) / child.visits)
            return sign * child.total / child.visits + explored

        path.append(max(node.children, key=score))
    path[-1].children = path[-1].after()
    end = path[-1]
    while following := end.after():
        end = draw.choice(following)
    for node in path:
        node.visits += 1
        node.total += (
            end.winner() * {"to_move": node.player, "mover": -node.player, "player0": 1}[view]
        )


def recorded(view: str, **told: Any) -> dict[str, mv.Finding]:
    root, draw = Position(), random.Random(1)
    with mv.record(root=root, children="children", visits="visits", value="total", **told) as rec:
        for _ in rec.steps(lambda: iterate(root, draw, view), 300):
            pass
    return {finding.check: finding for finding in rec.trace.check()}


GAME: dict[str, Any] = {"game": "tic_tac_toe", "action": "move"}


@pytest.mark.parametrize("view", ["to_move", "player0"])
def test_two_lines_get_no_warning_and_the_view_to_declare(view: str) -> None:
    found = recorded(view)
    assert {one.severity for one in found.values()} == {"note"}
    told = found["selection-wrong-view" if view == "to_move" else "value-same-view"]
    assert f"value_view={view!r}".replace("'", '"') in told.message.replace("'", '"')


def test_a_declared_rule_that_is_contradicted_is_a_warning() -> None:
    """The search or its recording is wrong; nobody knows which."""
    one = recorded("to_move", selection="ucb1", c=1.4)["selection-wrong-view"]
    assert one.severity == "warning"
    assert "Or if values are those of the player to move at a node" in one.message
    right = recorded("to_move", selection="ucb1", c=1.4, value_view="to_move")
    assert {each.severity for each in right.values()} == {"note"}


@pytest.mark.parametrize("view", ["to_move", "player0"])
def test_where_the_game_is_known_one_error_says_it_all(view: str) -> None:
    found = recorded(view, **GAME)
    errors = [one for one in found.values() if one.severity != "note"]
    assert [one.severity for one in errors] == ["error"]
    assert "the search is right" in errors[0].message
    assert view in errors[0].message


@pytest.mark.thorough
def test_a_view_told_the_other_way_round_is_named() -> None:
    found = recorded("mover", **GAME, value_view="to_move")
    assert "value_view='mover'" in found["value-wrong-view"].message


@pytest.mark.thorough
@pytest.mark.parametrize("view", ["to_move", "player0", "mover"])
def test_told_rightly_it_is_healthy(view: str) -> None:
    found = recorded(view, **GAME, value_view=view)
    assert {one.severity for one in found.values()} == {"note"}
