"""What developers do to a recording that nobody planned for: nothing is lost, no number is wrong, and
whatever is refused says why."""

import gc
import os
import signal
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.recording import watched_tree
from mcts_viz.recording.recording import Recording
from tests.recording.searches import PlainUCT

FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "wins"}

forks = pytest.mark.filterwarnings("ignore:.*fork")  # the child does little, and ends at once
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


class Node:
    """A node to which anything may be done."""

    def __init__(self, move: Any = 0, zero: Any = 0) -> None:
        self.move, self.visits, self.wins = move, zero, zero
        self.children: Any = []


def add_child(root: Any, move: Any = 0) -> Any:
    child = Node(move)
    root.children.append(child)
    for node in (root, child):
        node.visits += 1
        node.wins += 0.5
    return child


def grow(rec: Recording[mv.Trace], root: Any, iterations: int) -> None:
    for move in range(iterations):
        add_child(root, move)
        rec.iteration()


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.uint8, Decimal, Fraction, np.array])
def test_numbers_may_be_of_any_kind(kind: Any) -> None:
    root = Node(zero=kind(0))
    with mv.record(root=root, **FIELDS) as rec:
        for move in range(3):
            child = Node(move, kind(0))
            root.children.append(child)
            for node in (root, child):
                node.visits, node.wins = node.visits + kind(1), node.wins + kind(1)
            rec.iteration()
    snapshot = rec.trace.at(3)
    assert snapshot.visits.tolist() == [3, 1, 1, 1]
    assert snapshot.value_sum.tolist() == [3.0, 1.0, 1.0, 1.0]


def test_numbers_that_change_in_their_place_are_seen_to_change() -> None:
    """An array of no dimensions, or a tensor, stays the same object."""
    root, child = Node(), Node()
    for node in (root, child):
        node.visits, node.wins = np.array(0), np.array(0.0)
    root.children.append(child)
    with mv.record(root=root, **FIELDS) as rec:
        for _ in range(3):
            for node in (root, child):
                node.visits += 1
                node.wins += 0.5
            rec.iteration()
    assert rec.trace.history(1).visits.tolist() == [0, 1, 2, 3]
    assert rec.trace.history(1).value_sum.tolist() == [0.0, 0.5, 1.0, 1.5]


class Equal(Node):
    """Equal to everything."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Incomparable(Node):
    """As arrays are."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("ambiguous")


@pytest.mark.parametrize("kind", [Node, Equal, Incomparable])
def test_a_node_is_itself_whatever_it_says_it_equals(kind: type[Node]) -> None:
    root, first, second = kind(), kind(), kind()
    root.children = [first]
    with mv.record(root=root, **FIELDS) as rec:
        first.visits = root.visits = 1
        rec.iteration()
        root.children, second.visits, root.visits = [second], 1, 2  # as many as the first had
        rec.iteration()
        second.visits, root.visits = 2, 3
        rec.iteration()
    assert [rec.trace.at(t).visits.tolist() for t in (1, 2, 3)] == [[1, 1], [2, 1, 1], [3, 1, 2]]


class Stub:
    """A move that was not tried yet."""

    def __init__(self, move: Any) -> None:
        self.move, self.visits, self.wins = move, 0, 0.0
        self.children: list[Any] = []


class Tried(Stub):
    def __eq__(self, other: object) -> bool:
        return bool(self.move == other.move)  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("thorough", [False, True])
def test_a_child_may_be_replaced_by_one_that_says_it_is_equal(thorough: bool) -> None:
    root: Any = Stub(None)
    with mv.record(root=root, thorough=thorough, **FIELDS) as rec:
        root.visits, root.children = 1, [Stub(0), Stub(1)]
        rec.iteration()
        root.children[0] = Tried(0)
        for n in (1, 2):
            root.visits, root.children[0].visits, root.children[0].wins = n + 1, n, -n
            rec.iteration()
    last = rec.trace.at(3)
    assert last.visits.tolist() == [3, 0, 0, 2]
    assert last.value_sum.tolist() == [0.0, 0.0, 0.0, -2.0]


