"""Values that are products: probabilities of getting through, by which each move multiplies what comes after it."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.values import of_visits, own_discounts
from tests.health.test_memory import cut

ROWS, COLUMNS = 6, 5


@dataclass
class Cell:
    row: int
    column: int
    through: float = 1.0  # probability of getting into it
    visits: int = 0
    value: float = 0.0  # from here on
    below: list[Cell] = field(default_factory=list)


class Slope:
    def __init__(self, of_its_own: bool, seed: int = 1) -> None:
        """of_its_own: whether a cell's probability is always the same; else it is drawn at each visit."""
        self.random, self.of_its_own = random.Random(seed), of_its_own
        self.grid = [[self.draw() for _ in range(COLUMNS)] for _ in range(ROWS)]
        self.root = Cell(-1, COLUMNS // 2)

    def draw(self) -> float:
        return self.random.choice([0.7, 0.8, 0.9, 0.95, 1.0])

    def columns(self, cell: Cell) -> list[int]:
        if cell.row == ROWS - 1:
            return []
        return [c for c in range(cell.column - 1, cell.column + 2) if 0 <= c < COLUMNS]

    def rollout(self, cell: Cell) -> float:
        return math.prod(self.random.choice(self.grid[row]) for row in range(cell.row + 1, ROWS))

    def visit(self, cell: Cell) -> float:
        columns = self.columns(cell)
        if not cell.visits or not columns:
            value = self.rollout(cell)
        else:
            if len(cell.below) < len(columns):
                column = columns[len(cell.below)]
                cell.below.append(Cell(cell.row + 1, column, self.grid[cell.row + 1][column]))
                chosen = cell.below[-1]
            else:
                log = math.log(cell.visits)
                chosen = max(
                    cell.below,
                    key=lambda one: one.through * one.value / one.visits + 0.4 * math.sqrt(log / one.visits),
                )  # fmt: skip
            value = (chosen.through if self.of_its_own else self.draw()) * self.visit(chosen)
        cell.visits, cell.value = cell.visits + 1, cell.value + value
        return value


def recorded(slope: Slope, n: int = 600) -> mv.Trace:
    with mv.record(
        root=slope.root, children="below", visits="visits", value="value", action="column",
        players=("rover",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: slope.visit(slope.root), n):
            pass
    return rec.trace


@pytest.mark.parametrize("of_its_own", [True, False])
def test_a_factor_for_each_move_is_no_forgotten_discount(of_its_own: bool) -> None:
    one = next(one for one in recorded(Slope(of_its_own)).check() if one.check == "value-discount")
    assert one.severity == "note"
    assert ("by a factor of its own, 0.7 to 1" in one.message) == of_its_own
    assert (
        "by another part each time: so it is where what goes up is a product" in one.message
    ) != of_its_own


class DrawsLater(Slope):
    """Its moves have a factor of their own until the root has 300 visits."""

    def visit(self, cell: Cell) -> float:
        self.of_its_own = self.root.visits < 300
        return super().visit(cell)


def test_factors_are_taken_from_the_first_steps_and_have_to_hold_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    always, changes = recorded(Slope(True)), recorded(DrawsLater(True))
    at_once = own_discounts.discounts_of_moves(CheckedSearch(always))
    assert at_once == (pytest.approx(0.7), pytest.approx(1.0))
    cut(monkeypatch, 200, 10**9)
    monkeypatch.setattr(of_visits, "ENOUGH_STEPS", 400)
    assert own_discounts.discounts_of_moves(CheckedSearch(always)) == pytest.approx(at_once)
    assert own_discounts.discounts_of_moves(CheckedSearch(changes)) is None
    monkeypatch.setattr(own_discounts, "_hold", lambda *_: True)
    assert own_discounts.discounts_of_moves(CheckedSearch(changes)) is not None
