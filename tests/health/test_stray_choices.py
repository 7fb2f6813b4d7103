"""One choice in thousands that no rule explains: of shared nodes visits may not tell which way was gone."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv


class State:
    def __init__(self, ones: int, twos: int) -> None:
        self.key, self.N, self.total = (ones, twos), 0, 0.0
        self.next: dict[int, State] = {}


class Walk:
    """Steps of one or two kinds, in any order; odd: iterations that take the worst child at the root."""

    def __init__(self, shared: bool, odd: frozenset[int]) -> None:
        self.random, self.shared, self.odd = random.Random(1), shared, odd
        self.known: dict[tuple[int, int], State] = {}
        self.root, self.n = self.state(0, 0), 0

    def state(self, ones: int, twos: int) -> State:
        if not self.shared:
            return State(ones, twos)
        return self.known.setdefault((ones, twos), State(ones, twos))

    def step(self) -> None:
        self.n += 1
        path = [self.root]
        while path[-1].N and sum(path[-1].key) < 6:
            path.append(self.choose(path[-1]))
        result = self.random.random() < 0.3 + 0.1 * path[-1].key[0]
        for state in path:
            state.N += 1
            state.total += result

    def choose(self, state: State) -> State:
        if not state.next:
            ones, twos = state.key
            state.next = {1: self.state(ones + 1, twos), 2: self.state(ones, twos + 1)}
        fresh = [child for child in state.next.values() if not child.N]
        if fresh:
            return fresh[0]
        log = math.log(state.N)
        best = min if state is self.root and self.n in self.odd else max
        return best(
            state.next.values(), key=lambda child: child.total / child.N + math.sqrt(log / child.N)
        )


def found(shared: bool, odd: frozenset[int]) -> mv.Finding | None:
    search = Walk(shared, odd)
    with mv.record(
        root=search.root, children="next", visits="N", value="total", players=("walker",), value_range=(0, 1),
        shared=shared or None, selection="ucb1", c=1.0, unvisited="first",
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 1_500):
            pass
    wrong = [one for one in rec.trace.check() if one.check == "selection-unexplained"]
    return wrong[0] if wrong else None


@pytest.mark.parametrize(
    ("shared", "odd", "severity"),
    [
        (True, {900}, "note"),
        (False, {900}, "warning"),
        (True, set(range(100, 1_500, 25)), "warning"),
    ],
)
def test_a_stray_choice_is_a_note_where_nodes_are_shared(
    shared: bool, odd: set[int], severity: str
) -> None:
    one = found(shared, frozenset(odd))
    assert one is not None
    assert one.severity == severity
    assert ("which of several ways" in one.message) == (severity == "note")
