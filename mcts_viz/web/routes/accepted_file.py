"""What was accepted of a trace on the page: a baseline beside the trace, as docs/health.md describes it.

Nothing is kept in memory, so that all tabs and workers see the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mcts_viz.errors import PageError, TraceError
from mcts_viz.health.acceptance import (
    accept_findings,
    accepted_file,
    read_baseline,
    write_baseline,
)
from mcts_viz.health.finding import Finding
from mcts_viz.web.routes.notes_file import alone


def accepted_of(trace: Path) -> dict[str, str]:
    """The reasons by check; none where there is no file. Raises PageError for one that cannot be
    understood, which is then left alone."""
    path = accepted_file(trace)
    try:
        return read_baseline(path) if path.exists() else {}
    except TraceError as err:
        raise PageError(str(err)) from err


def with_reasons(findings: Sequence[Finding], trace: Path) -> Sequence[Finding]:
    """The findings, those that were accepted marked; none of them where the file is damaged."""
    try:
        return accept_findings(findings, accepted_of(trace))
    except PageError:
        return findings


def accept(trace: Path, check: str, reason: str) -> None:
    """Accept the findings of a check. Raises PageError for an empty reason, and where the file cannot
    be written."""
    _change(trace, check, reason)


def take_back(trace: Path, check: str) -> None:
    """Undo that. Raises PageError where the file cannot be written."""
    _change(trace, check, None)


def _change(trace: Path, check: str, reason: str | None) -> None:
    path = accepted_file(trace)
    with alone(path):
        kept = {name: text for name, text in accepted_of(trace).items() if name != check}
        if reason is not None:
            kept[check] = reason
        try:
            if kept:
                write_baseline(path, kept)
            else:
                path.unlink(missing_ok=True)
        except TraceError as err:
            raise PageError(str(err)) from err
