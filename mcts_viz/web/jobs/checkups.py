"""Findings about traces, each checked once for all who look at it, as long as it does not grow."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple, TypeAlias

from mcts_viz.health.finding import Finding
from mcts_viz.health.steps import CheckProgress
from mcts_viz.trace.trace import Trace
from mcts_viz.web.jobs.check_apart import checked_apart, checked_here
from mcts_viz.web.jobs.one_by_one import OneByOne

KEPT = 8  # traces whose findings are remembered

Found: TypeAlias = "Future[Sequence[Finding]]"


class CheckStep(NamedTuple):
    """How far a check is."""

    words: str  # what it looks at
    share: float  # of the iterations, from 0 to 1


def findings_of(trace: Trace, told: CheckProgress | None = None) -> Sequence[Finding]:
    """What is wrong with a trace's search, by the rules of its game where they are known. That of a long trace is found
    in a process of its own. told: hears how far the check is."""
    if trace.path is not None and trace.columns.tree is not None and trace.complete:
        apart = checked_apart(trace.path, told)
        if apart is not None:
            return apart
    return checked_here(trace, told)


class Checkups:
    """Findings of the last few traces. Thread-safe; two checks of different traces do not wait for one another."""

    def __init__(
        self, check: Callable[[Trace, CheckProgress], Sequence[Finding]] = findings_of
    ) -> None:
        self._check = check
        self._progress: dict[str, CheckStep] = {}  # by key of what is being checked
        # with the trace, so that no other one gets its id while the findings are kept
        self._known: OrderedDict[tuple[str, int, int], tuple[Trace, Found]] = OrderedDict()
        self._lock = threading.Lock()
        self._worker = OneByOne("check")

    def of(self, key: str, trace: Trace) -> Sequence[Finding]:
        """Findings of the trace of that key; raises what the check did."""
        found, is_new = self._begun(key, trace)
        if is_new:
            self._run(key, trace, found)
        return found.result()

    def step(self, key: str) -> CheckStep | None:
        """How far the check is where the trace of that key is being checked; None where it is not."""
        return self._progress.get(key)

    def known(self, key: str, trace: Trace) -> Sequence[Finding] | None:
        """The same where they are there by now; None otherwise, and for a trace that has ended, the check begins
        in a thread. Empty where the check failed: the tab *Health* shows the error."""
        if not trace.complete:
            with self._lock:
                there = self._known.get(_version(key, trace))
            if there is None:
                return None
            found = there[1]
        else:
            found, is_new = self._begun(key, trace)
            if is_new:
                self._worker.submit(partial(self._run, key, trace, found))
        if not found.done():
            return None
        return () if found.exception() else found.result()

    def _begun(self, key: str, trace: Trace) -> tuple[Found, bool]:
        """Where the findings will be, and whether the caller has to see to it."""
        name = _version(key, trace)
        with self._lock:
            is_new = name not in self._known
            if is_new:
                self._known[name] = (trace, Future())
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
            self._known.move_to_end(name)
            return self._known[name][1], is_new

    def _run(self, key: str, trace: Trace, found: Found) -> None:
        def told(words: str, share: float) -> None:
            self._progress[key] = CheckStep(words, share)

        try:
            found.set_result(self._check(trace, told))
        except BaseException as err:  # noqa: BLE001 (for whoever waits, who must not wait for ever)
            found.set_exception(err)
        finally:
            self._progress.pop(key, None)


def _version(key: str, trace: Trace) -> tuple[str, int, int]:
    return key, id(trace), trace.n_iterations
