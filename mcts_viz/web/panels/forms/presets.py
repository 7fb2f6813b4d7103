"""What the parameters of a preset, or of a recorded search, are in words: the grey text in the forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from mcts_viz.engine.parameters import PARAMETERS, Parameter
from mcts_viz.engine.presets import PRESETS, Policies, policies
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.runs.rerun import recorded_policies
from mcts_viz.trace.trace import Trace

USUAL_PRESET = "uct"
USUAL_GAME = "connect_four"


class PresetChoice(NamedTuple):
    """A preset as a form shows it."""

    name: str
    words: Mapping[str, str]  # of each parameter
    iterations: int | None  # its budget
    seconds: float | None


def preset_of(name: str) -> PresetChoice:
    """The preset of that name."""
    return _in_words(PRESETS[name])


def recorded(trace: Trace) -> PresetChoice:
    """What a trace's search is run again with where nothing is changed; raises SearchError where its
    metadata do not tell."""
    chosen = policies(*recorded_policies(trace.meta))
    return _in_words(replace(chosen, iterations=max(1, trace.n_iterations), seconds=None))


def names_of(parameter: Parameter) -> Mapping[str, str]:
    """The names to choose from, each with its words; none for a number or a switch."""
    if parameter.kind == "evaluator":
        return {name: name.replace("_", " ") for name in EVALUATORS}
    return parameter.choices or {}


def _in_words(preset: Policies) -> PresetChoice:
    words = {name: _value_words(each, getattr(preset, name)) for name, each in PARAMETERS.items()}
    if preset.evaluator is None:
        words["evaluator"] = "the game's own, if needed"
    return PresetChoice(preset.preset, words, preset.iterations, preset.seconds)


def _value_words(parameter: Parameter, value: object) -> str:
    """A parameter's value as a person reads it."""
    if value is None:
        return "none"
    if parameter.choices is not None:
        return parameter.choices[str(value)]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:.5g}"
    return str(value)