def test_a_child_may_be_replaced_by_one_that_cannot_be_compared() -> None:
    root: Any = Stub(None)
    first, second = Tried(0), Tried(1)
    root.children = [first]
    del first.move
    with mv.record(root=root, **FIELDS) as rec:
        root.visits = 1
        rec.iteration()
        root.children = [second]
        root.visits, second.visits = 2, 1
        rec.iteration()
    assert rec.trace.at(2).visits.tolist() == [2, 0, 1]


def test_a_node_may_stand_twice_beside_an_empty_place() -> None:
    root, child = Stub(None), Stub(0)
    root.children = [child, None, child]
    with mv.record(root=root, **FIELDS) as rec:
        for n in range(1, 6):
            root.visits, child.visits = n, n - 1
            rec.iteration()
    assert rec.trace.at(5).visits.tolist() == [5, 4, 4]


def test_visits_may_be_whole_floats_however_they_change() -> None:
    seen = [1.0, 2.0, 4.0, 4.0, 3.0, 0.0, -1.0, 0.0, 1.0, 2.0**30]
    root, child = Node(0, 0.0), Node(0, 0.0)
    root.children = [child]
    with mv.record(root=root, **FIELDS) as rec:
        for n in seen:
            root.visits = child.visits = n
            child.wins = n / 2
            rec.iteration()
        root.visits += 0.5
        with pytest.raises(mv.TraceError, match=r"visits='visits' gives 1073741824\.5 at the root"):
            rec.iteration()
    for t, n in enumerate(seen, 1):
        assert rec.trace.at(t).visits.tolist() == [n, n]
        assert rec.trace.at(t).value_sum[1] == n / 2


def test_visits_may_jump_as_far_as_a_trace_can_hold() -> None:
    root = Node()
    seen = [-5, 2**31 - 1, -(2**31 - 1), 0]
    with mv.record(root=root, **FIELDS) as rec:
        for visits in seen:
            root.visits = visits
            rec.iteration()
    assert [int(rec.trace.at(t).visits[0]) for t in range(1, 5)] == seen


def test_ten_thousand_levels_are_recorded_and_named_briefly(tmp_path: Path) -> None:
    root = Node()
    path = [root]
    with mv.record(tmp_path / "deep.mcts", root=root, **FIELDS) as rec:
        for _ in range(10_000):
            path.append(Node())
            path[-2].children.append(path[-1])
        for node in path:
            node.visits = 1
        rec.iteration()
        path[-1].wins, path[-1].visits = "many", 2
        for node in path[:-1]:
            node.visits = 2
        with pytest.raises(
            mv.TraceError, match=r"at node 10000 \(root → .*9,988 more …"
        ) as refused:
            rec.iteration()
    assert len(str(refused.value)) < 400
    assert mv.open(tmp_path / "deep.mcts").at(1).visits.tolist() == [1] * 10_001


# children that are made by being looked at


class MadeAnew(Node):
    @property
    def children(self) -> list[Any]:
        return [MadeAnew(move) for move in range(2)]

    @children.setter
    def children(self, _: Any) -> None: ...


class MadeOnDemand(Node):
    made: Any = None

    @property
    def children(self) -> list[Any]:
        if self.made is None:
            self.made = [MadeOnDemand(move) for move in range(2)]
        return self.made  # type: ignore[no-any-return]

    @children.setter
    def children(self, _: Any) -> None: ...


@pytest.mark.parametrize(
    ("kind", "message"),
    [(MadeAnew, "gives new objects each time"), (MadeOnDemand, "more than 1,000 nodes without a visit")],
)  # fmt: skip
def test_a_tree_that_grows_by_being_looked_at_is_refused(
    kind: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_tree, "MOST_UNVISITED", 1_000)
    root = kind()
    rec = mv.record(root=root, **FIELDS)
    root.visits = 1
    with pytest.raises(mv.TraceError, match=message):
        rec.iteration()


