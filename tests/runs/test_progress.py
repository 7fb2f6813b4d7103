"""The progress bar of the command line."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from mcts_viz.engine.budget import budget
from mcts_viz.engine.search import run
from mcts_viz.runs import progress
from mcts_viz.runs.progress import progress_bar, progress_words
from tests.searches import prepare


def shown(monkeypatch: pytest.MonkeyPatch, **parameters: Any) -> str:
    """What a terminal shows of a search."""
    screen = io.StringIO()

    def console(**_: Any) -> Console:
        return Console(file=screen, force_terminal=True, width=120, color_system=None)

    monkeypatch.setattr(progress, "Console", console)
    plan = prepare("tic_tac_toe", seed=1, compile=False, **parameters)
    with progress_bar(plan, shown=True) as bar:
        run(plan, bar)
    return screen.getvalue()


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"iterations": 60}, "60 of 60 iterations, 61 nodes"),
        ({"preset": "rhu2001", "seconds": 0.05}, " iterations, "),
        ({"seconds": 60, "nodes": 40}, "39 iterations, 40 nodes"),
    ],
)
def test_every_kind_of_budget_ends_with_a_full_bar(
    monkeypatch: pytest.MonkeyPatch, parameters: dict[str, Any], told: str
) -> None:
    text = shown(monkeypatch, **parameters)
    assert told in text
    assert "100%" in text


def test_a_search_that_ends_early_leaves_its_bar_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = shown(monkeypatch, iterations=1_000, decided=True, start=["a1", "a2", "b1", "b2"])
    assert " of 1,000 iterations" in text
    assert "100%" not in text


def test_a_pipe_gets_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    plan = prepare("tic_tac_toe", iterations=20, seed=1)
    with progress_bar(plan, shown=True) as bar:
        run(plan, bar)
    assert capsys.readouterr().err == ""


def test_iterations_are_counted_against_those_allowed() -> None:
    assert (
        progress_words(budget(1_000, None, (None, None)), 5, 6) == "5 of 1,000 iterations, 6 nodes"
    )
    assert progress_words(budget(None, 2.0, (None, None)), 5, 6) == "5 iterations, 6 nodes"


def test_a_long_check_without_a_terminal_tells_a_line_now_and_then() -> None:
    now, told = [0.0], list[str]()
    line = progress.lines_of_check(told.append, lambda: now[0])
    for at, words, share in ((5.0, "paths", 0.5), (25.0, "values", 0.1), (30.0, "values", 0.4)):
        now[0] = at
        line(words, share)
    assert told == ["checking: values, 10%"]
