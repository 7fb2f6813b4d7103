"""All checks of a trace."""

from __future__ import annotations

import numpy as np

from mcts_viz.analysis.health.choice import check_choice
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.exact_outcomes import check_exact_outcomes
from mcts_viz.analysis.health.expansion import check_expansion
from mcts_viz.analysis.health.finding import SEVERITIES, Finding
from mcts_viz.analysis.health.referee import Referee
from mcts_viz.analysis.health.resimulation import check_outcomes
from mcts_viz.analysis.health.selection import check_selection
from mcts_viz.analysis.health.simulation import KnownResults, check_simulation
from mcts_viz.analysis.health.value import check_value
from mcts_viz.analysis.health.visits import check_visits
from mcts_viz.trace.trace import Trace

BY_CHANCE = ("simulation-not-random", "simulation-against-truth")
# findings that follow from another one, and would mislead beside it: these checks, or all whose name
# begins so. Without the true path of an iteration, for one, nothing can be said of its simulation
CONSEQUENCES: dict[str, tuple[str, ...]] = {
    "simulation-outcome": (*BY_CHANCE, "simulation-impossible"),
    "simulation-unfinished": (*BY_CHANCE, "simulation-impossible"),
    "simulation-impossible": BY_CHANCE,
    "simulation-repeats": BY_CHANCE,
    "simulation-illegal": (*BY_CHANCE, "simulation-impossible"),
    "expansion-state-changes": ("expansion-", "simulation-"),
    "visits-leaf": ("simulation-",),
    "visits-off-path": ("value-", "selection-", "simulation-", "expansion-missing"),
    "visits-missing": ("visits-root",),
    "value-off-path": ("value-",),
    "selection-untried": ("expansion-missing",),
    "reuse-doubled": ("reuse-lost", "visits-children"),
    "reuse-lost": ("expansion-missing",),
}


def check_trace(
    trace: Trace, referee: Referee | None = None, played: int | None = None
) -> list[Finding]:
    """What is wrong with the search, worst first, then what is worth knowing.

    referee: who knows the game's rules; without one, legality and true results stay unchecked.
    played: the action really played after the search. Linear in the trace, but for the rules, which
    are asked of a few thousand positions and rollouts at most.
    """
    if trace.n_iterations == 0:
        return []
    with np.errstate(all="ignore"):  # a faulty search may have numbers of any size
        course = Course(trace, referee)
        findings = [
            *check_visits(course),
            *check_value(course, KnownResults(course)),
            *check_selection(course),
            *check_expansion(course),
            *check_simulation(course),
            *check_outcomes(course),
            *check_exact_outcomes(course),
            *check_choice(course, played),
        ]
    causes = [finding for finding in findings if not _follows(finding, findings)]
    return sorted(causes, key=lambda finding: SEVERITIES.index(finding.severity))


def _follows(finding: Finding, findings: list[Finding]) -> bool:
    return any(
        finding.check.startswith(CONSEQUENCES.get(other.check, ())) and other.check != finding.check
        for other in findings
    )
