"""The check of a long trace in a process of its own, which gives way to everything else: it takes minutes and a
gigabyte, and the page has to stay quick meanwhile.

Run as a module it checks the file that it is told, and writes lines of JSON: how far it is, again and again, and the
findings at last. It stops when its input ends, so that it does not outlive the page.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from mcts_viz.games.position import start_position
from mcts_viz.health.finding import Finding
from mcts_viz.health.steps import CheckProgress
from mcts_viz.importing.opening import open_trace
from mcts_viz.runs.worker_trace import check_search
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document

LOWEST = 19  # priority of a process, where there is a number for it


def checked_here(trace: Trace, told: CheckProgress | None = None) -> list[Finding]:
    """The findings about a trace, by the rules of its game where they are known. told: hears how far the check is."""
    rules = start_position(trace.meta.game.name, trace.meta.start)
    return check_search(trace, rules, told=told)


def checked_apart(path: Path, told: CheckProgress | None = None) -> list[Finding] | None:
    """The same about the trace in a file; None where no process could tell them."""
    command = [sys.executable, "-m", __name__, str(path)]
    low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # Windows
    # the package need not be installed: `python app.py` finds it beside itself
    found_in = [str(Path(__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found_in)}
    try:
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=low,
        ) as process:
            if hasattr(os, "setpriority"):
                with contextlib.suppress(OSError):  # it has ended
                    os.setpriority(os.PRIO_PROCESS, process.pid, LOWEST)
            assert process.stdout is not None
            found = None
            for line in process.stdout:
                document = json.loads(line)
                if isinstance(document, list):
                    found = [Finding(**each) for each in document]
                elif told is not None:
                    told(document["words"], document["share"])
        return found
    except (OSError, ValueError, TypeError, KeyError):
        return None


def main(path: str) -> None:
    """Write out how far the check is, and the findings."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    written: Document = {}

    def told(words: str, share: float) -> None:
        nonlocal written
        progress: Document = {"words": words, "share": round(float(share), 2)}
        if progress != written:
            written = progress
            _write(progress)

    _write([asdict(each) for each in checked_here(open_trace(Trace, path), told)])


def _write(document: object) -> None:
    text = json.dumps(document, default=lambda number: number.item())  # of numpy
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _end_with_input() -> None:
    os.read(0, 1)  # not by `sys.stdin`, which Python could not close at its end
    os._exit(1)  # whatever the check is at


if __name__ == "__main__":
    main(sys.argv[1])
