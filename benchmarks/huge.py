"""Traces that are larger than memory: opened by their index.

Connect Four, recorded by us, without simulations. Opening is measured in processes of their own, for their memory:
what a process has to itself (anonymous), as what is mapped is the system's. 100 million iterations need some 20 GB for
the search's own tree, so a trace of them is made by this script (`synthetic`), which says so in its metadata.

`python -m benchmarks huge` measures 1 and 10 million iterations; MCTS_VIZ_HUGE, in millions, says others.
MCTS_VIZ_HUGE_GAME is a game whose tree fits into memory, such as tic_tac_toe: traces of any length are then real.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import mcts_viz as mv
from benchmarks.figures import Figure, in_process, seconds
from benchmarks.page import of_trace
from mcts_viz.engine.search import run
from mcts_viz.runs.options import search_options
from mcts_viz.runs.search import prepare
from mcts_viz.trace.format import Rows
from mcts_viz.trace.groups import Group
from mcts_viz.trace.index.ahead import wait_for
from mcts_viz.trace.index.opening import SWITCH, make_index, places
from mcts_viz.trace.rows import LISTS
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.types import Ints, Numbers
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.visible import Visible
from mcts_viz.web.routes.messages import timeline_message, view_message, window_message
from mcts_viz.web.routes.views import _final, _view

MILLION = 1_000_000
SYNTHETIC = 50  # millions of iterations, from which on traces are made up
GAME = os.environ.get("MCTS_VIZ_HUGE_GAME", "")
QUESTIONS = 40
ROUNDS = 3
BATCH = 16_384
MADE_UP = "Made up by benchmarks/huge.py: no search has done this."


def measure() -> Iterator[Figure]:
    """For each length, in a folder that is removed afterwards."""
    for millions in map(int, os.environ.get("MCTS_VIZ_HUGE", "1,10").split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.mcts"
            if GAME or millions < SYNTHETIC:
                made = in_process("benchmarks.huge", "record", path, millions)
                yield Figure(f"{millions} M: recording", made["seconds"], "s")
                yield Figure(f"{millions} M: memory meanwhile", made["anonymous"], "MB")
                if millions < SYNTHETIC:
                    yield from cost_of_recording(path, millions)
            else:
                synthetic(path, millions * MILLION)
            yield from figures(path, f"{millions} M: ", millions > 10)


def figures(path: Path, name: str, is_longest: bool) -> Iterator[Figure]:
    """Of a trace; the goals are those of ten million iterations, or of a hundred."""

    def goal(shorter: float, longer: float) -> float:
        return longer if is_longest else shorter

    made = in_process("benchmarks.huge", "make", path)
    yield Figure(f"{name}first opening: the index is made", made["seconds"], "s", goal(20, 240))
    yield Figure(
        f"{name}memory meanwhile, at most, anonymous", made["anonymous"], "MB", goal(600, 1_500)
    )
    index = path.with_name(path.name + ".index").stat().st_size
    yield Figure(f"{name}trace", path.stat().st_size / MILLION, "MB")
    yield Figure(
        f"{name}index",
        index / MILLION,
        "MB",
        how=f"{index / made['iterations']:.1f} bytes an iteration",
    )
    asked = [in_process("benchmarks.huge", "ask", path) for _ in range(3)]
    middle = {what: statistics.median(each[what] for each in asked) for what in asked[0]}
    for what, unit, shorter, longer in (
        ("opening again", "s", 0.3, 1.0), ("memory after it, anonymous", "MB", 80, 200),
        ("300 visible nodes at random t, first one", "ms", 100, 150),
        ("300 visible nodes at random t, median", "ms", 30, 50),
        ("300 visible nodes at t + 1", "ms", 2, 2), ("root's children at random t", "ms", 30, 50),
        ("trace.iteration(t)", "ms", None, None), ("trace.history(random node)", "ms", 50, 100),
        ("trace.history(0, points=1000)", "ms", 50, 100), ("trace.explain()", "ms", 300, 500),
        ("picture: choice, layout, timeline", "ms", None, None),
        ("picture: a window of 400 iterations", "ms", None, None),
        ("memory after all this, anonymous", "MB", 80, 200),
    ):  # fmt: skip
        wanted = None if shorter is None else goal(shorter, longer or 0)
        yield Figure(f"{name}{what}", middle[what], unit, wanted)
    yield from of_trace(path, int(made["iterations"]))
    checked = in_process("benchmarks.huge", "check", path)
    yield Figure(
        f"{name}trace.check()", checked["seconds"], "s", goal(150, 1_500),
        how=f"{checked['processor']:.0f} s of a processor",
    )  # fmt: skip
    yield Figure(f"{name}memory while it checks, at most, anonymous", checked["anonymous"], "MB")


def cost_of_recording(path: Path, millions: int) -> Iterator[Figure]:
    """What trace and index cost the search."""
    name = f"{millions} M: "
    cost = in_process("benchmarks.huge", "cost", path.with_name("cost.mcts"), millions)
    yield Figure(f"{name}time with trace and index ÷ without", cost["times"], "", 1.2)
    yield Figure(f"{name}the same without an index", cost["trace"], "")
    yield Figure(f"{name}until the index is there, after the search", cost["then"], "s")


def cost(path: str, millions: str) -> dict[str, float]:
    """Times as long as without, and seconds after it; medians of rounds in turns."""
    options = {"iterations": int(millions) * MILLION, "seed": 1, "rollouts": False}
    mv.search(GAME or "connect_four", **{**options, "iterations": 1_000}, compile=True)
    found: dict[str, list[float]] = {"times": [], "trace": [], "then": []}
    for _ in range(ROUNDS):
        plan = prepare(GAME or "connect_four", search_options(**options, compile=True))
        alone = seconds(lambda plan=plan: run(plan))
        for index, name in (("off", "trace"), ("1000000", "times")):
            os.environ[SWITCH] = index
            found[name].append(
                seconds(lambda: mv.search(GAME or "connect_four", **options, path=path)) / alone
            )
        found["then"].append(seconds(lambda: wait_for(places(Path(path))[0])))
    return {name: statistics.median(values) for name, values in found.items()}


def record(path: str, millions: str) -> dict[str, float]:
    """Seconds, and the most anonymous memory, of a search and its recording."""
    before, most = anonymous(), [0.0]

    def look() -> bool:
        most.append(anonymous() - before)
        return False

    took = seconds(
        lambda: mv.search(
            GAME or "connect_four", iterations=int(millions) * MILLION, seed=1, rollouts=False, path=path, stop=look
        )
    )  # fmt: skip
    return {"seconds": took, "anonymous": max(most)}


def make(path: str) -> dict[str, float]:
    """Seconds, and the most anonymous memory while the index is made."""
    before, most = anonymous(), [0.0]
    took = seconds(lambda: make_index(path, lambda _: most.append(anonymous() - before)))
    return {"seconds": took, "anonymous": max(most), "iterations": mv.open(path).n_iterations}


def check(path: str) -> dict[str, float]:
    """Seconds, those of a processor, and the most anonymous memory of a check of which nothing was kept before."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MCTS_VIZ_CACHE"] = folder
        trace = mv.open(path)
        before, most, done = anonymous(), [0.0], threading.Event()

        def watch() -> None:
            while not done.wait(0.1):
                most.append(anonymous() - before)

        watching = threading.Thread(target=watch)
        watching.start()
        began = time.process_time()
        took = seconds(trace.check)
        processor = time.process_time() - began
        done.set()
        watching.join()
    return {"seconds": took, "processor": processor, "anonymous": max(most)}


