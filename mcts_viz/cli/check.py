"""`mcts-viz check FILE`: what is wrong with the search that a trace holds."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence

from mcts_viz.api import Trace
from mcts_viz.cli.opening import add_memory, opened
from mcts_viz.errors import TraceError
from mcts_viz.fleets.questions.registry import FLEET_CHECKS
from mcts_viz.health.acceptance import (
    accepted_file,
    outstanding,
    read_baseline,
    write_baseline,
)
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.trace.words import plural

ALL_CHECKS = {**CHECKS, **FLEET_CHECKS}
EXIT_ERRORS = 1  # when a finding is an error
BASELINE = "mcts-baseline.json"
REASON = "found when the baseline was written"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a trace")
    parser.add_argument(
        "--played", metavar="MOVE", help="the move played after the search: its name or action id"
    )
    parser.add_argument(
        "--baseline",
        metavar="BASELINE",
        help="a file of accepted findings, each with a reason: they stay visible, but do not count as errors",
    )
    parser.add_argument(
        "--write-baseline",
        nargs="?",
        const="",
        metavar="BASELINE",
        help="accept all errors and warnings of now: add them to a file (default: that of --baseline, else "
        f"{BASELINE})",
    )
    parser.add_argument("--reason", metavar="TEXT", help="the reason that --write-baseline writes")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="skip the checks that need the rules of the game: some two to ten times as fast",
    )
    add_memory(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the findings, worst first."""
    file, target = options.file, options.write_baseline
    if file is None and target:  # `--write-baseline run.mcts`: its own name was left out
        file, target = target, ""
    if file is None:
        raise TraceError("there is no trace to check; name one: mcts-viz check run.mcts")
    if options.reason is not None and target is None:
        raise TraceError("--reason is for --write-baseline; add that, or leave it out")
    trace = opened(file, options.memory)
    played = None if options.played is None else played_action(trace, options.played)
    reasons = {} if options.baseline is None else read_baseline(options.baseline)
    findings = trace.check(played=played, accept=reasons, quick=options.quick, progress=True)
    if target is not None:
        target = target or options.baseline or BASELINE
        reasons = accepting(findings, reasons, options.reason or REASON)
        write_baseline(target, reasons)
        findings = trace.check(played=played, accept=reasons, quick=options.quick, progress=True)
    if options.json:
        print(json.dumps([as_json(f) for f in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            print("\n    ".join(told(finding)))
        print(f"{file}: {plural(trace.n_iterations, 'iteration')}; {counted(findings)}")
        if target is not None:
            asks = "; write your reasons into it" if reasons and options.reason is None else ""
            print(f"{target}: {plural(len(reasons), 'check')} accepted{asks}")
        elif options.baseline is None and accepted_file(file).exists():
            print(f"--baseline {accepted_file(file)} counts what was accepted on the page")
    return EXIT_ERRORS if any(f.severity == "error" for f in outstanding(findings)) else 0


def played_action(trace: Trace, move: str) -> int:
    """The action that a move's name or id stands for; raises TraceError where it is neither."""
    tree = trace.at(trace.n_iterations)
    named = {tree.label(node): int(tree.action[node]) for node in tree.children(0)}
    if move in named:
        return named[move]
    try:
        return int(move)
    except ValueError:
        raise TraceError(
            f"--played {move!r} is not a move here; give the name or the action id of one: {', '.join(named)}"
        ) from None


def accepting(
    findings: Sequence[Finding], reasons: Mapping[str, str], reason: str
) -> dict[str, str]:
    """Reasons by check, with one for each error and warning that has none."""
    bad = [finding.check for finding in outstanding(findings) if finding.severity != "note"]
    return {**dict.fromkeys(bad, reason), **reasons}


def told(finding: Finding) -> list[str]:
    """A finding's lines."""
    check = ALL_CHECKS[finding.check]
    sure = f"how sure: {finding.certainty}"
    if finding.severity == "note":
        return [str(finding), sure]
    return [str(finding), f"usually: {check.cause}", f"to confirm: {check.confirm}", sure]


def counted(findings: Sequence[Finding]) -> str:
    """`1 error, 0 warnings, 2 notes`, and how many are accepted."""
    left = outstanding(findings)
    counts = [
        plural(sum(f.severity == severity for f in left), severity) for severity in SEVERITIES
    ]
    accepted = len(findings) - len(left)
    return ", ".join([*counts, *([f"{accepted:,} accepted"] if accepted else [])])


def as_json(finding: Finding) -> dict[str, object]:
    """The finding with what its check says."""
    check = ALL_CHECKS[finding.check]
    return {
        **dataclasses.asdict(finding),
        "certainty": finding.certainty,
        "verifies": check.verifies,
        "cause": check.cause,
        "confirm": check.confirm,
    }
