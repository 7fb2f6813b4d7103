"""The command line: one file a command. The only place that prints errors and picks exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from mcts_viz.cli import (
    check,
    compare,
    explain,
    export,
    import_,
    play,
    record,
    rerun,
    sensitivity,
    show,
    truth,
)
from mcts_viz.errors import MctsVizError

COMMANDS = (
    record,
    play,
    show,
    explain,
    truth,
    check,
    compare,
    rerun,
    sensitivity,
    export,
    import_,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when it worked, 1 when `check` found errors, 2 for an error that was told, 130
    when interrupted."""
    installed = Path(sys.argv[0]).stem.startswith("mcts-viz")
    parser = argparse.ArgumentParser(
        prog="mcts-viz" if installed else "python -m mcts_viz",
        description="Record Monte Carlo tree searches, step through them, see why they moved.",
    )
    parser.add_argument("--version", action="version", version=f"mcts-viz {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(commands)
    parser.set_defaults(program=parser.prog)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except MctsVizError as err:
        print(f"mcts-viz: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mcts-viz: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0  # whoever read our output has seen enough


def _version() -> str:
    try:
        return metadata.version("mcts-viz")
    except metadata.PackageNotFoundError:
        return "(from a checkout)"
