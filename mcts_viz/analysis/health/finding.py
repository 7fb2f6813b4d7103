"""What a check says, and what there is to say about a check. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SEVERITIES = ("error", "warning", "note")  # worst first


@dataclass(frozen=True)
class Check:
    """One thing that is looked at. `severity` is that of its findings: "error", impossible in a
    correct search; "warning", suspicious; "note", worth knowing."""

    severity: str
    verifies: str
    cause: str  # what usually is behind a finding
    confirm: str  # how to make sure


@dataclass(frozen=True)
class Finding:
    """One thing that a check has found; the first place where it shows stands for all of them."""

    check: str  # key of CHECKS
    severity: str  # "error", "warning" or "note"
    iteration: int | None  # None: it belongs to no single one
    node: int | None
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)  # numbers, as JSON can hold them

    def __str__(self) -> str:
        where = [] if self.iteration is None else [f"iteration {self.iteration:,}"]
        where += [] if self.node is None else [f"node {self.node:,}"]
        place = f" ({', '.join(where)})" if where else ""
        return f"{self.severity}: {self.check}{place}: {self.message}"
