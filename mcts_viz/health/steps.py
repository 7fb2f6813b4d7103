"""The steps of a check: which one runs and how far it is, and what each has found. Of a long trace that is kept in the
user's cache, so that a check that was stopped goes on where it was."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from mcts_viz.health.finding import Finding
from mcts_viz.trace.index.layout import stamp_of
from mcts_viz.trace.memory import cache_folder
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document

Row = TypeVar("Row", bound=tuple[object, ...])
CheckProgress = Callable[
    [str, float], None
]  # what is looked at, and how much of the iterations has been
MOST_KEPT = 100  # traces whose findings are kept, those checked last


class KeptResults:
    """What steps have found, in a file; memory alone where it cannot be written."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: Document = {}
        if path is not None:
            with contextlib.suppress(OSError, ValueError):
                self._found = dict(json.loads(path.read_text("utf-8")))

    def get(self, name: str) -> object | None:
        """None where the step has not run to its end."""
        return self._found.get(name)

    def put(self, name: str, found: object) -> None:
        """Keep what a step has found, as JSON has it."""
        if self._path is None:
            return
        self._found[name] = found
        with contextlib.suppress(OSError, TypeError, ValueError):
            text = json.dumps(self._found, default=lambda number: number.item())  # of numpy
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(f".{os.getpid()}")
            new.write_text(text, "utf-8")
            new.replace(self._path)
            _forget_oldest(self._path)


class Steps:
    """Runs the steps of a check, one after the other."""

    def __init__(self, told: CheckProgress | None = None, kept: KeptResults | None = None) -> None:
        """told: is called with each range of iterations that a step has looked at."""
        self._told, self._kept = told, kept or KeptResults(None)
        self._words = ""

    def look(self, share: float) -> None:
        """The step that runs has looked at this share of the iterations."""
        if self._told is not None:
            self._told(self._words, share)

    def findings(self, words: str, work: Callable[[], Iterable[Finding]]) -> list[Finding]:
        """What a step finds, or has found before; words: what it looks at."""
        known = self._begin(words)
        if isinstance(known, list):
            return [Finding(**each) for each in known]
        found = list(work())
        self._kept.put(words, [asdict(each) for each in found])
        return found

    def numbers(
        self, words: str, kind: Callable[..., Row], work: Callable[[], Row | None]
    ) -> Row | None:
        """The same of a step that gives some numbers, which `kind` takes, or None."""
        known = self._begin(words)
        if isinstance(known, list):
            return kind(*known) if known else None
        found = work()
        self._kept.put(words, list(found or ()))
        return found

    def _begin(self, words: str) -> object | None:
        self._words = words
        self.look(0.0)
        return self._kept.get(words)


def kept_results(trace: Trace, rules: str) -> KeptResults:
    """What earlier checks of a long trace have found; of another one nothing is kept, for its check takes seconds.
    rules: by which rules of a game it was checked."""
    if trace.path is None or trace.columns.index is None:
        return KeptResults(None)
    try:
        stamp = stamp_of(trace.path)
    except OSError:
        return KeptResults(None)
    name = hashlib.sha256(repr((stamp, rules, _version())).encode()).hexdigest()[:24]
    return KeptResults(cache_folder() / "checks" / f"{name}.json")


@functools.cache
def _version() -> str:
    """Of the checks, and of the rules and formulas that they ask: of all of this package."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _forget_oldest(newest: Path) -> None:
    kept = sorted(newest.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
    for each in kept[:-MOST_KEPT]:
        each.unlink()
