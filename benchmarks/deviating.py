"""Long traces whose statistics do not follow from leaves: rewards and a discount along the path, and several leaves an
iteration. Made up, for no search is needed to measure what it costs to look at them.

`python -m benchmarks deviating` measures 3 million iterations; MCTS_VIZ_DEVIATING, in millions, says others.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import mcts_viz as mv
from benchmarks.figures import Figure, in_process
from benchmarks.huge import MADE_UP, MILLION, paths_of
from mcts_viz.trace.format import FIELDS_VERSION, Rows
from mcts_viz.trace.groups import Group
from mcts_viz.trace.rows import LISTS
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.types import Document, Numbers

DISCOUNT = 0.97
LEAVES = 4  # of an iteration in batches


def measure() -> Iterator[Figure]:
    """For each kind of trace, in a folder that is removed afterwards."""
    millions = int(os.environ.get("MCTS_VIZ_DEVIATING", "3"))
    for name, make in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.mcts"
            make(path, millions * MILLION)
            yield from _figures(path, f"{millions} M, {name}: ")


def _figures(path: Path, name: str) -> Iterator[Figure]:
    made = in_process("benchmarks.huge", "make", path)
    yield Figure(f"{name}first opening: the index is made", made["seconds"], "s")
    yield Figure(f"{name}memory meanwhile, at most, anonymous", made["anonymous"], "MB")
    index = path.with_name(path.name + ".index").stat().st_size
    yield Figure(f"{name}trace", path.stat().st_size / MILLION, "MB")
    how = f"{index / made['iterations']:.1f} bytes an iteration"
    yield Figure(f"{name}index", index / MILLION, "MB", how=how)
    asked = [in_process("benchmarks.huge", "ask", path) for _ in range(3)]
    for what in asked[0]:
        unit = "s" if what == "opening again" else "MB" if "memory" in what else "ms"
        yield Figure(f"{name}{what}", statistics.median(each[what] for each in asked), unit)


def with_rewards(path: Path, n: int) -> None:
    """Each node has a reward; what is backed up is the discounted sum of those below."""
    rng = np.random.default_rng(1)
    reward = rng.random(n + 1).astype(np.float32)
    with TraceWriter(path, _document()) as writer:
        for new, above, depth, node, offset in paths_of(rng, n):
            value = np.empty(len(node))
            below, at = rng.random(len(new)), offset[1:] - 1
            left = np.diff(offset)
            while len(at):
                value[at] = below = reward[node[at]] + DISCOUNT * below
                left = left - 1
                going = left > 0
                below, at, left = below[going], at[going] - 1, left[going]
            nodes = _nodes(new, above, depth, np.arange(len(new) + 1), reward[new])
            updates = _list(
                "updates", offset, node=node, visits=np.ones(len(node), np.int32), value=value
            )
            writer.append(_rows(new, nodes, updates))


def in_batches(path: Path, n: int) -> None:
    """Each iteration makes and evaluates some leaves at once; a node gets as many visits as of them are below it."""
    rng = np.random.default_rng(1)
    with TraceWriter(path, _document()) as writer:
        for new, above, depth, node, offset in paths_of(rng, n * LEAVES):
            # of the very first nodes the last iteration has fewer
            ends = np.minimum(np.arange(0, len(new) + LEAVES, LEAVES), len(new))
            row = np.repeat(np.arange(len(new)) // LEAVES, np.diff(offset))
            result = np.repeat(rng.integers(0, 3, len(new)) / 2, np.diff(offset))
            key = row * np.int64(n * LEAVES + 1) + node
            key, which, visits = np.unique(key, return_inverse=True, return_counts=True)
            rows, nodes = np.divmod(key, n * LEAVES + 1)
            updates = _list(
                "updates", np.searchsorted(rows, np.arange(len(ends))), node=nodes.astype(np.int32),
                visits=visits.astype(np.int32), value=np.bincount(which, result),
            )  # fmt: skip
            made = _nodes(new, above, depth, ends)
            leaves = np.diff(ends).astype(np.int32)
            writer.append(_rows(new[ends[1:] - 1], made, updates, leaves=leaves))


def _document() -> Document:
    meta = mv.search("connect_four", iterations=1, seed=1).meta
    more = {"not_observed": ["rollout"], "notes": [MADE_UP], "format_version": FIELDS_VERSION}
    return {**meta, **more}


def _nodes(
    new: Numbers, above: Numbers, depth: Numbers, offset: Numbers, reward: Numbers | None = None
) -> Group:
    to_move, action = (depth[new] % 2).astype(np.int8), (new % 7).astype(np.int32)
    return _list("nodes", offset, parent=above, action=action, to_move=to_move, reward=reward)


def _list(name: str, offset: Numbers, **columns: Numbers | None) -> Group:
    made: Group = LISTS[name].group(offset.astype(np.int32), **columns)
    return made


def _rows(leaf: Numbers, nodes: Group, updates: Group, **more: Numbers) -> Rows:
    n = len(leaf)
    elapsed, outcome = np.full(n, int(leaf[-1]) * 1_000, np.int64), np.full(n, np.nan, np.float32)
    return Rows(leaf=leaf, outcome=outcome, elapsed=elapsed, nodes=nodes, updates=updates, **more)


KINDS = {"rewards": with_rewards, f"{LEAVES} leaves an iteration": in_batches}
