"""Whether findings together say that the search is right, and `value_view=` of its recording is not.

With values of one player at every node, a correct search backs up the same value along a path and turns it round where
the other player chooses. With values of the player to move, leaves and choices are turned round both. Read as values of
who moved there, either looks like two mistakes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.ends import evaluates

OPPONENTS = "the child is taken that is best for the opponent of the player who chooses"
COSTS = "the greatest cost is chosen, or the sign of the value is turned as in a game of two"
WHOLE = 0.99  # share of the choices that are explained, and of the ends that fit
FEW = 10  # ends
DECIDED = 0.5  # of an end from −1 to 1: draws say nothing


def with_declared_view(search: CheckedSearch, findings: list[Finding]) -> list[Finding]:
    """The findings, with one in place of those that follow from a view which is not the recording's."""
    by_check = {finding.check: finding for finding in findings}
    one_player, opponent = (
        _whole(by_check.get(f"selection-{which}-view")) for which in ("one", "wrong")
    )
    same, turned = by_check.get("value-same-view"), by_check.get("value-wrong-view")
    if same is not None and one_player is not None and search.meta.watched.value_view != "player0":
        told = replace(
            same, message=_of_one_player("player 0" if "player 0" in one_player.message else "player 1"),
            severity="error" if search.players_known else "note",
        )  # fmt: skip
        return _in_place_of(findings, same, told, one_player)
    if opponent is None or OPPONENTS not in opponent.message:
        return findings
    if search.alone:
        return _in_place_of(findings, opponent, _least_is_taken(opponent), None)
    view = "mover" if search.meta.watched.value_view == "to_move" else "to_move"
    whose = "the player who moved there" if view == "mover" else "the player to move at a node"
    right = (
        f"if values are those of {whose}, then the search is right, and the recording needs value_view={view!r}; means "
        "are shown from the wrong side till then"
    )
    if turned is not None:
        told = replace(
            turned, message=f"{turned.message}. So do the choices, all {opponent.evidence['choices']:,}: {right}",
        )  # fmt: skip
        return _in_place_of(findings, turned, told, opponent)
    if _is_view_unknown(search) and same is None and not _ends_are_in_view(search):
        of_one = "" if search.players_known else f". Where one plays, {COSTS}"
        text = f"{opponent.message}. Or {right}{of_one}"
        # choices that contradict a rule which was declared say that something is wrong, whichever of the two; priors
        # say that there is one
        priors = search.trace.columns.nodes.prior[1 : search.N]
        is_told = search.meta.policies.selection.c is not None or not np.isnan(priors).all()
        told = opponent.as_warning(text) if is_told else opponent.as_note(text)
        return _in_place_of(findings, opponent, told, None)
    return findings


def _least_is_taken(opponent: Finding) -> Finding:
    """The same in the words of one player, who has no opponent."""
    message = opponent.message.replace(
        OPPONENTS, "the child with the lowest mean value is preferred"
    )
    return opponent.as_note(
        f"{message}: {COSTS}. If what the recording tells as the value is a cost, then the search is right, and "
        "value= has to give minus the cost"
    )


def _is_view_unknown(search: CheckedSearch) -> bool:
    """Whether nobody knows what values are worth: by the rules results are known, and no evaluations."""
    return search.rules is None or (evaluates(search) and not search.ended.any())


def _ends_are_in_view(search: CheckedSearch) -> bool:
    """Whether nodes at which the game was told to be over have the values that their results are worth to who moved
    there: then the view is the recording's. Else nobody knows who has won at a leaf."""
    after = search.statistics_after(search.T)
    visits, low, high = after.visits[: search.N], *search.value_range
    told = np.flatnonzero(~np.isnan(search.outcome) & (visits > 0) & (search.mover >= 0))
    due = search.share(search.outcome[told].astype(np.float64), search.mover[told])
    decided = np.abs(due) > DECIDED
    told, due = told[decided], due[decided]
    got = (2 * after.value_sum[told] / visits[told] - low - high) / (high - low)
    return len(told) >= FEW and float((got * due > 0).mean()) >= WHOLE


def _whole(finding: Finding | None) -> Finding | None:
    """A mistake in whose view children are compared, if it explains the choices as a correct search would."""
    is_whole = finding is not None and float(finding.evidence.get("share", 0)) >= WHOLE
    return finding if is_whole else None


def _of_one_player(name: str) -> str:
    remedy = (
        'the recording needs value_view="player0"'
        if name == "player 0"
        else 'the recording needs them turned round, and value_view="player0"'
    )
    return (
        "all nodes of a path get the same value, and each player takes what is best for itself if these are values of "
        f"{name} everywhere: then the search is right, and {remedy}; means of the other player's moves are shown from "
        "the wrong side till then"
    )


def _in_place_of(
    findings: list[Finding], old: Finding, new: Finding, without: Finding | None
) -> list[Finding]:
    return [new if one is old else one for one in findings if one is not without]
