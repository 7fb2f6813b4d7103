"""A finding, and the description of a check. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mcts_viz.health.certainty import certainty

SEVERITIES = ("error", "warning", "note")  # worst first


@dataclass(frozen=True)
class Check:
    """The description of a check. `severity` is that of its findings: "error", impossible in a
    correct search; "warning", suspicious; "note", worth knowing."""

    severity: str
    verifies: str
    cause: str  # what usually is behind a finding
    confirm: str  # how to make sure


@dataclass(frozen=True)
class Finding:
    """A mistake or a property that a check has found, with the first place where it shows."""

    check: str  # key of CHECKS
    severity: str  # "error", "warning" or "note"
    iteration: int | None  # None: of the whole search
    node: int | None
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)  # numbers, as JSON can hold them
    accepted: str | None = None  # the reason for which it was accepted

    @property
    def certainty(self) -> str:
        """How sure it is: exact, or how often correct searches get such a finding."""
        return certainty(self.check, self.severity)

    def as_note(self, message: str | None = None) -> Finding:
        """The same as a note, perhaps in other words: for what may have a right reason."""
        return replace(self, severity="note", message=self.message if message is None else message)

    def as_warning(self, message: str | None = None) -> Finding:
        """The same as a warning, perhaps in other words: for what is a mistake in nearly all cases."""
        return replace(
            self, severity="warning", message=self.message if message is None else message
        )

    @property
    def all_right(self) -> str:
        """What stands behind the message of one that was accepted."""
        return "" if self.accepted is None else f" [accepted: {self.accepted}]"

    def __str__(self) -> str:
        where = [] if self.iteration is None else [f"iteration {self.iteration:,}"]
        where += [] if self.node is None else [f"node {self.node:,}"]
        place = f" ({', '.join(where)})" if where else ""
        return f"{self.severity}: {self.check}{place}: {self.message}{self.all_right}"
