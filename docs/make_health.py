"""Writes the list of checks into docs/health.md: `python -m docs.make_health`."""

from __future__ import annotations

from pathlib import Path

from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.certainty import is_inferred

PAGE = Path(__file__).parent / "health.md"
BEGIN, END = "<!-- checks -->\n", "<!-- end of checks -->"


def table() -> str:
    """The checks as a table in Markdown."""
    rows = [
        f"| `{name}` | {check.severity} | {sure(name)} | {check.verifies} | {check.cause} | {check.confirm} |"
        for name, check in CHECKS.items()
    ]
    head = "| check | severity | sure | verifies | usual cause of a finding | to confirm |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows, ""])


def sure(name: str) -> str:
    """Of a law, or of a conclusion."""
    return "inferred" if is_inferred(name) else "exact"


def with_table(text: str) -> str:
    """The page's text with the table in its place."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
