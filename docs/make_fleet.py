"""Writes the columns of a fleet's tables into docs/fleet.md: `python -m docs.make_fleet`."""

from __future__ import annotations

from pathlib import Path

from mcts_viz.fleets.columns import TABLES
from mcts_viz.fleets.questions.registry import FLEET_CHECKS, QUESTIONS

PAGE = Path(__file__).parent / "fleet.md"
BEGIN, END = "<!-- {} -->\n", "<!-- end of {} -->"
HEAD = "| column | type | what it says | unit | in the view of |\n|---|---|---|---|---|\n"


def table(name: str) -> str:
    """The columns of a table in Markdown."""
    rows = [
        f"| `{each.name}` | {each.type} | {each.meaning} | {each.unit} | {each.view} |\n"
        for each in TABLES[name]
    ]
    return HEAD + "".join(rows)


def questions() -> str:
    """The stored questions in Markdown."""
    rows = [f"| `{name}` | {each.sentence} |\n" for name, each in QUESTIONS.items()]
    return "| name | question |\n|---|---|\n" + "".join(rows)


def checks() -> str:
    """The findings across searches in Markdown."""
    rows = [
        f"| `{name}` | {check.severity} | {check.verifies} | {check.cause} | {check.confirm} |\n"
        for name, check in FLEET_CHECKS.items()
    ]
    head = "| check | severity | verifies | usual cause of a finding | to confirm |\n|---|---|---|---|---|\n"
    return head + "".join(rows)


def with_tables(text: str) -> str:
    """The page's text with the tables in their places."""
    made = {name: table(name) for name in TABLES} | {"questions": questions(), "checks": checks()}
    for name, rows in made.items():
        before, rest = text.split(BEGIN.format(name))
        _, after = rest.split(END.format(name))
        text = f"{before}{BEGIN.format(name)}{rows}{END.format(name)}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