def ask(path: str) -> dict[str, float]:
    """Seconds, milliseconds and megabytes by what was asked."""
    before, opened = anonymous(), []
    found = {"opening again": seconds(lambda: opened.append(mv.open(path)))}
    found["memory after it, anonymous"] = anonymous() - before
    trace = opened[0]
    n, rng = trace.n_iterations, np.random.default_rng(1)
    nodes = most_visited(trace)

    def look(t: int, at: Ints = nodes) -> None:
        snapshot = trace.at(t)
        there = at[at < len(snapshot)]
        assert len(snapshot.visits[there]) == len(snapshot.value_sum[there])

    ts = rng.integers(1, n, QUESTIONS).tolist()
    times = [milliseconds(lambda t=t: look(t)) for t in ts]
    found["300 visible nodes at random t, first one"] = times[0]
    found["300 visible nodes at random t, median"] = statistics.median(times[1:])
    found["300 visible nodes at t + 1"] = statistics.median(
        milliseconds(lambda t=t: look(t)) for t in range(n // 2, n // 2 + QUESTIONS)
    )
    children = trace.topology.children(0, trace.n_nodes).astype(np.int64)
    found["root's children at random t"] = statistics.median(
        milliseconds(lambda t=t: look(t, children)) for t in ts
    )
    found["trace.iteration(t)"] = statistics.median(
        milliseconds(lambda t=t: trace.iteration(t)) for t in ts
    )
    found["trace.history(random node)"] = milliseconds(
        lambda: trace.history(int(nodes[200]), points=1_000)
    )
    found["trace.history(0, points=1000)"] = milliseconds(lambda: trace.history(0, points=1_000))
    found["trace.explain()"] = milliseconds(trace.explain)
    final = _final(trace, n, None)
    view = _view(final, ViewSpec(budget=300))
    found["picture: choice, layout, timeline"] = milliseconds(
        lambda: (view_message(final, _view(final, ViewSpec(budget=301))), timeline_message(final))
    )
    found["picture: a window of 400 iterations"] = statistics.median(
        milliseconds(lambda t=t: window_message(final, view.replay, t, min(t + 400, n))) for t in ts
    )
    found["memory after all this, anonymous"] = anonymous() - before
    return found


def most_visited(trace: mv.Trace) -> Ints:
    """The 300 nodes that a picture shows."""
    visible: Visible = _view(
        _final(trace, trace.n_iterations, None), ViewSpec(budget=300)
    ).replay.visible
    return visible.node[: visible.n_nodes].astype(np.int64)


def milliseconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    return 1_000 * seconds(work)


def anonymous() -> float:
    """Megabytes that this process has to itself; 0 where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0.0
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["RssAnon"].split()[0]) / 1024


def synthetic(path: Path, n: int) -> None:
    """A trace that no search made: each iteration makes a node below one that is there already, an early one more often
    than a late one, and backs up a result drawn by chance. Nodes have seven children, a few some more."""
    rng = np.random.default_rng(1)
    meta = mv.search("connect_four", iterations=1, seed=1).meta
    with TraceWriter(path, {**meta, "not_observed": ["rollout"], "notes": [MADE_UP]}) as writer:
        for new, above, depth, node, offset in paths_of(rng, n):
            result = rng.integers(-1, 2, len(new)).astype(np.float32)
            first = np.repeat(result, np.diff(offset)) * np.where(depth[node] % 2, 1.0, -1.0)
            writer.append(_rows(new, above, depth[new], node, offset, result, (first + 1) / 2))


def paths_of(
    rng: np.random.Generator, n: int
) -> Iterator[tuple[Numbers, Numbers, Numbers, Numbers, Numbers]]:
    """Some new nodes after the other, n in all, by id: these, the nodes above them, the depths of all nodes, and the
    nodes from the root to each, with offsets."""
    parent, depth = np.full(n + 1, -1, np.int32), np.zeros(n + 1, np.uint8)
    n_children = np.zeros(n + 1, np.uint8)
    begin = 0
    while begin < n:
        new = np.arange(begin + 1, min(begin + min(BATCH, max(1, begin)), n) + 1, dtype=np.int32)
        above = (rng.random(len(new)) ** 3 * (begin + 1)).astype(np.int32)
        for _ in range(20):
            full = np.flatnonzero((n_children[above] >= 7) | (depth[above] >= 30))
            above[full] = rng.integers(0, begin + 1, len(full))
        np.add.at(n_children, above, 1)
        parent[new], depth[new] = above, depth[above] + 1
        begin += len(new)
        length = depth[new].astype(np.int64) + 1
        offset = np.append(0, np.cumsum(length))
        node = np.empty(int(offset[-1]), np.int32)
        at, place = new.copy(), offset[1:] - 1
        while len(at):
            node[place] = at
            going = at > 0
            at, place = parent[at[going]], place[going] - 1
        yield new, above, depth, node, offset


def _rows(
    new: Numbers, above: Numbers, depth: Numbers, node: Numbers, offset: Numbers, result: Numbers, value: Numbers
) -> Rows:  # fmt: skip
    n = len(new)

    def group(name: str, offsets: Numbers, **columns: Numbers) -> Group:
        made: Group = LISTS[name].group(offsets.astype(np.int32), **columns)
        return made

    return Rows(
        leaf=new, outcome=result, elapsed=np.full(n, int(new[-1]) * 1_000, np.int64),
        nodes=group("nodes", np.arange(n + 1), parent=above,
                    action=(new % 7).astype(np.int32), to_move=(depth % 2).astype(np.int8)),
        updates=group("updates", offset, node=node, visits=np.ones(len(node), np.int32), value=value),
    )  # fmt: skip


if __name__ == "__main__":
    steps = {"record": record, "make": make, "ask": ask, "check": check, "cost": cost}
    print(json.dumps(steps[sys.argv[1]](*sys.argv[2:])))