# what cannot be recorded


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"root": None}, mv.TraceError, "root= is None: the search has no tree yet"),
        ({"root": lambda: [][0]}, mv.TraceError, "root=, a function, fails: IndexError"),
        ({"path": 5}, mv.TraceError, "path=5 is no file's name"),
        ({"policies": ["ucb1"]}, mv.SearchError, "not a dict; give a dict of plain texts and numbers"),
        ({"policies": {"selection": {"c": float("nan")}}}, mv.SearchError, "plain texts and numbers"),
        ({"policies": {"selection": {"c": np.float32(1)}}}, mv.SearchError, "float32 is not JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_recorded_is_refused_at_once(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        mv.record(**{"root": Node(), **FIELDS, **arguments})


class Wordless:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("fields", "move", "message"),
    [
        ({"prior": lambda node: 1e300}, 0, r"prior=\(a function\) gives 1e\+300 at node 1.*cannot hold"),
        ({"proven": lambda node: float("inf")}, 0, r"proven=\(a function\) gives inf"),
        ({"state": "move"}, Wordless(), "state='move' gives a Wordless at .* that has no text: RuntimeError"),
        ({"action": "move"}, Wordless(), "action= gives a Wordless at node 1.*RuntimeError: no words"),
        ({"visits": lambda node: 10**5_000 * node.visits}, 0, "gives more than 10\\^18 at the root"),
    ],
)  # fmt: skip
def test_a_value_that_no_file_can_hold_is_named(
    fields: dict[str, Any], move: Any, message: str
) -> None:
    root = Node("root")
    rec = mv.record(root=root, **{**FIELDS, **fields})
    add_child(root, move)
    with pytest.raises(mv.TraceError, match=message):
        rec.iteration()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"outcome": float("inf")}, "outcome=inf is more than a trace can hold"),
        ({"outcome": 10**400}, "outcome=10+… is not a number"),
        ({"rollout": 5}, "rollout=5 is not a sequence of moves"),
    ],
)
def test_what_is_told_with_an_iteration_is_checked(told: dict[str, Any], message: str) -> None:
    root = Node()
    rec = mv.record(root=root, **FIELDS)
    add_child(root)
    with pytest.raises(mv.TraceError, match=message):
        rec.iteration(**told)


@pytest.mark.parametrize(
    ("step", "iterations", "message"),
    [(None, 3, "step=None cannot be called"), (lambda: None, "3", "iterations='3' is not a whole")],
)
def test_steps_says_what_it_needs(step: Any, iterations: Any, message: str) -> None:
    with mv.record(root=Node(), **FIELDS) as rec, pytest.raises(mv.TraceError, match=message):
        next(rec.steps(step, iterations))


def test_a_root_that_can_no_longer_be_had_leaves_what_was_recorded(tmp_path: Path) -> None:
    search: Any = SimpleNamespace(root=Node())
    with mv.record(tmp_path / "run.mcts", root=lambda: search.root, **FIELDS) as rec:
        grow(rec, search.root, 4)
        del search.root
        with pytest.raises(mv.TraceError, match="root=, a function, fails: AttributeError"):
            rec.iteration()
    assert mv.open(tmp_path / "run.mcts").n_iterations == 4


# recordings that end otherwise than they should


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_what_ends_a_search_leaves_all_that_was_recorded(
    tmp_path: Path, error: type[BaseException]
) -> None:
    root = Node()

    def search() -> None:
        with mv.record(tmp_path / "run.mcts", root=root, **FIELDS) as rec:
            grow(rec, root, 5)
            raise error

    with pytest.raises(error):
        search()
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (5, False)


def test_an_interrupt_while_recording_leaves_whole_iterations(tmp_path: Path) -> None:
    root = Node()

    def value(node: Node) -> float:
        if node.visits and node.move == 5:
            raise KeyboardInterrupt
        return float(node.wins)

    fields = {**FIELDS, "value": value}
    with (
        pytest.raises(KeyboardInterrupt),
        mv.record(tmp_path / "run.mcts", root=root, **fields) as rec,
    ):
        grow(rec, root, 10)
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (5, False)
    assert trace.at(5).visits.tolist() == [5] + [1] * 5


