"""A check says how far it is; that of a long trace goes on where it was stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.games.position import start_position
from mcts_viz.health.finding import Finding
from mcts_viz.health.steps import CheckProgress
from mcts_viz.runs.worker_trace import check_search
from mcts_viz.trace.saving import save_trace
from tests.health.zoo import recorded
from tests.variants import few


class StoppedError(Exception):
    """As by Ctrl-C."""


@pytest.fixture
def long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mv.Trace:
    """A faulty search whose trace is opened as a long one is."""
    monkeypatch.setenv("MCTS_VIZ_INDEX", "1")
    monkeypatch.setenv("MCTS_VIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("mcts_viz.trace.index.opening.SMALLEST", 0)
    save_trace(recorded("tic_tac_toe", "argmin", iterations=300), tmp_path / "trace.mcts")
    trace = mv.open(tmp_path / "trace.mcts")
    assert trace.columns.index is not None
    return trace


def checked(trace: mv.Trace, told: CheckProgress | None = None) -> list[Finding]:
    rules = start_position(trace.meta.game.name, trace.meta.start)
    return check_search(trace, rules, told=told)


def looked_at(trace: mv.Trace, stop: str | None = None) -> set[str]:
    """Steps that went through the iterations until one was stopped."""
    seen = set()

    def told(words: str, share: float) -> None:
        if words == stop:
            raise StoppedError
        if share > 0:
            assert share <= 1
            seen.add(words)

    try:
        checked(trace, told)
    except StoppedError:
        seen.add("stopped")
    return seen


def test_a_check_goes_on_where_it_was_stopped(long: mv.Trace) -> None:
    before = looked_at(long, stop="selection")
    assert {"paths", "values", "stopped"} <= before
    after = looked_at(long)
    assert "selection" in after
    assert not after & before
    assert looked_at(long) == set()


@pytest.mark.thorough
@pytest.mark.parametrize("part", few(range(4)))
def test_wherever_it_was_stopped_it_finds_the_same(
    part: int, long: mv.Trace, tmp_path: Path
) -> None:
    """In each fourth step, from that part on."""
    names: list[str] = []
    whole = checked(long, lambda words, share: names.append(words))
    for stop in list(dict.fromkeys(names))[part::4]:
        for kept in (tmp_path / "cache").rglob("checks/*.json"):
            kept.unlink()
        assert "stopped" in looked_at(long, stop)
        assert checked(long) == whole


def test_what_is_kept_are_the_findings(long: mv.Trace, tmp_path: Path) -> None:
    first = checked(long)
    assert "selection-argmin" in {one.check for one in first}
    assert checked(long) == first
    (kept,) = (tmp_path / "cache").rglob("checks/*.json")
    kept.write_text("{")  # torn
    assert checked(long) == first


def test_another_trace_is_checked_anew(long: mv.Trace, tmp_path: Path) -> None:
    checked(long)
    save_trace(recorded("tic_tac_toe", None, iterations=300), tmp_path / "trace.mcts")
    other = mv.open(tmp_path / "trace.mcts")
    assert "values" in looked_at(other)
    assert "selection-argmin" not in {one.check for one in checked(other)}


@pytest.mark.thorough
def test_without_a_place_for_it_nothing_is_kept(
    long: mv.Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MCTS_VIZ_CACHE", str(tmp_path / "file"))
    assert checked(long) == checked(long)
    assert "values" in looked_at(long)
