"""Runs the subjects named on the command line, or all of them, and prints a table."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from benchmarks import (
    asking,
    checking,
    comparing,
    deviating,
    explaining,
    fleet,
    following,
    hardening,
    huge,
    importing,
    many,
    marking,
    page,
    peers,
    policies,
    reading,
    recording,
    starting,
    watching,
    workers,
    writers,
)
from benchmarks.figures import Figure

SUBJECTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "starting": starting.measure,
    "recording": recording.measure,
    "workers": workers.measure,
    "reading": reading.measure,
    "huge": huge.measure,
    "deviating": deviating.measure,
    "explaining": explaining.measure,
    "asking": asking.measure,
    "checking": checking.measure,
    "comparing": comparing.measure,
    "many": many.measure,
    "fleet": fleet.measure,
    "marking": marking.measure,
    "importing": importing.measure,
    "peers": peers.measure,
    "policies": policies.measure,
    "watching": watching.measure,
    "writers": writers.measure,
    "page": page.measure,
    "following": following.measure,
    "hardening": hardening.measure,
}


def main(names: list[str]) -> int:
    """Exit code: 1 where a figure is not reached, 2 for a subject that there is not."""
    console = Console()
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        console.print(f"no subject {', '.join(unknown)}; there are: {', '.join(SUBJECTS)}")
        return 2
    table = Table("what", "measured", "to reach", "", "from", title=machine())
    missed = 0
    for name in names or SUBJECTS:
        console.print(f"[dim]{name} …[/dim]")
        for figure in SUBJECTS[name]():
            table.add_row(*row(figure))
            missed += figure.reached is False
        table.add_section()
    console.print(table)
    return 1 if missed else 0


def row(figure: Figure) -> tuple[str, str, str, str, str]:
    """The cells of a figure."""
    goal = ""
    if figure.goal is not None:
        goal = f"{'≥' if figure.at_least else '≤'} {figure.goal:g}"
    mark = {None: "", True: "[green]yes[/green]", False: "[red]no[/red]"}[figure.reached]
    return figure.what, f"{figure.value:.3g} {figure.unit}", goal, mark, figure.how


def machine() -> str:
    """What it runs on, and how busy that is with other things."""
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}{busy}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
