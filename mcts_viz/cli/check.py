"""`mcts-viz check FILE`: what is wrong with the search that a trace holds."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import Any

from mcts_viz import api
from mcts_viz.analysis.health.catalogue import CHECKS
from mcts_viz.analysis.health.finding import SEVERITIES, Finding

EXIT_ERRORS = 1  # when a finding is an error


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        help="name what is wrong with a search; exit code 1 when a finding is an error",
    )
    parser.add_argument("file", metavar="FILE", help="a trace")
    parser.add_argument(
        "--played", type=int, metavar="ACTION", help="id of the action that was played after it"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the findings, worst first."""
    trace = api.open(options.file)
    findings = trace.check(played=options.played)
    if options.json:
        print(json.dumps([as_json(f) for f in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            print(finding)
            if finding.severity != "note":
                check = CHECKS[finding.check]
                print(f"    usually: {check.cause}\n    to confirm: {check.confirm}")
        counts = [sum(f.severity == severity for f in findings) for severity in SEVERITIES]
        words = (plural(n, severity) for n, severity in zip(counts, SEVERITIES))
        print(f"{options.file}: {trace.n_iterations:,} iterations; {', '.join(words)}")
    return EXIT_ERRORS if any(f.severity == "error" for f in findings) else 0


def as_json(finding: Finding) -> dict[str, Any]:
    """The finding with what its check says."""
    check = CHECKS[finding.check]
    return {
        **dataclasses.asdict(finding),
        "verifies": check.verifies,
        "cause": check.cause,
        "confirm": check.confirm,
    }


def plural(n: int, word: str) -> str:
    """ "1 error", "2 errors"."""
    return f"{n} {word}{'' if n == 1 else 's'}"
