"""A fault is planted in one of two engines, and found among all their searches in three clicks: `make fleet-demo`.

The engines play games of Connect Four, the searches are scanned by two Dask workers, and a stored question names the
engine. docs/fleet-demo.md tells the same with pictures.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from dask.distributed import Client, LocalCluster

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.fleets.questions.values import EXPECTED
from mcts_viz.health.finding import Finding
from mcts_viz.types import Document

GAME, GAMES, ITERATIONS, WORKERS = "connect_four", 200, 150, 2
SOUND: Document = {"preset": "uct", "iterations": ITERATIONS}
# the fault: a win counts as a loss when it is carried up the tree, so that the engine looks for the way to lose
FAULTY: Document = {**SOUND, "win": 0.0, "loss": 1.0}
QUESTION, CHECK = "value-calibration", "value-win-below-loss"


class Click(NamedTuple):
    """One on the way to the fault."""

    words: str
    address: str  # where it leads, behind that of the page


def main(
    arguments: list[str] | None = None, say: Callable[[str], None] = page.say_at_once
) -> list[Click]:
    """Play, scan, ask, and show the page unless told not to."""
    options = _options(arguments)
    folder = Path(options.folder or tempfile.mkdtemp(prefix="fleet-demo-"))
    play(folder, options.games)
    fleet = scan(folder)
    findings = fleet.ask(QUESTION).findings
    clicks = the_clicks(fleet, findings)
    say(
        f"{len(fleet):,} searches of {options.games} games lie in {folder}. What `mcts-viz fleet check` says of them:"
    )
    for finding in fleet.check():
        if finding.severity != "note":
            say(f"  {finding.severity}: {finding.check}: {finding.message}")
    if options.no_page:
        _tell(clicks, "", say)
        return clicks
    access = page.Access.from_environment()

    def announce(words: str) -> None:
        say(words)
        if "http://" in words:
            _tell(clicks, re.findall(r"http://[^\s?]+", words)[0], say)

    page.serve(
        page.make_app([folder], access=access), options.port, say=announce, token=access.token
    )
    return clicks


def play(folder: Path, games: int) -> None:
    """All games, each opening once on either side; the searches lie in one file."""
    folder.mkdir(parents=True, exist_ok=True)
    openings = [[first, second] for first in range(7) for second in range(7)]
    series = mv.play_series(
        GAME, SOUND, FAULTY, folder / "series", games, openings=openings, jobs=WORKERS, progress=True
    )  # fmt: skip
    wins, draws, losses = series.score(0)
    print(
        f"Engine A, sound: {wins} won, {draws} drawn, {losses} lost. Engine B is the same, but for a fault."
    )


def scan(folder: Path) -> mv.Fleet:
    """The tables, made by workers of a Dask cluster on this machine."""
    local = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
    with local as cluster, Client(cluster):
        return mv.fleet(folder, jobs=WORKERS, backend="dask", progress=True)


def the_clicks(fleet: mv.Fleet, findings: list[Finding]) -> list[Click]:
    """From the page's beginning to a search that shows the fault."""
    question = Click("the question whether values foretell results", _page(question=QUESTION))
    if not findings:
        return [question]
    told = findings[0].evidence
    brush = [{"engine": told["engine"], "expected": told["expected"]}]
    value = f"value {told['expected']:+.1f} of engine {told['engine']}"
    behind = Click(
        f"the mark at {value}: the searches behind it", _page(question=QUESTION, brush=brush)
    )
    shown = {"search": shown_fault(fleet, dict(told)), "question": QUESTION}
    search = Click(
        "one of them, in which Health names the fault", f"api/fleet/open?{urlencode(shown)}"
    )
    return [question, behind, search]


def shown_fault(fleet: mv.Fleet, evidence: Document) -> str:
    """A search behind the mark in which all checks name the fault; that of the question where none is found."""
    rows = fleet.sql(
        f"select search_id from searches where engine = '{evidence['engine']}' and {EXPECTED} = {evidence['expected']} "
        "order by errors desc, nodes desc limit 20"
    ).fetchall()
    ids = [search_id for (search_id,) in rows]
    return next(
        (each for each in ids if any(f.check == CHECK for f in fleet.open(each).check())),
        str(evidence["example"]),
    )


def _page(**asked: object) -> str:
    parts = {
        name: each if isinstance(each, str) else json.dumps(each) for name, each in asked.items()
    }
    return f"fleet/?{urlencode(parts)}"


def _tell(clicks: list[Click], address: str, say: Callable[[str], None]) -> None:
    if len(clicks) > 1:
        say("Three clicks from the page's first sight to the fault, each with its own address:")
    else:
        say("So few games answer no question; with more of them the way to the fault begins here:")
    for number, click in enumerate(clicks, start=1):
        say(f"  {number}. {click.words}\n     {address}{click.address}")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fleet-demo ARGS=…", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=GAMES, help="how many are played (%(default)s)"
    )
    parser.add_argument("--folder", help="a new one for the searches; none: a temporary one")
    parser.add_argument("--port", type=int, help="of the page (default 8050)")
    parser.add_argument(
        "--no-page", action="store_true", help="print the way to the fault, and end"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
