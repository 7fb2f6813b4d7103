"""The command line: one file a command. The only place that prints errors and picks exit codes."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import NoReturn

from mcts_viz.cli.interrupting import INTERRUPTED
from mcts_viz.errors import MctsVizError, TraceWriteError

# each command is a module of its name here, loaded when it is the one that is asked for
COMMANDS = {
    "record": "run a search and record every iteration",
    "play": "play against a search, or let two searches play",
    "show": "open traces in the browser",
    "explain": "say why a move was chosen, or another one not",
    "truth": "solve the position: is the move chosen right?",
    "check": "name what is wrong with a search; exit code 1 when a finding is an error",
    "compare": "compare two searches, or two iterations of one",
    "rerun": "search a trace's position again, with something changed",
    "sensitivity": "search a position with many constants and seeds: how sure is the move?",
    "bench": "run a suite of your own searches: exit code 1 when one differs or has an error",
    "fleet": "tables of all searches in a folder: build, ask and compare them",
    "export": "write a snapshot for other programs, the whole trace as events, or a page of its own",
    "extract": "write one search out of a file of many to its own trace",
    "index": "make the index with which a long trace opens at once",
    "recover": "save what can be read of a damaged or unfinished trace",
    "import": "write a trace from another program's events or logs",
}


NUMBERS = {"int": "a whole number", "float": "a number"}


class CommandParser(argparse.ArgumentParser):
    """Says what to give in words of the user, not of Python."""

    def error(self, message: str) -> NoReturn:
        """Print the message, with the usage unless it is a value that is wrong, and end with exit code 2."""
        found = re.fullmatch(r"argument (.*): invalid (int|float) value: '(.*)'", message)
        if found is not None:
            self.exit(2, f"mcts-viz: {found[1]} {found[3]}: give {NUMBERS[found[2]]}\n")
        found = re.fullmatch(r"argument ([^:]*): (.*: give a whole number from .*)", message)
        if found is not None:
            self.exit(2, f"mcts-viz: {found[1]} {found[2]}\n")
        super().error(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when it worked, 1 when `check` or `bench` found errors or a trace could not be written to its
    end, 2 for another error, 130 when interrupted."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    installed = Path(sys.argv[0]).stem.startswith("mcts-viz")
    parser = CommandParser(
        prog="mcts-viz" if installed else "python -m mcts_viz",
        description="Record Monte Carlo tree searches, step through them, see why they moved.",
    )
    parser.add_argument("--version", action="version", version=f"mcts-viz {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = next((word for word in given if not word.startswith("-")), None)
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words)
        if name == asked:
            module = importlib.import_module(f"{__name__}.{module_name(name)}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    parser.set_defaults(program=parser.prog)
    options = parser.parse_args(given)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            return int(options.run(options))
    except TraceWriteError as err:
        print(f"mcts-viz: {err}", file=sys.stderr)
        return 1
    except MctsVizError as err:
        print(f"mcts-viz: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mcts-viz: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return 0  # the reader of our output has closed the pipe


def _say(message: Warning | str, *more: object, **named: object) -> None:
    """A warning as one line."""
    print(f"mcts-viz: {message}", file=sys.stderr)


def module_name(command: str) -> str:
    """The module of a command: `import` is a keyword of Python."""
    return "import_" if command == "import" else command


def _version() -> str:
    try:
        return metadata.version("mcts-viz")
    except metadata.PackageNotFoundError:
        return "(from a checkout)"
