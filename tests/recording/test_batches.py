"""Several leaves an iteration, and virtual losses: `rec.iteration(leaves=k)`, `virtual_loss=`."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.recording.batch_searches import BatchNode, BatchPUCT, BatchUCT
from tests.recording.searches import Node, PlainUCT

FIELDS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "wins", "action": "move", "to_move": "player",
    "value_range": (0, 1), "game": "tic_tac_toe", "virtual_loss": "virtual",
}  # fmt: skip


def watched(search: BatchUCT, batches: int = 60, path: Path | None = None, **more: Any) -> mv.Trace:
    with mv.record(path, root=search.root, **{**FIELDS, **more}) as rec:
        for _ in range(batches):
            rec.iteration(leaves=search.batch())
    return rec.trace


def whole(search: BatchUCT) -> list[tuple[int, float]]:
    nodes, found = [search.root], []
    while nodes:
        node = nodes.pop()
        found.append((node.visits, node.wins))
        nodes += node.children  # type: ignore[arg-type]
    return sorted(found)


def test_a_batch_is_one_step_with_a_path_for_each_leaf(tmp_path: Path) -> None:
    search = BatchUCT()
    watched(search, path=tmp_path / "batches.mcts")
    trace = mv.open(tmp_path / "batches.mcts")
    snapshot = trace.at(60)
    assert sorted(zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())) == whole(search)
    assert trace.columns.leaves is not None
    assert trace.columns.leaves.tolist() == [8] * 60
    for t in range(1, 61):
        told = trace.iteration(t)
        assert len(told.paths) == 8
        assert told.path in told.paths
        for path in told.paths:
            assert path[0] == 0
    assert PlainUCT().root.visits == 0


def test_virtual_losses_are_taken_off_the_numbers() -> None:
    """Recorded while paths are on their way, the trace has what was backed up, and no more."""
    search = BatchUCT()
    trace = None
    with mv.record(root=search.root, **FIELDS) as rec:
        for _ in range(20):
            rec.iteration(leaves=search.batch())
        before = rec.trace.at(20)
        search.descend()
        rec.iteration(leaves=0)
        trace = rec.trace
    after = trace.at(21)
    n = len(before)
    assert after.visits[:n].tolist() == before.visits.tolist()
    assert after.value_sum[:n].tolist() == before.value_sum.tolist()
    assert not after.visits[n:].any()


def test_a_pair_is_taken_off_visits_and_value() -> None:
    plain, paired = (
        watched(BatchUCT()),
        watched(BatchUCT(), virtual_loss=lambda node: (node.virtual, 0.0)),
    )
    assert plain.at(60).value_sum.tolist() == paired.at(60).value_sum.tolist()


def test_a_correct_batch_has_no_findings() -> None:
    assert {found.severity for found in watched(BatchUCT(), 120).check()} <= {"note"}


@pytest.mark.parametrize(
    ("fault", "check"), [("left", "virtual-loss-left"), ("lost", "visits-lost")]
)
def test_a_fault_of_batches_is_named(fault: str, check: str) -> None:
    trace = watched(BatchUCT(fault=fault), 250)
    found = {found.check for found in trace.check() if found.severity == "error"}
    assert check in found <= {"virtual-loss-left", "visits-lost"}


class LeftOnLeaves(BatchUCT):
    """A virtual loss that nobody is told of is taken back from path[:-1]."""

    def back_up(self, path: list[BatchNode]) -> None:
        super().back_up(path)
        path[-1].visits += 1


@pytest.mark.parametrize("size", [4, 8])
def test_what_stays_at_leaves_is_named_though_batches_come_to_them_again(size: int) -> None:
    trace = watched(LeftOnLeaves(size), 150, virtual_loss=None)
    (one,) = (found for found in trace.check() if found.severity == "error")
    assert one.check == "virtual-loss-left"
    assert "path[:-1]" in one.message


def test_virtual_losses_beside_the_visits_are_not_taken_off_them() -> None:
    """A search that keeps them apart, recorded with virtual_loss= by mistake."""
    search, apart = PlainUCT(), [0]
    fields = {**FIELDS, "virtual_loss": lambda node: apart[0] if node is search.root else 0}
    with mv.record(root=search.root, **fields) as rec:
        for t in range(60):
            search.step()
            apart[0] = 3 * (t % 4 == 3)
            rec.iteration()
    found = next(each for each in rec.trace.check() if each.check == "visits-shrink")
    assert "leave it out where the search keeps it apart" in str(found)


def test_leaves_evaluated_twice_are_told() -> None:
    trace = watched(BatchUCT(size=40, late=True), 30)
    assert "batch-same-leaf" in {found.check for found in trace.check()}


def test_a_virtual_win_leads_a_batch_to_one_leaf() -> None:
    fields = {"virtual_loss": None}  # nothing is under way when a batch ends
    assert {found.severity for found in watched(BatchPUCT(), 120, **fields).check()} <= {"note"}
    found = [x for x in watched(BatchPUCT("won"), 120, **fields).check() if x.severity != "note"]
    assert [each.check for each in found] == ["batch-same-leaf"]
    assert "has the wrong sign, a virtual win" in str(found[0])


def test_one_leaf_has_one_path() -> None:
    search = PlainUCT()
    with mv.record(root=search.root, **{**FIELDS, "virtual_loss": None}) as rec:
        for _ in rec.steps(search.step, 40):
            pass
    assert [rec.trace.iteration(t).paths for t in (1, 40)] == [
        [rec.trace.iteration(t).path] for t in (1, 40)
    ]


def test_what_makes_no_sense_is_named_with_the_fix() -> None:
    search = BatchUCT()
    with mv.record(root=search.root, **{**FIELDS, "virtual_loss": None}) as rec:
        search.batch()
        rec.iteration()
        search.batch()
        with pytest.raises(mv.TraceError, match="give it from the first iteration on"):
            rec.iteration(leaves=8)
    for more, message in (
        ({"virtual_loss": lambda node: "x"}, "virtual_loss= gives 'x'"),
        ({"value_view": "player0"}, "a loss is another number for each player"),
    ):
        other = BatchUCT(fault="left")
        with pytest.raises(mv.TraceError, match=message):
            watched(other, 5, **more)
    with pytest.raises(mv.TraceError, match="leaves=-1 is no number of leaves"):
        mv.record(root=BatchUCT().root, **FIELDS).iteration(leaves=-1)


def test_descents_of_threads_are_iterations_with_their_worker(tmp_path: Path) -> None:
    search = PlainUCT()
    fields = {name: field for name, field in FIELDS.items() if name != "virtual_loss"}
    with mv.record(tmp_path / "threads.mcts", root=search.root, **fields) as rec:

        def work(worker: int) -> None:
            for _ in range(25):
                with rec.lock, rec.descent(worker=worker):
                    search.step()

        threads = [threading.Thread(target=work, args=[worker]) for worker in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    trace = mv.open(tmp_path / "threads.mcts")
    workers = [trace.iteration(t).worker for t in range(1, trace.n_iterations + 1)]
    assert Counter(workers) == {0: 25, 1: 25, 2: 25}
    assert trace.at(75).visits[0] == search.root.visits == 75
    assert mv.search("tic_tac_toe", iterations=2, seed=1).iteration(1).worker is None


@pytest.mark.thorough
def test_choices_beside_descents_under_way_are_no_mistake() -> None:
    """Each thread chooses while three others are on their way."""
    search = BatchPUCT()
    declared = {"selection": "puct", "c": 0.75, "prior": search.prior, "unvisited": 0.5}
    with mv.record(root=search.root, **FIELDS, **declared) as rec:
        under_way = [search.descend() for _ in range(3)]
        for t in range(600):
            under_way.append(search.descend())
            with rec.descent(worker=t % 4):
                search.back_up(under_way.pop(0))
    findings = rec.trace.check()
    assert {found.severity for found in findings} == {"note"}
    (found,) = (x for x in findings if x.check == "selection-unexplained")
    assert "have their virtual losses in the numbers" in str(found)


def test_a_worker_is_a_number() -> None:
    search = PlainUCT()
    fields = {name: field for name, field in FIELDS.items() if name != "virtual_loss"}
    with mv.record(root=search.root, **fields) as rec:
        for wrong in (-1, "a", 1.5, True):
            with pytest.raises(mv.TraceError, match="is no number of a worker"), rec.descent(wrong):  # type: ignore[arg-type]
                pass
        with pytest.raises(ZeroDivisionError), rec.descent(worker=0):
            1 / 0  # noqa: B018
        assert rec.n_iterations == 0
        with rec.descent(worker=0):
            search.step()


def nested_descents(search: BatchUCT, lose: int = 0) -> mv.Trace:
    """As of threads that end while others are at work: what one has added is seen when another is recorded."""
    with mv.record(root=search.root, **FIELDS) as rec:
        for t in range(30):
            with rec.descent(worker=0):
                with rec.descent(worker=1):
                    search.batch()
                if t >= lose:
                    search.batch()
    return rec.trace


def test_threads_that_end_in_another_order_lose_and_double_nothing() -> None:
    trace = nested_descents(BatchUCT(size=1))
    assert trace.at(60).visits[0] == 60
    assert {found.severity for found in trace.check()} <= {"note"}
    found = nested_descents(BatchUCT(size=1), lose=3).check()
    assert [(each.check, each.evidence) for each in found if each.severity == "error"] == [
        ("visits-lost", {"times": 3})
    ]
    found = nested_descents(BatchUCT(size=2)).check()
    assert "visits-double" in {each.check for each in found}


def test_threads_always_have_some_paths_on_their_way() -> None:
    search = BatchUCT(size=1)
    with mv.record(root=search.root, **FIELDS) as rec:
        for t in range(60):
            with rec.descent(worker=t % 3):
                search.batch()
                search.root.virtual = 2  # of the two others
                search.root.visits += 2
            search.root.virtual = 0
            search.root.visits -= 2
    assert "virtual-loss-left" not in {found.check for found in rec.trace.check()}


def test_sums_in_float32_are_rounded() -> None:
    """A win counts 0.7, which float32 has no exact number for: a parent's sum is not that of its children."""
    fields = {
        "value": lambda node: np.float32(0.7 * node.wins), "value_range": (0, 0.7), "virtual_loss": None, "game": None,
    }  # fmt: skip
    assert {found.severity for found in watched(BatchUCT(), 200, **fields).check()} <= {"note"}


def test_of_several_trees_whose_roots_are_added_up_the_moves_are_all_that_is_seen() -> None:
    """Each batch comes to the same moves, which are no leaves."""
    trees = [PlainUCT(seed) for seed in range(4)]
    root = PlainUCT().root
    with mv.record(
        root=root, children="children", visits="visits", value="wins", value_range=(0, 1)
    ) as rec:
        for _ in range(100):
            for tree in trees:
                for _ in range(5):
                    tree.step()
            add_up(root, [tree.root for tree in trees])
            rec.iteration(leaves=20)
    assert {found.severity for found in rec.trace.check()} <= {"note"}


def add_up(root: Node, trees: list[Node]) -> None:
    root.visits, root.wins = sum(one.visits for one in trees), sum(one.wins for one in trees)
    merged = {child.move: child for child in root.children}
    for child in merged.values():
        child.visits, child.wins = 0, 0.0
    for tree in trees:
        for own in tree.children:
            if own.move not in merged:
                merged[own.move] = Node(own.board, own.move, root)
                root.children.append(merged[own.move])
            merged[own.move].visits += own.visits
            merged[own.move].wins += own.wins
