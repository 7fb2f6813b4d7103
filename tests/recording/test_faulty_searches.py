"""A trace tells what a search did, right or wrong: every number of every node after every
iteration."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from tests.recording.searches import FaultyNode, FaultySearch

Moves = tuple[int, ...]  # from the root
Numbers = tuple[int, float]  # visits, value_sum in the view of the mover

VALUES: dict[str, Callable[[random.Random], float]] = {
    "scores": lambda draw: draw.choice([-1.0, 0.0, 0.5, 1.0]),
    "any": lambda draw: draw.uniform(-1, 1),
    "thirds": lambda draw: draw.randrange(-9, 9) / 3,
    "huge and tiny": lambda draw: draw.choice([1e300, -1e300, 1e-300, 0.1, -(2.0**31), 1e16]),
}


def expected(
    node: FaultyNode, visits: int, mover: int, root_player: int, view: str, kind: str, high: float
) -> float:
    """value_sum in the view of the mover, computed from the definition."""
    opposite = {
        "mover": False,
        "to_move": node.player != mover,  # players need not alternate
        "player0": mover == 1,
        "root": mover != root_player,
    }[view]
    if kind == "mean":
        mean = (high - 1.0) - node.value if opposite else node.value
        return mean * visits
    return (high - 1.0) * visits - node.value if opposite else node.value


def note(
    seen: dict[Moves, Numbers], root: FaultyNode, view: str, kind: str, high: float
) -> dict[Moves, Numbers]:
    """What is known of all nodes that ever were, by the moves that lead to them."""
    known = dict(seen)
    nodes: list[tuple[Moves, FaultyNode, int]] = [((), root, 1 - root.player)]
    while nodes:
        moves, node, mover = nodes.pop()
        value = expected(node, node.visits, mover, root.player, view, kind, high)
        known[moves] = (node.visits, value)
        nodes += [((*moves, child.move), child, node.player) for child in node.children]
    return known


def told(snapshot: mv.Snapshot) -> dict[Moves, Numbers]:
    """The same as a snapshot tells it."""
    moves: list[Moves] = [()]
    for parent, action in zip(snapshot.parent[1:].tolist(), snapshot.action[1:].tolist()):
        moves.append((*moves[parent], action))
    return dict(zip(moves, zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())))


@given(
    seed=st.integers(0, 2**32),
    values=st.sampled_from(sorted(VALUES)),
    view=st.sampled_from(["mover", "to_move", "player0", "root"]),
    high=st.sampled_from([1.0, 2.0, 0.7]),
    anywhere=st.booleans(),
    iterations=st.integers(1, 60),
)
def test_every_number_of_a_faulty_search_is_in_its_trace(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    values: str,
    view: str,
    high: float,
    anywhere: bool,
    iterations: int,
) -> None:
    path = tmp_path_factory.mktemp("faulty") / "run.mcts"
    search = FaultySearch(seed, VALUES[values], anywhere)
    known: list[dict[Moves, Numbers]] = [{(): (0, 0.0)}]
    with mv.record(
        path,
        root=search.root,
        children="children",
        visits="visits",
        value="value",
        action="move",
        to_move="player",
        value_view=view,
        value_range=(-1.0, high),
        thorough=anywhere,
    ) as rec:
        for _ in rec.steps(search.step, iterations):
            known.append(note(known[-1], search.root, view, "sum", high))
    for trace in (rec.trace, mv.open(path)):
        assert trace.complete
        assert trace.n_iterations == iterations
        for t in range(1, iterations + 1):
            assert told(trace.at(t)) == known[t]
        for t in range(iterations, 0, -1):
            assert told(trace.at(t)) == known[t]
    last = rec.trace.at(iterations)
    for node in range(len(last)):
        history = rec.trace.history(node)
        assert history.visits[-1] == last.visits[node]
        assert history.value_sum[-1] == last.value_sum[node]


@given(
    seed=st.integers(0, 2**32),
    view=st.sampled_from(["mover", "to_move", "player0", "root"]),
    iterations=st.integers(1, 60),
)
def test_a_mean_comes_back_as_it_was(seed: int, view: str, iterations: int) -> None:
    search = FaultySearch(seed, VALUES["any"])
    with mv.record(
        root=search.root,
        children="children",
        visits="visits",
        value="value",
        action="move",
        to_move="player",
        value_view=view,
        value_kind="mean",
    ) as rec:
        for _ in rec.steps(search.step, iterations):
            snapshot = rec.trace.at(rec.n_iterations)
            known = note({}, search.root, view, "mean", 1.0)
            for moves, (visits, value_sum) in told(snapshot).items():
                if moves in known:
                    assert visits == known[moves][0]
                    assert value_sum == pytest.approx(known[moves][1], rel=1e-14, abs=1e-300)


def test_the_mean_on_the_page_is_the_mean_of_the_search() -> None:
    """To the last bit, although the trace keeps sums; bit for bit wherever a sum does it."""
    draw = np.random.default_rng(1)

    class Leaf:
        visits, mean = 0, 0.0
        children: tuple[Any, ...] = ()

    root = Leaf()
    with mv.record(
        root=root, children="children", visits="visits", value="mean", value_kind="mean"
    ) as rec:
        means = []
        for _ in range(2_000):
            root.visits += 1
            root.mean += (float(draw.random()) - root.mean) / root.visits
            rec.iteration()
            means.append(root.mean)
    shown = rec.trace.history(0).mean_value[1:]
    assert np.all(np.abs(shown - means) <= np.spacing(means))
    visits = np.arange(1, 2_001)
    sums = np.array(
        [visits * means, np.nextafter(visits * means, 9e9), np.nextafter(visits * means, 0)]
    )
    possible = (sums / visits == means).any(axis=0)
    assert np.array_equal(shown == means, possible)
    assert possible.mean() > 0.8


def test_without_thorough_a_change_off_the_path_shows_when_its_parent_is_visited() -> None:
    root, child, grandchild = FaultyNode(-1, 0), FaultyNode(0, 1), FaultyNode(1, 0)
    root.children, child.children = [child], [grandchild]
    fields: dict[str, Any] = {"children": "children", "visits": "visits", "value": "value"}
    with (
        mv.record(root=root, **fields) as rec,
        mv.record(root=root, thorough=True, **fields) as all,
    ):
        for visited, changed in (
            ([root, child], None),
            ([root], grandchild),
            ([root, child], None),
        ):
            for node in visited:
                node.visits += 1
            if changed is not None:
                changed.visits += 7
            rec.iteration()
            all.iteration()
    assert rec.trace.history(2).visits.tolist() == [0, 0, 0, 7]
    assert all.trace.history(2).visits.tolist() == [0, 0, 7, 7]


def test_a_child_that_vanishes_stays_and_may_come_back() -> None:
    root, child = FaultyNode(-1, 0), FaultyNode(0, 1)
    with mv.record(root=root, children="children", visits="visits", value="value") as rec:
        for children in ([child], [], [child]):
            root.children = children
            root.visits += 1
            child.visits += 1
            rec.iteration()
    assert rec.trace.n_nodes == 2
    assert rec.trace.history(1).visits.tolist() == [0, 1, 1, 3]
    assert any("taken out of the tree" in note for note in rec.trace.meta["notes"])


def test_a_node_with_two_parents_is_recorded_once_for_each_path() -> None:
    root, left, right, shared = (FaultyNode(move, 0) for move in (-1, 0, 1, 2))
    root.children, left.children, right.children = [left, right], [shared], [shared]
    with mv.record(root=root, children="children", visits="visits", value="value", action="move",
                   thorough=True) as rec:  # fmt: skip
        for _ in range(3):
            for node in (root, left, shared):
                node.visits += 1
            rec.iteration()
    snapshot = rec.trace.at(3)
    assert told(snapshot) == {
        (): (3, 0.0), (0,): (3, 0.0), (1,): (0, 0.0), (0, 2): (3, 0.0), (1, 2): (3, 0.0),
    }  # fmt: skip
    assert any("several parents" in note for note in rec.trace.meta["notes"])


def test_visits_that_jump_are_recorded_as_they_jump(tmp_path: Path) -> None:
    root = FaultyNode(-1, 0)
    with mv.record(tmp_path / "jump.mcts", root=root, children="children", visits="visits",
                   value="value") as rec:  # fmt: skip
        for more in (2, 0, -1):
            root.visits += more
            rec.iteration()
    assert [
        [update.visits for update in rec.trace.iteration(t).updates] for t in (1, 2, 3)
    ] == [[2], [], [-1]]  # fmt: skip