def test_a_recording_that_is_forgotten_is_in_its_file(tmp_path: Path) -> None:
    root = Node()
    rec = mv.record(tmp_path / "run.mcts", root=root, **FIELDS)
    grow(rec, root, 5)
    del rec
    gc.collect()
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (5, False)


def test_a_script_that_does_not_end_its_recording_loses_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mcts_viz as mv\n"
        "from tests.recording.test_odd_use import FIELDS, Node, grow\n"
        "root = Node()\n"
        "rec = mv.record('run.mcts', root=root, **FIELDS)\n"
        "grow(rec, root, 7)\n"
    )
    folder = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert mv.open(tmp_path / "run.mcts").n_iterations == 7


# several at once


def test_recordings_in_several_threads_do_not_meet(tmp_path: Path) -> None:
    searches = [PlainUCT(seed) for seed in range(3)]

    def record(seed: int) -> None:
        search = searches[seed]
        with mv.record(tmp_path / f"{seed}.mcts", root=search.root, **FIELDS) as rec:
            list(rec.steps(search.step, 300))

    threads = [threading.Thread(target=record, args=[seed]) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, search in enumerate(searches):
        last = mv.open(tmp_path / f"{seed}.mcts").at(300)
        assert (int(last.visits[0]), float(last.value_sum[0])) == (300, search.root.wins)


def test_a_file_that_another_process_writes_is_left_to_it(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "run.mcts"
    root = Node()
    with mv.record(path, root=root, **FIELDS) as rec:
        grow(rec, root, 5)
    before = path.read_bytes()
    with path.open(
        "rb"
    ) as other:  # a lock as another process would have it: no writer of ours has the file
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(mv.TraceError, match="another process is recording into this file"):
            mv.record(path, root=Node(), **FIELDS)
    assert path.read_bytes() == before
    with mv.record(path, root=root, **FIELDS) as rec:  # now it may
        grow(rec, root, 2)
    assert mv.open(path).n_iterations == 2


@needs_fork
@pytest.mark.parametrize("ending", ["close", "leave", "record on"])
@forks
def test_a_forked_process_does_not_write_into_its_parents_file(tmp_path: Path, ending: str) -> None:
    root, path = Node(), tmp_path / "run.mcts"
    with mv.record(path, root=root, **FIELDS) as rec:
        grow(rec, root, 5)
        child = os.fork()
        if child == 0:
            status = 9
            try:
                if ending == "leave":
                    rec.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
                    status = 0
                else:
                    grow(rec, root, 1_500 if ending == "record on" else 1)
                    rec.close()
            except mv.TraceError as err:
                status = 0 if "from which this one was forked" in str(err) else 8
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        grow(rec, root, 5)
    trace = mv.open(path)
    assert (trace.n_iterations, trace.complete) == (10, True)
    assert int(trace.at(10).visits[0]) == 10


@needs_fork
@forks
def test_a_file_may_be_written_again_though_a_forked_process_still_has_it(tmp_path: Path) -> None:
    root, path = Node(), tmp_path / "run.mcts"
    rec = mv.record(path, root=root, **FIELDS)
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        rec.close()
        with mv.record(path, root=root, **FIELDS) as rec:
            grow(rec, root, 3)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert mv.open(path).n_iterations == 3


# disks


def test_a_full_disk_is_told_at_once() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with pytest.raises(mv.TraceError, match=r"No space left on device\. Make room"):
        mv.record("/dev/full", root=Node(), **FIELDS)


@needs_fork
@forks
def test_a_disk_that_fills_up_leaves_what_it_held(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "run.mcts"
    root = Node()
    child = os.fork()
    if child == 0:
        status = 9
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            with mv.record(path, root=root, **FIELDS) as rec:
                grow(rec, root, 50)
                rec._writer.append(rec._tree.log.take())  # type: ignore[union-attr]
                rec._writer.flush()  # type: ignore[union-attr]
                size = path.stat().st_size
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, size + 500))
                grow(rec, root, 5_000)
        except mv.TraceError as err:
            status = 0 if "File too large" in str(err) else 8
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    trace = mv.open(path)
    assert (trace.n_iterations, trace.complete) == (50, False)
