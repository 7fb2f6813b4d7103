"""What came of an import."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MOST_TOLD = 10  # skipped lines that are listed one by one


@dataclass
class ImportReport:
    """Counts of an import, and what was left out."""

    path: Path  # the trace made
    n_iterations: int = 0
    n_nodes: int = 1  # the root included
    n_lines: int = 0  # read, without empty ones
    n_skipped: int = 0
    n_dependent: int = 0  # of these, because they name nodes of another skipped line
    n_redacted: int = 0  # secrets that were struck out
    skipped: list[str] = field(default_factory=list)  # the first ones, each with place and reason
    given_up: str = ""  # why reading ended before the end, where it did

    def skip(self, told: str, because_of_another: bool = False) -> None:
        """Count a line that was left out."""
        self.n_skipped += 1
        self.n_dependent += because_of_another
        if len(self.skipped) < MOST_TOLD:
            self.skipped.append(told)

    def add(self, other: ImportReport) -> None:
        """Count what another import into the same file came to."""
        for each in (
            "n_iterations",
            "n_nodes",
            "n_lines",
            "n_skipped",
            "n_dependent",
            "n_redacted",
        ):
            setattr(self, each, getattr(self, each) + getattr(other, each))
        self.skipped = [*self.skipped, *other.skipped][:MOST_TOLD]
        self.given_up = self.given_up or other.given_up
