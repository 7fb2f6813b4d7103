"""docs/searches.md lists what there is, and its example runs."""

import re
from pathlib import Path
from typing import Any

import pytest

from mcts_viz.engine.parameters import (
    EXPAND_ON,
    EXPANSION_ORDERS,
    PARAMETERS,
    SIMULATE_FROM,
)
from mcts_viz.engine.presets import PRESETS, Policies
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.games.evaluators import EVALUATORS
from tests.docs.examples import examples, run_python

PAGE = Path(__file__).parent.parent.parent / "docs" / "searches.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows(section: str) -> dict[str, str]:
    """First cell (its names) -> the rest of the line, of the section's table."""
    text = TEXT.split(f"## {section}\n")[1].split("\n## ")[0]
    found: dict[str, str] = {}
    for line in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        names, rest = line.split(" | ", 1)
        for name in re.findall(r"`(\w+)`", names):
            found[name] = rest
    return found


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in examples(PAGE):
        run_python(example, names)
    assert "trace" in names


def test_every_preset_has_its_row_with_its_own_numbers() -> None:
    table = rows("Presets")
    assert set(table) == set(PRESETS)
    for name, preset in PRESETS.items():
        assert f"`{preset.selection}`, c = " in table[name]
        assert preset.keep_tree == ("tree reuse" in table[name])
        budget = (
            f"{preset.iterations:,} iterations" if preset.iterations else f"{preset.seconds:g} s"
        )
        assert budget in table[name]


def test_every_parameter_is_described_with_all_its_values() -> None:
    table = rows("Parameters")
    assert set(table) == {*PARAMETERS, "level"}
    for name, parameter in PARAMETERS.items():
        for choice in parameter.choices or ():
            assert f"`{choice}`" in table[name], (name, choice)
    for name in EVALUATORS:
        assert f"`{name}`" in table["evaluator"]


def test_a_parameter_offers_what_the_search_knows() -> None:
    known = {
        "selection": SELECTION_FORMULAS,
        "final_move": FINAL_MOVE_RULES,
        "order": EXPANSION_ORDERS,
        "expand_on": EXPAND_ON,
        "simulate_from": SIMULATE_FROM,
    }
    for name, values in known.items():
        assert set(PARAMETERS[name].choices or ()) == set(values)
    assert set(PARAMETERS) == set(Policies.__dataclass_fields__) - {
        "preset",
        "iterations",
        "seconds",
        "level",
    }
