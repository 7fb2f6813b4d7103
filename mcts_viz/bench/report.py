"""What a bench says: one line for each budget, findings, the digest of all searches, and the first difference."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from mcts_viz.bench.baseline import BenchDifference
from mcts_viz.bench.running import BenchResult
from mcts_viz.bench.suite import Suite
from mcts_viz.trace.words import plural

HEAD = ("iterations", "searches", "best move", "mean regret", "errors", "warnings", "seconds")
DIGITS = 8  # of the digest of all


def bench_digest(results: Sequence[BenchResult]) -> str:
    """The digest of all searches, in the order of the suite: the same on each machine for a search that a seed
    determines."""
    told = hashlib.blake2b(digest_size=DIGITS // 2)
    for result in results:
        told.update(f"{result.task.name}\n{result.digest}\n".encode())
    return told.hexdigest().upper()


def report(suite: Suite, results: Sequence[BenchResult]) -> list[str]:
    """Lines."""
    document = suite.document
    counts = [
        plural(len(suite.positions), "position"),
        plural(len(document.seeds), "seed"),
        plural(len(document.iterations), "budget"),
    ]
    head = f"{suite.path}: {' × '.join(counts)} of {suite.whose}"
    rows = [HEAD, *(_row(budget, results) for budget in dict.fromkeys(document.iterations))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [head]
    lines += ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    return [*lines, *_findings(results), f"Bench: {bench_digest(results)}"]


def _row(iterations: int, results: Sequence[BenchResult]) -> tuple[str, ...]:
    those = [each for each in results if each.task.iterations == iterations]
    regrets = [each.regret for each in those if each.regret is not None]
    best = mean = "not known"
    if regrets:
        of = "" if len(regrets) == len(those) else f" of {len(regrets):,}"
        best = f"{sum(regret == 0 for regret in regrets) / len(regrets):.1%}{of}"
        mean = f"{sum(regrets) / len(regrets):.4f}"
    kinds = [row["severity"] for each in those for row in each.findings]
    counts = (f"{kinds.count(kind):,}" for kind in ("error", "warning"))
    seconds = f"{sum(each.seconds for each in those):,.2f}"
    return (f"{iterations:,}", f"{len(those):,}", best, mean, *counts, seconds)


def _findings(results: Sequence[BenchResult]) -> Iterator[str]:
    """A line for each check that found an error or a warning, errors first, with the first search that has it."""
    first: dict[tuple[str, str], tuple[BenchResult, str, int]] = {}
    for result in results:
        for row in result.findings:
            key = (str(row["severity"]), str(row["check"]))
            found = first.get(key, (result, str(row["message"]), 0))
            first[key] = (*found[:2], found[2] + 1)
    for severity in ("error", "warning"):
        for (kind, check), (result, message, n) in first.items():
            if kind == severity:
                yield f"{kind}: {check}, in {plural(n, 'search', 'searches')}, first {result.task.name}: {message}"


def difference_lines(difference: BenchDifference, against: str) -> list[str]:
    """What is not what it was."""
    lines = []
    if difference.missing:
        lines.append(
            f"{against} does not have {plural(len(difference.missing), 'search', 'searches')}, first "
            f"{difference.missing[0]}"
        )
    n = plural(difference.n_compared, "search", "searches")
    if not difference.differ:
        return [*lines, f"no difference from {against} in {n}"]
    lines.append(
        f"{len(difference.differ):,} of {n} differ from {against}, first {difference.differ[0]}:"
    )
    first = difference.first
    if first is not None and first.iteration is not None:
        where = f"  iteration {first.iteration:,}, at {first.line}: {first.what}"
        lines.append(f"{where}; {first.by}" if first.by else where)
    elif first is not None:
        lines.append(f"  {first.by or 'no difference in what both have recorded'}")
    return [*lines, "  (A is the search of before, B that of now)"]
