"""A game of your own: Kalah, its rules as a class with six methods. Tests them, records a search of
the first move, and leaves a file for the page.

python samples/own_game.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv
from mcts_viz.testing import check_game

HOUSES, SEEDS = 6, 4  # of each player; in each house at the beginning
STORES = (
    HOUSES,
    2 * HOUSES + 1,
)  # pits are numbered anticlockwise: South's houses, South's store, North's


class Position(NamedTuple):
    """What `mcts_viz` hands from one method to the next; it never looks inside."""

    pits: tuple[int, ...]  # [14] seeds
    player: int  # to move: 0 is South, 1 is North

    def __str__(self) -> str:
        """North sits at the top, each player's houses run from left to right in their own view."""
        north = " ".join(f"{seeds:2}" for seeds in reversed(self.pits[HOUSES + 1 : -1]))
        south = " ".join(f"{seeds:2}" for seeds in self.pits[:HOUSES])
        stores = f"{self.pits[STORES[1]]:2}{' ' * len(south)}  {self.pits[STORES[0]]:2}"
        return f"   {north}\n{stores}\n   {south}\n{Kalah.players[self.player]} to move"


class Kalah:
    """Sow the seeds of a house anticlockwise, one a pit, past the opponent's store. The last one in
    your store: move again. The last one in an empty house of yours: it and the seeds opposite, if
    any, go to your store. When a player's houses are empty, the other one keeps the rest; the fuller
    store wins.
    """

    name = "kalah"
    title = f"Kalah ({HOUSES},{SEEDS})"
    n_actions = HOUSES
    players = ("South", "North")

    def initial_state(self) -> Position:
        return Position(((SEEDS,) * HOUSES + (0,)) * 2, player=0)

    def to_move(self, state: Position) -> int:
        return state.player

    def legal_actions(self, state: Position) -> list[int]:
        first = state.player * (HOUSES + 1)
        return [house for house in range(HOUSES) if state.pits[first + house] > 0]

    def play(self, state: Position, action: int) -> Position:
        pits = list(state.pits)  # a copy: the position that was given stays as it was
        me, opponent = state.player, 1 - state.player
        first = me * (HOUSES + 1)
        pit = first + action
        seeds, pits[pit] = pits[pit], 0
        while seeds > 0:
            pit = (pit + 1) % len(pits)
            if pit != STORES[opponent]:
                pits[pit] += 1
                seeds -= 1
        opposite = 2 * HOUSES - pit
        if first <= pit < STORES[me] and pits[pit] == 1 and pits[opposite] > 0:
            pits[STORES[me]] += 1 + pits[opposite]
            pits[pit] = pits[opposite] = 0
        south, north = sum(pits[:HOUSES]), sum(pits[HOUSES + 1 : -1])
        if south == 0 or north == 0:
            over = [0] * HOUSES
            pits = [*over, pits[STORES[0]] + south, *over, pits[STORES[1]] + north]
        return Position(tuple(pits), me if pit == STORES[me] else opponent)

    def outcome(self, state: Position) -> float | None:
        south, north = (state.pits[store] for store in STORES)
        if south + north < sum(state.pits):
            return None  # the game goes on
        return float((south > north) - (south < north))  # in the view of player 0

    def action_name(self, action: int) -> str:
        return f"house {action + 1}"


def main() -> None:
    """Which house to begin with?"""
    file = sys.argv[1] if len(sys.argv) > 1 else "kalah.mcts"
    check_game(Kalah())  # says which method breaks its promise, and where
    trace = mv.search(Kalah(), "uct", iterations=1_000, seed=1, path=file)
    tree = trace.at(trace.n_iterations)
    print(f"{tree.state(0)}\n\nmove      visits  mean value")
    for node in tree.ranked_children():
        print(f"{tree.label(node)}  {tree.visits[node]:8,}  {tree.mean_value[node]:10.3f}")
    line = ", ".join(tree.label(node) for node in tree.principal_path[1:6])
    print(f"\nExpected line: {line}\nStep through it: python app.py {file}")


if __name__ == "__main__":
    main()
