"""The check of a long trace: in a process of its own, with the findings that it has in this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcts_viz.games.position import start_position
from mcts_viz.health.finding import Finding
from mcts_viz.health.steps import CheckProgress
from mcts_viz.runs.worker_trace import check_search
from mcts_viz.trace.trace import Trace
from mcts_viz.web.jobs import check_apart, checkups
from mcts_viz.web.jobs.check_apart import checked_apart
from tests.indexed import searched


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trace:
    found: Trace = searched("tic_tac_toe", 3_000, tmp_path, monkeypatch)
    return found


def found_here(trace: Trace) -> Sequence[Finding]:
    return check_search(trace, start_position(trace.meta.game.name, trace.meta.start))


def test_a_process_finds_what_is_found_here(trace: Trace) -> None:
    assert trace.path is not None
    expected, steps = found_here(trace), []
    assert expected
    assert checked_apart(trace.path, lambda *step: steps.append(step)) == expected
    words, shares = zip(*steps, strict=True)
    assert {"paths", "values", "selection"} <= set(words)
    assert min(shares) == 0
    assert max(shares) <= 1


def test_long_traces_are_checked_apart(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [Finding("selection-rule", "note", None, None, "from a process")]
    asked: list[Path] = []

    def apart(path: Path, _: CheckProgress | None) -> list[Finding]:
        asked.append(path)
        return told

    monkeypatch.setattr(checkups, "checked_apart", apart)
    assert checkups.findings_of(trace) == told
    assert asked == [trace.path]


def test_without_a_process_they_are_checked_here(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_apart.sys, "executable", "no-such-program")
    assert checkups.findings_of(trace) == found_here(trace)


def test_a_file_that_is_gone_is_no_finding(tmp_path: Path) -> None:
    assert checked_apart(tmp_path / "none.mcts") is None


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="there are no such priorities here")
def test_it_gives_way_to_everything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a program that ends at once: at its priority, a check takes minutes beside other tests
    monkeypatch.setattr(check_apart.sys, "executable", shutil.which("true"))
    started: list[int] = []
    real = os.setpriority

    def note(which: int, process: int, priority: int) -> None:
        real(which, process, priority)
        started.append(os.getpriority(which, process))

    monkeypatch.setattr(check_apart.os, "setpriority", note)
    checked_apart(tmp_path / "any.mcts")
    assert started == [check_apart.LOWEST]


def test_it_does_not_outlive_the_page(trace: Trace) -> None:
    command = [sys.executable, "-m", check_apart.__name__, str(trace.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        told, _ = process.communicate()  # ends its input at once
    assert process.returncode == 1
    assert told == b""
