"""The options that change a preset's policies: one for each parameter of a search."""

from __future__ import annotations

import argparse
from typing import Any

from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.search.parameters import PARAMETERS, Parameter

NONE = "none"  # as a person writes that there is no such value


def register(
    parser: argparse.ArgumentParser,
    prefix: str = "",
    title: str = "policies",
    words: str = "each overrides the preset",
) -> None:
    """Add them, under a heading of their own; `prefix`: what their names begin with, "against-"."""
    group = parser.add_argument_group(title, words)
    for parameter in PARAMETERS.values():
        option = f"--{prefix}{parameter.name.replace('_', '-')}"
        if parameter.kind == "switch":
            group.add_argument(
                option, action=argparse.BooleanOptionalAction, default=None, help=parameter.words
            )
        else:
            group.add_argument(option, metavar=_metavar(parameter), help=_words(parameter))


def overrides(options: argparse.Namespace, prefix: str = "") -> dict[str, Any]:
    """The parameters that were given, as `mcts_viz.search` takes them."""
    start = prefix.replace("-", "_")
    given = {name: getattr(options, f"{start}{name}") for name in PARAMETERS}
    return {
        name: _value(PARAMETERS[name], text) for name, text in given.items() if text is not None
    }


def _value(parameter: Parameter, given: Any) -> Any:
    """What was written as a number where it is one: what it may be is for the search to say."""
    if parameter.optional and given == NONE:
        return None
    number = {"number": float, "count": int}.get(parameter.kind)
    if number is None:
        return given
    try:
        return number(given)
    except ValueError:
        return given


def _metavar(parameter: Parameter) -> str:
    return {"number": "X", "count": "N"}.get(parameter.kind, "NAME")


def _words(parameter: Parameter) -> str:
    names = EVALUATORS if parameter.kind == "evaluator" else parameter.choices
    words = parameter.words if not names else f"{parameter.words}: {', '.join(names)}"
    return f"{words} ({NONE}: without)" if parameter.optional else words
