"""Runs the searches of a suite: a Python function, or a command that writes events."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from mcts_viz.bench.suite import BenchTask, Suite
from mcts_viz.errors import MctsVizError, SearchError
from mcts_viz.fleets.summary import Depth, Row, summary
from mcts_viz.importing.formats import import_trace
from mcts_viz.recording.recording import TraceMaker
from mcts_viz.runs.probe import recorded
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.trace import Trace, columns_of

AnyTrace = TypeVar("AnyTrace", bound=Trace)
Entry = Callable[..., object]
SECONDS = 600  # that a command may take for one search


class BenchResult(NamedTuple):
    """One search that was run."""

    task: BenchTask
    trace: Trace
    row: Row  # as in the table `searches` of a fleet
    findings: list[Row]  # those that are not accepted
    seconds: float

    @property
    def digest(self) -> str:
        """The same for the same tree, grown in the same order."""
        return str(self.row["digest"])

    @property
    def regret(self) -> float | None:
        """What the move gives away, a win worth 1; None: not known."""
        found = self.row["regret"]
        return None if found is None else float(found)

    @property
    def errors(self) -> list[Row]:
        """Findings that no correct search has."""
        return [each for each in self.findings if each["severity"] == "error"]


def run_suite(
    suite: Suite, trace: TraceMaker[AnyTrace], told: Callable[[int], None] = lambda done: None
) -> list[BenchResult]:
    """Run all searches, one after the other, and report how many are done. Raises SearchError for one that fails, and
    says which."""
    entry = None if suite.document.command else entry_point(suite)
    results = []
    for task in suite.tasks:
        began = time.perf_counter()
        try:
            if entry is None:
                found: Trace = _of_command(suite, task, trace)
            else:
                found = _of_function(suite, entry, task, trace)
        except MctsVizError as err:
            raise SearchError(f"{suite.path}: {task.name}: {err}") from err
        except Exception as err:  # the user's code
            raise SearchError(
                f"{suite.path}: {task.name}: {suite.whose} fails: {type(err).__name__}: {err}"
            ) from err
        seconds = time.perf_counter() - began
        told_of = summary(found, Depth(full=True, truth=suite.document.truth))
        findings = [row for row in told_of.findings if row["check"] not in suite.document.accept]
        results.append(BenchResult(task, found, told_of.search, findings, seconds))
        told(len(results))
    return results


def entry_point(suite: Suite) -> Entry:
    """The function that the suite names, looked for beside the suite first; raises SearchError."""
    module, _, name = suite.document.search.partition(":")
    folder = str(suite.path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as err:  # whatever error the user's module raises
        raise SearchError(
            f"{suite.path}: search = {suite.document.search!r} cannot be had: {type(err).__name__}: {err}; write "
            "'module:function', of a module that is beside the suite or installed"
        ) from err
    finally:
        sys.path.remove(folder)
    if not callable(found):
        raise SearchError(f"{suite.path}: search = {suite.document.search!r} is no function")
    return found  # type: ignore[no-any-return]


def _of_function(suite: Suite, entry: Entry, task: BenchTask, trace: TraceMaker[AnyTrace]) -> Trace:
    """What the function gives: a trace, or what `mcts_viz.probe` takes, which is recorded here."""
    made = entry(task.position, task.seed, task.iterations)
    if isinstance(made, Trace):
        return made
    return recorded(trace, lambda position: made, task.position, task.iterations, None)  # type: ignore[return-value,arg-type]


def _of_command(suite: Suite, task: BenchTask, trace: TraceMaker[AnyTrace]) -> Trace:
    """The trace of the events that the command writes."""
    values = {
        "moves": ",".join(str(action) for action in task.position),
        "seed": str(task.seed),
        "iterations": str(task.iterations),
    }
    words = [_filled(word, values) for word in suite.document.command]
    folder = suite.path.resolve().parent
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=SECONDS)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise SearchError(f"{words[0]} ends with exit code {done.returncode}: {said}")
    with tempfile.TemporaryDirectory() as place:
        events, path = Path(place) / "events", Path(place) / "run.mcts"
        events.write_bytes(done.stdout)
        import_trace(events, path)
        file = TraceFile(path)  # read as a whole, before it is gone
        columns = columns_of(file, file.rows(write_out=False), file.length)
        return trace(file.meta, columns, None, file.ended)


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return os.path.expanduser(word)
