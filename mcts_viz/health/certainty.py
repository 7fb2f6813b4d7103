"""How sure a finding is: a law that no correct search breaks, or a conclusion that may be wrong, and how
often it was among correct searches. `benchmarks/false_alarms.py` measures it."""

from __future__ import annotations

# what a check concludes from statistics, or from what most searches do; all others count what is
# recorded: names, or their beginnings
INFERRED = (
    "visits-shared-nodes",
    "shared-player",
    "batch-one-value",
    "virtual-loss-left",
    "virtual-loss-sign",
    "value-range",
    "value-backup",
    "value-wrong-view",
    "value-draw-",
    "value-one-side",
    "value-mean",
    "value-overwritten",
    "value-discount",
    "value-not-discounted",
    "value-leaf",
    "value-uneven",
    "value-half-results",
    "value-immediate",
    "value-not-the-result",
    "value-fraction",
    "selection-",
    "expansion-again",
    "expansion-below-end",
    "expansion-late-rewards",
    "expansion-missing",
    "expansion-player",
    "expansion-state-changes",
    "expansion-from-root",
    "expansion-priors",
    "expansion-stops",
    "simulation-terminal",
    "simulation-flipped",
    "simulation-constant",
    "simulation-discounted",
    "simulation-late",
    "simulation-outcome",
    "simulation-limit",
    "simulation-first-move",
    "simulation-last-move",
    "simulation-from-parent",
    "simulation-repeats",
    "simulation-impossible",
    "simulation-unfinished",
    "simulation-values-vary",
    "simulation-shared-value",
    "simulation-ignored-move",
    "simulation-against-truth",
    "simulation-not-random",
    "proof-missing",
    "chance-",
    "particle-one-state",
    "reuse-aged",
    "reuse-lost",
    "reuse-start",
    "reuse-view",
    "tactics-",
)
SEARCHES = 1_623  # correct ones, of 212 kinds on four games
RANDOM_SEARCHES = 294  # those of which it is known that each simulation is one random game
PROBES = 277  # of correct searches
ALARMS: dict[str, int] = {}  # in how many of them a check complains; 0 for those that are not here
# of what none of the searches counted tells
NOT_COUNTED: tuple[str, ...] = (
    "chance-unshared",
    "expansion-missing",
    "particle-one-state",
    "reuse-start",
    "reuse-view",
    "simulation-shared-value",
    "simulation-values-vary",
    "value-fraction",
)
OF_RANDOM = ("simulation-not-random", "simulation-against-truth")


def is_inferred(check: str) -> bool:
    """Whether a correct search may have the finding, though seldom."""
    return check.startswith(INFERRED)


def alarm_rate(check: str) -> float | None:
    """The share of correct searches that get such a finding, the upper end of a 95 % interval; 0 where a
    law says that none does, None where it was not counted."""
    if not is_inferred(check):
        return 0.0
    if check in NOT_COUNTED:
        return None
    return (ALARMS.get(check, 0) + 3) / _measured(check)[0]  # the rule of three, for few alarms


def certainty(check: str, severity: str) -> str:
    """How sure a finding of the check is, in words."""
    if check.startswith("fleet-"):
        return "counted over the searches of the fleet; its evidence says how many"
    if not is_inferred(check):
        return "exact: no correct search does this" if severity == "error" else "exact: counted"
    if severity == "note" and check not in OF_RANDOM:
        return "inferred: it explains what is recorded, and something else may"
    if check in NOT_COUNTED:
        return "inferred; false alarms of this check were not counted yet"
    n, what = _measured(check)
    alarms = ALARMS.get(check, 0)
    rate = alarm_rate(check) or 1.0
    return (
        f"inferred: {alarms:,} false alarms in {n:,} {what}, so at most 1 in {1 / rate:,.0f} (95 %)"
    )


def _measured(check: str) -> tuple[int, str]:
    if check.startswith("tactics-"):
        return PROBES, "probes of correct searches"
    if check in OF_RANDOM:
        return RANDOM_SEARCHES, "searches with random simulations"
    return SEARCHES, "correct searches"
