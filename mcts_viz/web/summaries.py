"""What the list of traces says of each: game, preset, iterations, the move, and a small picture of its tree.

A trace is opened for it once and let go of again, so that the few that are open stay open.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import MctsVizError
from mcts_viz.health.finding import Finding
from mcts_viz.importing.opening import open_trace
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.trace import Trace
from mcts_viz.trace.words import plural
from mcts_viz.views.theme import THEMES
from mcts_viz.views.tree_svg import tree_thumbnail
from mcts_viz.web.cache import Cache
from mcts_viz.web.jobs.checkups import findings_of
from mcts_viz.web.library import is_many_name
from mcts_viz.web.words import size

KEPT = 500  # traces
LARGE = 64 << 20  # bytes; a larger file is opened when it is chosen, not to be listed
MANY = 10_000  # iterations; longer searches are checked when *Health* is opened


class TraceSummary(NamedTuple):
    """A trace in the list."""

    game: str
    preset: str
    iterations: str  # how many, in words; or why that is not known
    move: str  # with its summary
    pictures: dict[str, str]  # SVG by theme; none where there is no tree to draw


class Summaries:
    """The summaries of the files seen so far; a changed file gets a new one."""

    def __init__(self) -> None:
        self._known, self._checked = Cache(KEPT), Cache(KEPT)

    def of(self, path: Path) -> TraceSummary:
        """The summary of a file; for one that cannot be opened, the reason in place of its iterations. Raises
        OSError."""
        made = _summary_of_many if is_many_name(path) else _summary
        return self._known.get(_state(path), lambda: made(path))

    def findings(self, path: Path) -> str:
        """How many findings a check has, in words; "" where checking takes long. Raises MctsVizError and OSError."""
        if is_many_name(path):
            return ""
        return self._checked.get(_state(path), lambda: _findings(path))


def _state(path: Path) -> tuple[Path, int, int]:
    stat = path.stat()
    return path, stat.st_mtime_ns, stat.st_size


def _summary(path: Path) -> TraceSummary:
    if path.stat().st_size > LARGE:
        return TraceSummary("", "", f"{size(path.stat().st_size)}: opened when chosen", "", {})
    try:
        trace = open_trace(Trace, path)
    except MctsVizError as error:
        return TraceSummary("", "", f"cannot be opened: {str(error).partition(': ')[2]}", "", {})
    meta, last = trace.meta, trace.at(trace.n_iterations)
    best = last.ranked_children(0)[:1]
    ends = trace.complete or trace.damage is not None
    verb = "" if ends else " leads so far"
    if not meta.has_iterations:
        told = f"a snapshot with {plural(last.n_nodes, 'node')}"
    else:
        told = plural(trace.n_iterations, "iteration") + ("" if trace.complete else ", not whole")
    pictures = {theme: tree_thumbnail(last, theme) for theme in THEMES} if last.n_nodes > 1 else {}
    move = last.short_label(best[0]) + verb if best else ""
    return TraceSummary(meta.game.readable, meta.policies.preset or "", told, move, pictures)


def _summary_of_many(path: Path) -> TraceSummary:
    """What its searches have in common; the picture is that of the first one."""
    try:
        many = ManyFile(path, None, Trace)
        n = plural(len(many), "search", "searches")
        first = many[0] if many else None
    except MctsVizError as error:
        return TraceSummary("", "", f"cannot be opened: {str(error).partition(': ')[2]}", "", {})
    if first is None:
        return TraceSummary("", "", n, "", {})
    meta, last = first.meta, first.at(first.n_iterations)
    pictures = {theme: tree_thumbnail(last, theme) for theme in THEMES}
    preset = meta.policies.preset or ""
    return TraceSummary(meta.game.readable, preset, n, "", pictures)


def _findings(path: Path) -> str:
    trace = open_trace(Trace, path) if path.stat().st_size <= LARGE else None
    if trace is None or trace.n_iterations > MANY or not trace.complete:
        return ""
    return said(findings_of(trace))


def said(findings: Sequence[Finding]) -> str:
    """Numbers of errors, warnings and notes, in words."""
    kinds = [finding.severity for finding in findings]
    parts = [plural(kinds.count(kind), kind) for kind in ("error", "warning", "note") if kind in kinds]  # fmt: skip
    return ", ".join(parts) or "no findings"
