"""Final-move rules: which move to play once the search has stopped.

A rule gives every root child a score; the child with the highest is played. Ties go to the higher
mean, then to the child that was made first; a child without visits is never played. Names in
brackets are those of Chaslot et al. 2008, "Progressive strategies for Monte-Carlo tree search".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import SearchError
from mcts_viz.types import Bools, Floats, Wholes

Visits: TypeAlias = Wholes
Floats: TypeAlias = Floats
# what a solver has proven of each child, view of the player who moves at the root: 1 a win, which is
# played whatever the rule says, also without a visit; -1 a loss, which is played only among others;
# 0 neither
Standing: TypeAlias = npt.NDArray[np.int8]
LEAST = -1e308  # a score or mean below all others, but above that of what is never played

# (visits [..., k], value_sum [..., k] in the view of the player who moves at the root, greatest
# minus least value of one visit) -> score [..., k]. The last axis is the children; those in front
# are moments of a search. What a rule says of a child without visits is not looked at, but such a
# child must not change the scores of the others
FinalMoveRule: TypeAlias = Callable[[Visits, Floats, float], Floats]


def most_visits(visits: Visits, value_sum: Floats, value_width: float) -> Floats:
    """The number of visits (robust child)."""
    return visits.astype(np.float64)


def highest_mean(visits: Visits, value_sum: Floats, value_width: float) -> Floats:
    """The mean value (max child)."""
    return _mean(visits, value_sum)


def highest_total(visits: Visits, value_sum: Floats, value_width: float) -> Floats:
    """The sum of values."""
    return value_sum


def robust_max(visits: Visits, value_sum: Floats, value_width: float) -> Floats:
    """Infinite for a child with both the most visits and the highest mean (robust-max child), else
    the number of visits.

    Where no child has both, Chaslot et al. go on searching until one does. A rule cannot: it then
    plays the child with the most visits, so that its move is that of `most_visits` throughout. What
    it adds is the word whether mean and visits agree.
    """
    has_both = has_most_visits_and_mean(visits, value_sum)
    return np.where(has_both, np.inf, visits)


def secure(visits: Visits, value_sum: Floats, value_width: float) -> Floats:
    """A lower confidence bound of the mean, q - A/√n (secure child).

    A is the width of the range that a visit's value can take, so that the move does not depend on
    the scale of the scores. Chaslot et al. found 4 to be good in their program.
    """
    return _mean(visits, value_sum) - value_width / np.sqrt(visits)


FINAL_MOVE_RULES: dict[str, FinalMoveRule] = {
    "most_visits": most_visits,
    "highest_mean": highest_mean,
    "highest_total": highest_total,
    "robust_max": robust_max,
    "secure": secure,
}


def final_move_rule(name: str) -> FinalMoveRule:
    """The rule of that name; raises SearchError with the names there are."""
    if not isinstance(name, str) or name not in FINAL_MOVE_RULES:
        raise SearchError(
            f"final-move rule {name!r} is not known; choose one of: {', '.join(FINAL_MOVE_RULES)}"
        )
    return FINAL_MOVE_RULES[name]


def final_move_scores(
    rule: FinalMoveRule, visits: Visits, value_sum: Floats, value_width: float
) -> Floats:
    """[..., k] the rule's score of each child; -inf without visits."""
    if visits.size and visits.min() > 0:
        return rule(visits, value_sum, value_width)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(visits > 0, rule(visits, value_sum, value_width), -np.inf)


def has_most_visits_and_mean(visits: Visits, value_sum: Floats) -> Bools:
    """[..., k] whether no sibling has more visits, and none a higher mean."""
    mean = _mean(visits, value_sum)
    has_both: Bools = (
        (visits > 0)
        & (visits == visits.max(axis=-1, keepdims=True, initial=0))
        & (mean == mean.max(axis=-1, keepdims=True, initial=-np.inf))
    )
    return has_both


def ranking(
    rule: FinalMoveRule,
    visits: Visits,
    value_sum: Floats,
    value_width: float,
    standing: Standing | None = None,
) -> list[int]:
    """Indices of the k children that may be played, best first, ties broken as the module says;
    empty when none was visited."""
    score = final_move_scores(rule, visits, value_sum, value_width)
    standing = np.zeros(len(visits), np.int8) if standing is None else standing
    order = np.lexsort((np.arange(len(visits)), -_mean(visits, value_sum), -score, -standing))
    return [int(i) for i in order if visits[i] > 0 or standing[i] > 0]


def leading_child(
    rule: FinalMoveRule,
    visits: Visits,
    value_sum: Floats,
    value_width: float,
    standing: Standing | None = None,
) -> npt.NDArray[np.intp]:
    """[P] index of the child that the rule plays for each row of [P, k], the first of `ranking`; -1
    where none may be played."""
    if visits.shape[1] == 0:
        return np.full(len(visits), -1, np.intp)
    playable = candidate = visits > 0
    if standing is not None:
        playable = playable | (standing > 0)
        best_standing = np.where(playable, standing, -2).max(axis=1, keepdims=True)
        candidate = playable & (standing == best_standing)
    score = np.maximum(final_move_scores(rule, visits, value_sum, value_width), LEAST)
    score = np.where(candidate, score, -np.inf)
    best = score == score.max(axis=1, keepdims=True)
    mean = np.maximum(_mean(visits, value_sum), LEAST)
    leader = np.where(best & candidate, mean, -np.inf).argmax(axis=1)
    return np.where(playable.any(axis=1), leader, -1)


def ahead_throughout(
    rule: FinalMoveRule, courses: Sequence[tuple[Visits, Floats]], value_width: float
) -> int | None:
    """Index of the child whose least score is above every other's greatest over all the states
    (visits, value_sum) that each child was in; None where there is none, or it takes a look at the
    siblings to say. Tells most of a long search at a fraction of `leading_child`'s cost."""
    bounds = []
    for visits, value_sum in courses:
        score = final_move_scores(rule, visits[:, None], value_sum[:, None], value_width)
        bounds.append((float(score.min()), float(score.max())))
    first = max(range(len(bounds)), key=lambda place: bounds[place][0])
    rest = (most for place, (_, most) in enumerate(bounds) if place != first)
    return first if bounds[first][0] > max(rest, default=-np.inf) else None


def score_bounds(
    rule: FinalMoveRule,
    visits: tuple[Visits, Visits],
    value_sum: tuple[Floats, Floats],
    value_width: float,
) -> tuple[Floats, Floats]:
    """[..., k] what no score is below and none above, for any number of visits and any sum of values between two; of
    `robust_max` the visits that decide. -inf and inf for a child that may have no visit."""
    if rule is robust_max:
        rule = most_visits
    few, many = (np.maximum(each, 1) for each in visits)
    corners = [rule(n, value, value_width) for n in (few, many) for value in value_sum]
    least, greatest = np.min(corners, axis=0), np.max(corners, axis=0)
    if rule is secure:  # does not rise or fall all the way with the visits
        means = [value / n for n in (few, many) for value in value_sum]
        least = np.min(means, axis=0) - value_width / np.sqrt(few)
        greatest = np.max(means, axis=0) - value_width / np.sqrt(many)
    may_be_none = visits[0] <= 0
    return np.where(may_be_none, -np.inf, least), np.where(may_be_none, np.inf, greatest)


def _mean(visits: Visits, value_sum: Floats) -> Floats:
    """Mean values, -inf without visits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(visits > 0, value_sum / visits, -np.inf)
