"""A trace that is exported as events and imported again has every column and everything told of its nodes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.trace.format import Rows
from mcts_viz.trace.node_documents import MOST
from tests.importing import make_agent_logs as made


def there_and_back(path: Path) -> tuple[mv.Trace, mv.Trace]:
    """The trace in a file, and what its events make."""
    events, again = path.with_suffix(".ndjson"), path.with_name("again.mcts")
    assert main(["export", str(path), "-o", str(events)]) == 0
    assert main(["import", str(events), "-o", str(again)]) == 0
    return mv.open(path), mv.open(again)


def assert_equal(trace: mv.Trace, again: mv.Trace) -> None:
    for column in Rows.columns:
        found, due = again.columns[column.name], trace.columns[column.name]
        assert (found is None) == (due is None), column.name
        assert found is None or np.array_equal(found, due, equal_nan=True), column.name
    for kind in ("value_gaps", "misses", "remarks", "numbers"):
        assert getattr(again.columns.asides, kind) == getattr(trace.columns.asides, kind), kind
    for node in range(trace.n_nodes):
        found_, due_ = again.columns.documents(node), trace.columns.documents(node)
        assert found_ == due_
        assert [each.content for each in found_] == [each.content for each in due_]


def test_documents_and_numbers_of_nodes(tmp_path: Path) -> None:
    made.write(tmp_path)
    for name in ("evolution_trace.jsonl", "aide_journal.json"):
        mv.import_trace(tmp_path / name, tmp_path / f"{name}.mcts")
        trace, again = there_and_back(tmp_path / f"{name}.mcts")
        assert any(map(trace.columns.documents, range(trace.n_nodes)))
        assert trace.columns.asides.numbers
        assert_equal(trace, again)


def test_workers_gaps_misses_and_pictures(tmp_path: Path) -> None:
    def node(value: float | None) -> SimpleNamespace:
        return SimpleNamespace(children={}, visits=0, value=value, documents=None)

    root = node(0.0)
    path = tmp_path / "run.mcts"
    with mv.record(
        path, root=root, children="children", visits="visits", value="value", documents="documents",
        score=lambda parent, child: -child.visits,
    ) as rec:  # fmt: skip
        for t in range(6):
            with rec.descent(worker=t % 2):
                child = root.children.setdefault(min(t, 1), node(1.0))
                for each in (root, child):
                    each.visits += 1
                if t == 2:
                    child.value = None
                    child.documents = {
                        "plot": b"\x89PNG\r\n\x1a\n\x00\xff",
                        "long": "x" * (MOST + 9),
                    }
    trace, again = there_and_back(path)
    asides = trace.columns.asides
    assert asides.misses
    assert asides.value_gaps
    assert again.iteration(3).worker == 0
    assert_equal(trace, again)
    (long,) = (each for each in again.columns.documents(2) if each.name == "long")
    assert long.is_cut
