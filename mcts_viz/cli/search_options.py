"""The options of a search on the command line: those of `SearchOptions`, and one for each parameter
of a preset."""

from __future__ import annotations

import argparse
import sys

from mcts_viz.engine.parameters import LEVEL, PARAMETERS, Parameter
from mcts_viz.engine.search import Search
from mcts_viz.errors import SearchError
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.search import memory_note
from mcts_viz.types import Document

GIVEN = {**PARAMETERS, LEVEL.name: LEVEL}
NONE = "none"  # as a person writes that there is no such value


def add_search_options(parser: argparse.ArgumentParser, iterations: str, seed: str) -> None:
    """Budget, seed, root moves and policies; `iterations` and `seed` are the words beside these."""
    add = parser.add_argument
    add("--iterations", type=int, metavar="N", help=iterations)
    add("--seconds", type=float, metavar="S", help="budget; the first one reached ends it")
    add("--nodes", type=int, metavar="N", help="budget, nodes of the tree")
    add("--memory", type=int, metavar="MB", help="budget, megabytes of tree and recording")
    add(
        "--decided",
        action="store_true",
        help="stop when the runner-up can no longer overtake the leading move",
    )
    add("--seed", type=int, metavar="K", help=seed)
    add(
        "--workers",
        type=int,
        metavar="N",
        help="how many searches run side by side, each in its own tree",
    )
    add("--force", metavar="MOVE", help="the only move to search at the root")
    add("--forbid", metavar="MOVES", help="moves not to search at the root, separated by commas")
    add_policies(parser)
    add("--no-rollouts", action="store_true", help="do not record the moves of simulations")


def add_sync(parser: argparse.ArgumentParser) -> None:
    """How often a file is put on the disk."""
    parser.add_argument(
        "--sync",
        type=float,
        metavar="SECONDS",
        help="force the recording to the disk this often, in case the machine fails (default: at the end)",
    )


def add_begins(parser: argparse.ArgumentParser) -> None:
    """Who moves first in the game."""
    parser.add_argument(
        "--begins", metavar="SIDE", help="who moves first: X (default), O, or random"
    )


def search_options(options: argparse.Namespace) -> SearchOptions:
    """What was given of them, with the preset and, where the command has one, the start position."""
    return SearchOptions(
        options.preset,
        options.iterations,
        options.seconds,
        options.nodes,
        options.memory,
        options.decided,
        options.seed,
        start=moves(getattr(options, "start", "")),
        force=options.force,
        forbid=None if options.forbid is None else moves(options.forbid),
        rollouts=not options.no_rollouts,
        workers=options.workers,
        overrides=overrides(options),
    )


def moves(text: str) -> list[str]:
    """What stands between commas."""
    return [move.strip() for move in text.split(",") if move.strip()]


def add_policies(
    parser: argparse.ArgumentParser,
    prefix: str = "",
    title: str = "policies",
    words: str = "each overrides the preset",
) -> None:
    """The options that change a preset's parameters, under a heading of their own; `prefix`: what
    their names begin with, "against-"."""
    group = parser.add_argument_group(title, words)
    for parameter in GIVEN.values():
        option = f"--{prefix}{parameter.name.replace('_', '-')}"
        if parameter.kind == "switch":
            group.add_argument(
                option, action=argparse.BooleanOptionalAction, default=None, help=parameter.words
            )
        else:
            group.add_argument(option, metavar=_metavar(parameter), help=_words(parameter))


def overrides(options: argparse.Namespace, prefix: str = "") -> Document:
    """The parameters that were given, by name."""
    start = prefix.replace("-", "_")
    given = {name: getattr(options, f"{start}{name}") for name in GIVEN}
    return {
        name: _value(GIVEN[name], text, f"--{prefix}{name.replace('_', '-')}")
        for name, text in given.items()
        if text is not None
    }


def _value(parameter: Parameter, given: object, option: str) -> object:
    """What was written, as a number where it has to be one; raises SearchError for another word. How
    large it may be is for the search to say."""
    if parameter.optional and given == NONE:
        return None
    number = {"number": float, "count": int}.get(parameter.kind)
    if number is None:
        return given
    try:
        return number(given)
    except ValueError as err:
        kind = "a number" if number is float else "a whole number"
        without = f", or {NONE}" if parameter.optional else ""
        raise SearchError(f"{option} {given}: give {kind}{without}") from err


def _metavar(parameter: Parameter) -> str:
    return {"number": "X", "count": "N"}.get(parameter.kind, "NAME")


def _words(parameter: Parameter) -> str:
    names = EVALUATORS if parameter.kind == "evaluator" else parameter.choices
    words = parameter.words if not names else f"{parameter.words}: {', '.join(names)}"
    told = f"{NONE}: " in words  # what it then means
    return words if told or not parameter.optional else f"{words} ({NONE}: without)"


def tell_memory(search: Search) -> None:
    """Say before a search begins that its tree may not fit into memory."""
    if note := memory_note(search):
        print(f"note: {note}", file=sys.stderr)
