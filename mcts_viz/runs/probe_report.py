"""What a probe has found: the findings of many searches as one table, each with the position that shows
it best, and how often the search saw what was forced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Generic

from mcts_viz.health.acceptance import accept_findings
from mcts_viz.health.catalogue import CHECKS, found
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.recording.recording import AnyTrace
from mcts_viz.runs.probe_positions import ProbePosition
from mcts_viz.solver.tactics import LOSS_1, LOSS_2, TASKS, WIN_1, WIN_2
from mcts_viz.trace.words import plural

SOLVED = {WIN_1: "taken", LOSS_1: "blocked", WIN_2: "found", LOSS_2: "avoided"}
# a correct search takes more wins; of losses it may see few, where its priors and evaluations mislead
ENOUGH_ITERATIONS = 200
FEWEST = {WIN_1: 0.5, LOSS_1: 0.5}  # share of the positions that has to be solved


@dataclass(frozen=True)
class Probed(Generic[AnyTrace]):
    """What the search did from one position."""

    position: ProbePosition
    trace: AnyTrace | None  # None: the search failed there
    findings: Sequence[Finding]
    chosen: int | None  # the action that it would play; None: no move was visited
    solved: bool | None  # whether that move is among the best; None: nothing was forced
    error: Exception | None = None  # by which it failed


@dataclass(frozen=True)
class ProbeFinding(Finding):
    """A finding of some of the searches, as the search shows it that shows it best."""

    position: ProbePosition | None = None  # the search began there
    index: int = 0  # of that position in `Probe.positions`
    positions: Sequence[int] = ()  # of all that have it

    def __str__(self) -> str:
        head, _, message = super().__str__().partition(f": {self.message}")
        best = f", best at position {self.index + 1}: {self.position}"
        return f"{head}, at {plural(len(self.positions), 'position')}{best}\n    {self.message}{message}"


@dataclass(frozen=True)
class TacticalResult:
    """How often a search saw what was forced, in positions of one kind."""

    kind: str  # "win in 1", "loss in 1", "win in 2" or "loss in 2"
    positions: int
    solved: int  # the move chosen is as good as any
    missed: Sequence[int] = ()  # of `Probe.positions`

    def __str__(self) -> str:
        told = f"{self.kind}: {SOLVED[self.kind]} in {self.solved} of {plural(self.positions, 'position')}"
        missed = ", ".join(str(index + 1) for index in self.missed)
        return f"{told}; missed at position {missed}" if missed else told


@dataclass(frozen=True, repr=False)
class Probe(Generic[AnyTrace]):
    """A search, probed. `str` is the report."""

    game: str
    iterations: int  # of each search
    probed: Sequence[Probed[AnyTrace]]  # by position
    findings: Sequence[ProbeFinding]  # errors and warnings, worst first
    notes: Sequence[ProbeFinding] = field(default=())
    tactics: Sequence[TacticalResult] = field(default=())

    @property
    def positions(self) -> list[ProbePosition]:
        """Where the searches began."""
        return [each.position for each in self.probed]

    @property
    def traces(self) -> list[AnyTrace | None]:
        """By position; None where the search failed."""
        return [each.trace for each in self.probed]

    @property
    def is_healthy(self) -> bool:
        """Whether there is no error and no warning but accepted ones."""
        return all(finding.accepted is not None for finding in self.findings)

    def to_dict(self) -> dict[str, object]:
        """All of it as JSON can hold it; positions by their number, from 0."""
        return {
            "game": self.game,
            "iterations": self.iterations,
            "positions": [_position_json(each) for each in self.probed],
            "findings": [_finding_json(finding) for finding in self.findings],
            "notes": [_finding_json(finding) for finding in self.notes],
            "tactics": [asdict(each) for each in self.tactics],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        left = [finding for finding in self.findings if finding.accepted is None]
        counts = [
            plural(n, severity)
            for severity in SEVERITIES[:-1]
            if (n := sum(finding.severity == severity for finding in left))
        ]
        if len(left) < len(self.findings):
            counts.append(f"{len(self.findings) - len(left):,} accepted")
        yield (
            f"{self.game}, {plural(len(self.probed), 'position')}, {plural(self.iterations, 'iteration')} each: "
            f"{', '.join(counts) or 'nothing is wrong, as far as the recordings show'}"
        )
        for finding in self.findings:
            check = CHECKS[finding.check]
            yield (
                f"{finding}\n    usually: {check.cause}\n    to confirm: {check.confirm}\n"
                f"    how sure: {finding.certainty}"
            )
        yield from map(str, self.tactics)
        if self.notes:
            told = (f"{note.check} ({len(note.positions)})" for note in self.notes)
            yield f"worth knowing, and at how many positions: {', '.join(told)}"


# what a search does everywhere, and is recognised in large trees: it explains these in small ones
OF_THE_SEARCH: dict[str, tuple[str, ...]] = {
    "visits-shared-nodes": ("visits-", "value-"),
    "visits-several-leaves": ("visits-", "value-"),
    "value-backup": ("value-",),
    "selection-widening": ("selection-untried", "expansion-missing"),
}


OF_LEAVES = ("simulation-", "value-")  # findings of which one mistake may cause several
SELDOM = 3  # times as many positions


def report(
    game: str,
    iterations: int,
    probed: Sequence[Probed[AnyTrace]],
    accept: Mapping[str, str],
) -> Probe[AnyTrace]:
    """The table of what was found."""
    tactics = tuple(tactical_results(probed))
    by_check: dict[str, list[tuple[int, Finding]]] = {}
    for i, each in enumerate(probed):
        for finding in each.findings:
            by_check.setdefault(finding.check, []).append((i, finding))
    for result in tactics:
        too_many = missed(result, iterations)
        if too_many is not None:
            by_check[too_many.check] = [(i, too_many) for i in result.missed]
    merged = [
        _merged(found_at, probed)
        for check, found_at in by_check.items()
        if not _is_explained(check, {name: len(places) for name, places in by_check.items()})
    ]
    merged = [_beside(one, merged) for one in merged]
    merged.sort(key=lambda one: (SEVERITIES.index(one.severity), -len(one.positions)))
    merged = accept_findings(merged, accept)
    return Probe(
        game,
        iterations,
        tuple(probed),
        tuple(one for one in merged if one.severity != "note"),
        tuple(one for one in merged if one.severity == "note"),
        tactics,
    )


def _beside(one: ProbeFinding, merged: Sequence[ProbeFinding]) -> ProbeFinding:
    """A note, where another finding of what leaves get is made at far more positions, a few of which look like this
    one, too."""
    of_leaves = [
        each for each in merged if each.severity != "note" and each.check.startswith(OF_LEAVES)
    ]
    if one not in of_leaves:
        return one
    most = max(of_leaves, key=lambda each: len(each.positions))
    if len(one.positions) * SELDOM >= len(most.positions):
        return one
    words = (
        f"{one.message}. So it is at {plural(len(one.positions), 'position')} alone, and {most.check} is found at "
        f"{len(most.positions)}, from which it may follow"
    )
    return replace(one, severity="note", message=words)


def _is_explained(check: str, positions: Mapping[str, int]) -> bool:
    """Whether what the search does at more positions explains the finding; `positions`: how many have
    a finding, by check."""
    return any(
        check != reason and check.startswith(names) and positions.get(reason, 0) > positions[check]
        for reason, names in OF_THE_SEARCH.items()
    )


def tactical_results(probed: Sequence[Probed[AnyTrace]]) -> Iterator[TacticalResult]:
    """For each kind of positions that there is."""
    for kind in TASKS:
        solved = {
            i: each.solved
            for i, each in enumerate(probed)
            if each.position.kind == kind and each.solved is not None
        }
        if solved:
            wrong = tuple(i for i, right in solved.items() if not right)
            yield TacticalResult(kind, len(solved), len(solved) - len(wrong), wrong)


def missed(result: TacticalResult, iterations: int) -> Finding | None:
    """A finding where more is missed than a correct search of that many iterations would miss."""
    fewest = FEWEST.get(result.kind)
    if fewest is None or iterations < ENOUGH_ITERATIONS or len(result.missed) < 2:
        return None
    if result.solved >= fewest * result.positions:
        return None
    check = "tactics-win-missed" if result.kind == WIN_1 else "tactics-loss-allowed"
    what = "a win at once is taken" if result.kind == WIN_1 else "a loss in one move is prevented"
    return found(
        check, None, 0,
        f"{what} in {result.solved} of {result.positions} positions after {iterations:,} iterations",
        times=len(result.missed), positions=result.positions,
    )  # fmt: skip


def _merged(
    found_at: Sequence[tuple[int, Finding]], probed: Sequence[Probed[AnyTrace]]
) -> ProbeFinding:
    """One finding of all those of a check: the worst ones of them, and of these the one that shows
    most often in the smallest tree."""
    worst = min(SEVERITIES.index(finding.severity) for _, finding in found_at)
    seen = [(i, finding) for i, finding in found_at if finding.severity == SEVERITIES[worst]]

    def shown(at: tuple[int, Finding]) -> tuple[float, int]:
        trace = probed[at[0]].trace
        nodes = 1 if trace is None else trace.n_nodes
        times = at[1].evidence.get("times", 1)
        return float(times) / nodes if isinstance(times, (int, float)) else 0.0, -nodes

    index, best = max(seen, key=shown)
    fields = {name: getattr(best, name) for name in Finding.__dataclass_fields__}
    everywhere = tuple(dict.fromkeys(i for i, _ in found_at))
    return ProbeFinding(
        **fields, position=probed[index].position, index=index, positions=everywhere
    )


def _finding_json(finding: ProbeFinding) -> dict[str, object]:
    told = asdict(replace(finding, position=None))
    return {**told, "position": finding.index, "positions": list(finding.positions)}


def _position_json(each: Probed[AnyTrace]) -> dict[str, object]:
    position = each.position
    return {
        "kind": position.kind,
        "moves": list(position.moves),
        "names": position.names,
        "to_move": position.to_move,
        "right": None if position.right is None else sorted(position.right),
        "chosen": each.chosen,
        "solved": each.solved,
        "findings": [finding.check for finding in each.findings],
        "error": None if each.error is None else f"{type(each.error).__name__}: {each.error}",
    }
