"""A cache of evaluations whose key leaves out the score, or the player to move."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest

import mcts_viz as mv
from tests.health.unusual import Node, Puct
from tests.variants import few

CHECK = "simulation-shared-value"
N = 9


class State(NamedTuple):
    taken: frozenset[int]
    score: tuple[int, int]
    player: int


class Marbles:
    """Marbles are taken one by one, each worth as much as its neighbours are there still; who gets more than one point
    moves again."""

    first = State(frozenset(), (0, 0), 0)

    def moves(self, state: State) -> list[int]:
        return [each for each in range(N) if each not in state.taken]

    def play(self, state: State, move: int) -> State:
        worth = sum(each not in state.taken for each in ((move - 1) % N, (move + 1) % N))
        score = list(state.score)
        score[state.player] += worth
        after = state.player if worth > 1 else 1 - state.player
        return State(state.taken | {move}, (score[0], score[1]), after)

    def player(self, state: State) -> int:
        return state.player

    def outcome(self, state: State) -> float | None:
        if len(state.taken) < N:
            return None
        return float((state.score[0] > state.score[1]) - (state.score[0] < state.score[1]))


class Cached(Puct):
    """The network sees all of the state, and is asked once for each key."""

    whole = False

    def __init__(self, rules: Any, seed: int) -> None:
        self.cache: dict[Any, float] = {}
        super().__init__(rules, seed)

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return leaf.outcome
        key = leaf.state if self.whole else leaf.state.taken
        if key not in self.cache:
            self.cache[key] = random.Random(repr(leaf.state)).uniform(-0.9, 0.9)
        leaf.results.append(self.cache[key])
        return self.cache[key] if leaf.player == 0 else -self.cache[key]


class WholeKey(Cached):
    whole = True


def text(node: Node) -> str:
    taken, score, player = node.state
    return f"{sorted(taken)} {score} {player}"


def seen(kind: type[Cached], **told: Any) -> list[mv.Finding]:
    search = kind(Marbles(), 1)
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", prior="P", to_move="player",
        players=("A", "B"), value_range=(-1, 1), **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 700):
            pass
    return [one for one in rec.trace.check() if one.check == CHECK]


TOLD: dict[str, dict[str, Any]] = {
    "texts": {"state": text},
    "texts and evaluations": {
        "state": text, "evaluation": lambda node: node.results[0] if node.results else None,
    },
    "who is to move": {},
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("told", few(TOLD, 3))
def test_a_key_without_score_and_player_is_named(told: str) -> None:
    (one,) = seen(Cached, **TOLD[told])
    assert one.severity == "note"
    assert "by a key that leaves out what differs there" in one.message
    assert one.evidence["alike"] == one.evidence["pairs"]


@pytest.mark.parametrize("told", few(TOLD, 3))
def test_a_key_of_the_whole_position_is_right(told: str) -> None:
    assert seen(WholeKey, **TOLD[told]) == []


def test_texts_that_tell_the_moves_are_no_other_positions() -> None:
    """Each has its own, so that nothing says which positions are the same."""

    def history(node: Node) -> str:
        moves = []
        above: Node | None = node
        while above is not None:
            moves.append(str(above.move))
            above = above.parent
        return " ".join(moves)

    assert seen(Cached, state=history) == []
