"""What a search of a fleet costs to scan, and a stored question about a million of them to answer."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

import mcts_viz as mv
from benchmarks import fleet_page
from benchmarks.figures import Figure, in_process, resident_megabytes
from mcts_viz.fleets import summary
from mcts_viz.fleets.building import refresh
from mcts_viz.fleets.columns import TABLES, schema
from mcts_viz.fleets.place import Folder
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.fleets.store import Part, PartFiles
from mcts_viz.fleets.workers import Workers

SEARCHES, ITERATIONS, ROWS, PART_ROWS = 400, 500, 1_000_000, 200_000
GOAL_SUMMARY, GOAL_CHECK, GOAL_JOBS, GOAL_SECONDS, GOAL_MEGABYTES = 3.0, 15.0, 1.7, 1.0, 500.0
NUMBERS = np.random.default_rng(1)


def measure() -> Iterator[Figure]:
    """Connect Four, 500 iterations with rollouts; then a million synthetic rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs"
        path.mkdir()
        wanted = [
            {"game": "connect_four", "iterations": ITERATIONS, "seed": seed, "start": [seed % 7]}
            for seed in range(SEARCHES)
        ]
        mv.search_many(wanted, path / "a.many")
        yield from _scanning(path)
        yield from _asking(Path(folder) / "large")
        yield from fleet_page.measure(Path(folder) / "large", ROWS)


def _scanning(path: Path) -> Iterator[Figure]:
    many, n = mv.ManyTraces(path / "a.many"), 100
    how = f"Connect Four, {ITERATIONS} iterations with rollouts"
    checks, real = summary.check_search, summary.Depth()
    summary.summary(many[0], real)
    summary.check_search = lambda *_: []  # type: ignore[assignment]
    began = time.process_time()
    for number in range(n):
        summary.summary(many[number], real)
    spent = 1e3 * (time.process_time() - began) / n
    summary.check_search = checks
    yield Figure("a summary, with reading", spent, "ms of a processor", GOAL_SUMMARY, how=how)
    traces = many[:n]
    began = time.process_time()
    for trace in traces:
        trace.check(quick=True)
    spent = 1e3 * (time.process_time() - began) / n
    yield Figure("the quick checks", spent, "ms of a processor", GOAL_CHECK, how=how)
    began = time.process_time()
    for trace in traces[:10]:
        trace.check()
    yield Figure("all checks", 1e3 * (time.process_time() - began) / 10, "ms of a processor")
    refresh(PartFiles(Folder(str(path))), Workers(2))  # the processes are there from now on
    times = {jobs: _built(path, jobs) for jobs in (1, 2, 1, 2)}
    how = f"{SEARCHES} searches"
    yield Figure("a scan, a search", 1e3 * times[1] / SEARCHES, "ms", how=how)
    yield Figure(
        "two processes for one", times[1] / times[2], "times as fast", GOAL_JOBS, True, how
    )


def _built(path: Path, jobs: int) -> float:
    shutil.rmtree(path / "fleet-tables")
    began = time.perf_counter()
    refresh(PartFiles(Folder(str(path))), Workers(jobs))
    return time.perf_counter() - began


def _asking(folder: Path) -> Iterator[Figure]:
    folder.mkdir()
    for number in range(ROWS // PART_ROWS):
        _write(folder, number)
    found = {name: in_process("benchmarks.fleet", folder, name) for name in QUESTIONS}
    for name, (seconds, _) in found.items():
        yield Figure(f"{name}: {ROWS:,} searches", seconds, "s", GOAL_SECONDS)
    most = max(found, key=lambda name: found[name][1])
    yield Figure("the most memory of one", found[most][1], "MB", GOAL_MEGABYTES, how=most)


def _write(folder: Path, number: int) -> None:
    """Rows with numbers in every column that a question reads; two moves and half a finding a search."""
    n = PART_ROWS
    first = number * n
    ids = pa.array([f"run{number}/a.many#{each}" for each in range(n)])
    low, visits = NUMBERS.uniform(-1, 1, n), NUMBERS.integers(1, 400, 2 * n)
    searches = {
        "search_id": ids, "file": pa.array([f"run{number}/a.many"] * n).dictionary_encode().cast(pa.string()),
        "offset": np.arange(n), "game": ["go"] * n, "position": (NUMBERS.integers(0, 5000, n)).astype(str),
        "game_id": (np.arange(first, first + n) // 40).astype(str), "ply": NUMBERS.integers(0, 60, n),
        "slot": NUMBERS.integers(0, 64, n), "seed": np.arange(first, first + n), "simulation": ["value"] * n,
        "preset": ["alphazero"] * n, "c": NUMBERS.choice([0.7, 1.4, 2.8], n), "player": np.zeros(n),
        "iterations": NUMBERS.choice([100, 400, 800], n), "nodes": NUMBERS.integers(90, 900, n),
        "depth": NUMBERS.integers(4, 40, n), "seconds": NUMBERS.uniform(0.1, 1.0, n), "moves": np.full(n, 30),
        "value_low": np.full(n, -1.0), "value_high": np.ones(n), "root_value": low, "result": np.sign(low),
        "visit_entropy": NUMBERS.uniform(0.5, 3.0, n), "prior_entropy": NUMBERS.uniform(0.5, 3.0, n),
        "kl_visits_prior": NUMBERS.uniform(0.0, 1.0, n), "visit_margin": NUMBERS.uniform(0.0, 1.0, n),
        "lead_since": NUMBERS.integers(1, 100, n), "regret": NUMBERS.choice([0.0, 0.0, 0.0, 0.5], n),
        "prior_digest": NUMBERS.integers(0, 2**60, n).astype(str), "digest": NUMBERS.integers(0, 2**60, n).astype(str),
        "errors": np.zeros(n), "warnings": np.zeros(n), "notes": np.zeros(n),
    }  # fmt: skip
    moves = {
        "search_id": pa.concat_arrays([ids, ids]), "action": NUMBERS.integers(0, 361, 2 * n), "name": ["d4"] * (2 * n),
        "visits": visits, "policy": visits / 400, "prior": NUMBERS.uniform(0, 1, 2 * n), "best": visits > 200,
        "exact_value": NUMBERS.choice([1.0, -1.0, np.nan], 2 * n), "legal": np.ones(2 * n, np.bool_),
    }  # fmt: skip
    findings = {
        "search_id": ids[: n // 2], "check": ["selection-rule"] * (n // 2), "severity": ["note"] * (n // 2),
        "message": ["UCB1 explains all choices"] * (n // 2),
    }  # fmt: skip
    rows = {"searches": searches, "moves": moves, "findings": findings}
    tables = {name: _table(name, rows[name]) for name in TABLES}
    PartFiles(Folder(str(folder))).write(Part(f"run{number}", "made"), tables)


def _table(name: str, columns: dict[str, object]) -> pa.Table:
    n = len(columns["search_id"])  # type: ignore[arg-type]
    wanted = schema(name)
    arrays = [
        pa.array(columns[field.name]).cast(field.type, safe=False)
        if field.name in columns
        else pa.nulls(n, field.type)
        for field in wanted
    ]
    return pa.Table.from_arrays(arrays, schema=wanted)


if __name__ == "__main__":  # one question in a process of its own
    fleet = mv.Fleet(sys.argv[1], scanned=False)
    fleet.sql("select 1").fetchall()
    began = time.perf_counter()
    fleet.ask(sys.argv[2])
    print(json.dumps([time.perf_counter() - began, resident_megabytes()[1]]))
