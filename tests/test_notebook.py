"""In a notebook the page stands under the cell, and snapshots and explanations show themselves.

Jupyter is not needed: what stands in for IPython has the few names of its that are used.
"""

from __future__ import annotations

import sys
import urllib.request
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import notebook
from mcts_viz.web.ids import Ids


class Frame:
    """What IPython.display.IFrame is given."""

    def __init__(self, src: str, width: str, height: int) -> None:
        self.src, self.width, self.height = src, width, height


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A notebook's kernel around us; what is displayed under the cell."""
    shown: list[Any] = []
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    vars(ipython).update(get_ipython=lambda: SimpleNamespace(kernel=object()), display=display)
    vars(display).update(IFrame=Frame, HTML=str, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook, "_addresses", {})
    return shown


def recorded(folder: Path, seed: int = 1) -> mv.Trace:
    return mv.search("tic_tac_toe", iterations=200, seed=seed, path=folder / f"search{seed}.mcts")


def test_show_puts_the_page_under_the_cell(tmp_path: Path, cell: list[Frame]) -> None:
    mv.show(recorded(tmp_path))
    (frame,) = cell
    assert frame.src.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{frame.src}_dash-layout", timeout=60) as answer:
        assert Ids.GRAPH.value in answer.read().decode()


def test_show_can_be_called_again(tmp_path: Path, cell: list[Frame]) -> None:
    first, second = recorded(tmp_path, 1), recorded(tmp_path, 2)
    for trace in (first, second, first):
        mv.show(trace)
    addresses = [frame.src for frame in cell]
    assert addresses[0] == addresses[2] != addresses[1]
    for address, trace in zip(addresses, (first, second)):
        with urllib.request.urlopen(f"{address}api/start", timeout=60) as answer:
            assert trace.path is not None
            assert trace.path.stem in answer.read().decode()


def test_a_trace_in_memory_is_shown_as_the_file_that_needs_no_server(cell: list[str]) -> None:
    mv.show(mv.search("tic_tac_toe", iterations=50, seed=1))
    (shown,) = cell
    frames: list[dict[str, str | None]] = []

    class Frames(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            frames.append({"tag": tag, **dict(attrs)})

    Frames().feed(shown)
    (frame,) = frames
    assert frame["tag"] == "iframe"
    assert (frame["srcdoc"] or "").startswith("<!doctype html>")


def test_there_is_no_notebook_where_ipython_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not notebook.is_notebook()
    plain = ModuleType("IPython")
    for shell in (None, SimpleNamespace()):  # not started; a shell in a terminal
        vars(plain)["get_ipython"] = lambda shell=shell: shell
        monkeypatch.setitem(sys.modules, "IPython", plain)
        assert not notebook.is_notebook()
    with pytest.raises(mv.PageError, match="only in memory"):
        mv.show(mv.search("tic_tac_toe", iterations=5, seed=1))


class Cells(HTMLParser):
    """The texts of a table's cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def test_a_snapshot_shows_its_moves_with_the_apis_numbers() -> None:
    tree = mv.search("tic_tac_toe", iterations=500, seed=1).at(400)
    told = tree._repr_html_()
    cells = Cells()
    cells.feed(told)
    assert cells.rows[0] == ["move", "visits", "share", "mean value, view of X"]
    ranked = tree.ranked_children(0)
    assert [row[0].removeprefix("★ ") for row in cells.rows[1:]] == [tree.label(v) for v in ranked]
    for node, row in zip(ranked, cells.rows[1:]):
        assert row[1:] == [
            str(tree.visits[node]),
            f"{tree.visits[node] / 4:.1f} %",
            f"{tree.mean_value[node]:.4f}",
        ]
    assert cells.rows[1][0].startswith("★ ")
    assert f"★ <b>{tree.best_action_name}</b> would be played: most visits" in told
    line = ", ".join(tree.label(node) for node in tree.principal_path[1:13])
    assert f"Expected line: {line}" in told


def test_a_snapshot_before_the_first_iteration_and_one_with_priors_and_many_moves() -> None:
    trace = mv.search("mnk:5,5,4", "alphazero", iterations=200, seed=1)
    assert "No move yet" in trace.at(0)._repr_html_()
    told = trace.at(200)._repr_html_()
    assert "prior" in told
    assert "+13 more moves with" in told


def test_hostile_labels_stay_text() -> None:
    tree = mv.search("tic_tac_toe", iterations=100, seed=1).at(100)
    bad = replace(tree, recorded_labels=["<script>x</script>"] * tree.n_nodes)
    assert "<script" not in mv.Snapshot._repr_html_(bad)
