"""Accepted findings, each with a reason, and the file that keeps them: a baseline for
tests and the command line, and what the page keeps beside a trace. docs/health.md describes the file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mcts_viz.errors import TraceError
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.finding import Finding
from mcts_viz.trace.format import SUFFIX

KIND, VERSION = "accepted findings", 1
LONGEST_REASON = 2_000  # characters

ACCEPTED_SUFFIX = ".accepted.json"

AnyFinding = TypeVar("AnyFinding", bound=Finding)


def accept_findings(findings: Iterable[AnyFinding], reasons: Mapping[str, str]) -> list[AnyFinding]:
    """The same findings, those of these checks marked with the reason. Raises TraceError for an
    unknown check or an empty reason."""
    reasons = checked_reasons(reasons)
    return [
        replace(finding, accepted=reasons[finding.check]) if finding.check in reasons else finding
        for finding in findings
    ]


def checked_reasons(reasons: object) -> dict[str, str]:
    """Reasons by check; raises TraceError naming what is wrong."""
    if not isinstance(reasons, Mapping):
        raise TraceError(
            f"accept={reasons!r} is no dict; write the name of a check with the reason: "
            'accept={"selection-untried": "progressive widening"}'
        )
    checked: dict[str, str] = {}
    for check, reason in reasons.items():
        if check not in CHECKS:
            raise TraceError(
                f"there is no check {check!r} to accept findings of; docs/health.md lists all"
            )
        if not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
            raise TraceError(
                f"the reason for accepting {check} is {str(reason)[:60]!r}; write one, of "
                f"{LONGEST_REASON:,} characters at most"
            )
        checked[check] = reason.strip()
    return checked


def accepted_file(trace: str | Path) -> Path:
    """What the page keeps of a trace: run.accepted.json beside run.mcts, x.json.accepted.json beside x.json."""
    trace = Path(trace)
    name = trace.stem if trace.suffix.lower() == SUFFIX else trace.name
    return trace.with_name(name + ACCEPTED_SUFFIX)


def read_baseline(path: str | Path) -> dict[str, str]:
    """The reasons in a file, by check. Raises TraceError for one that cannot be read or understood."""
    path = Path(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as err:
        raise TraceError(
            f"{path}: the baseline cannot be read: {err.strerror or err}; write one with "
            f"mcts-viz check FILE --write-baseline {path.name}"
        ) from err
    except UnicodeDecodeError as err:
        raise TraceError(f"{path}: no baseline, as it is not a text; name another file") from err
    except ValueError as err:
        raise TraceError(f"{path}: the baseline is not JSON: {err}; correct it") from err
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise TraceError(f"{path}: no baseline: its kind is not {KIND!r}; name another file")
    if document.get("format_version") != VERSION:
        raise TraceError(
            f"{path}: a baseline of format version {document.get('format_version')!r}, and this program reads "
            f"{VERSION}; use a newer one"
        )
    try:
        return checked_reasons(document.get("accepted"))
    except TraceError as err:
        raise TraceError(f"{path}: {err}") from err


def write_baseline(path: str | Path, reasons: Mapping[str, str]) -> None:
    """Write a file that `read_baseline` reads; raises TraceError where it cannot be written."""
    document = {
        "kind": KIND,
        "format_version": VERSION,
        "accepted": dict(sorted(checked_reasons(reasons).items())),
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")  # whole or not at all
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as err:
        part.unlink(missing_ok=True)
        raise TraceError(f"{path}: cannot be written: {err.strerror or err}") from err


def reasons_for(accept: Mapping[str, str] | None, baseline: str | Path | None) -> dict[str, str]:
    """Those of a file, and those given beside it, which count where both have one."""
    kept = {} if baseline is None else read_baseline(baseline)
    return kept | ({} if accept is None else checked_reasons(accept))


def outstanding(findings: Sequence[AnyFinding]) -> list[AnyFinding]:
    """The findings that are not accepted."""
    return [finding for finding in findings if finding.accepted is None]
