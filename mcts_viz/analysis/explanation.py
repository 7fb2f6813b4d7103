"""Why a move was chosen, and why another one was not: every number of it follows from the trace.

What is said of them in words is `explanation_prose`'s.
"""

from __future__ import annotations

import html
import itertools
import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.decision import BY_VISITS, Decision, decision
from mcts_viz.analysis.explanation_prose import Phrase, paragraphs
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.analysis.selections import ALONE, REASONS, Course, course
from mcts_viz.errors import TraceError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES, final_move_rule, ranking
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.trace.players import CHANCE, UNKNOWN, n_players
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.trace.trace import Trace

if TYPE_CHECKING:
    from mcts_viz.analysis.truth import Truth

STRETCHES = 8  # of a search, at most
Z = 1.96  # quantile of the normal distribution for 95 %
METHOD = (
    "Intervals are normal approximations, mean ± 1.96·s/√n, s from the values of the single visits (Wald); "
    "visits are not independent of one another, so they prove nothing."
)


@dataclass(frozen=True)
class Candidate:
    """A move at the node. Values are in the view of the player who moves there."""

    node: int
    action: int
    move: str
    visits: int
    value_sum: float
    mean: float | None  # None without visits
    low: float | None  # 95 % interval of the mean, see METHOD; None: see `no_interval`
    high: float | None
    no_interval: str | None  # why there is none
    standing: int  # what a solver has proven: 1 a win, −1 a loss, 0 neither


@dataclass(frozen=True)
class RuleChoice:
    """What a final-move rule would choose."""

    rule: str
    node: int
    move: str


@dataclass(frozen=True)
class Step:
    """A move of the expected line of play."""

    node: int
    move: str
    player: str  # who makes it, and whose view the mean is; empty: one plays alone, or not known
    visits: int
    mean: float | None


@dataclass(frozen=True)
class Stretch:
    """Selections in iterations `first` to `last`."""

    first: int
    last: int
    looked_at: int  # where there was another child to compare with
    reasons: dict[str, int]  # by which term the chosen child was ahead of the best other one


@dataclass(frozen=True)
class Selections:
    """The selections at the node in which a child that was there already was chosen."""

    total: int
    looked_at: int
    step: int  # 1: all of them were looked at, 8: every eighth
    alone: int  # looked at, but there was no other child
    reasons: dict[str, int]  # of the rest
    first: dict[str, int]  # iteration in which each of these decided for the first time
    stretches: tuple[Stretch, ...]  # in order of time


@dataclass(frozen=True)
class Rejection:
    """Why a move was not chosen. Values are in the view of the player who moves at the node."""

    move: str
    candidate: Candidate | None  # None: it has no node
    is_chosen: bool
    selected: int  # how often, of all selections at the node
    last_selected: int | None  # iteration
    starved_since: int | None  # first iteration of the starvation, see `starvation`
    selections_since: int  # at the node from there on; all of them where it was never starved
    selected_since: int
    equal_share: float  # of selections_since
    lost_looked_at: int  # selections since then, among those looked at, that another child won
    lost_by: dict[str, int]  # by which term that child was ahead
    lost_first: dict[str, int]  # iteration in which it was by each for the first time
    best_reply: Step | None
    reply_visits_of: int  # visits of the rejected move's node
    value: float | None  # its value term now
    value_needed: float | None  # above which its score would be the highest; None: not to be told
    rule_needs: float | None  # what the rule would have to see more of than this
    rule_needs_what: str  # "visits", "mean value", "value sum"


@dataclass(frozen=True)
class Explanation:
    """Why the move at a node after iteration t; `str` says it in words, `as_json` as data."""

    iteration: int
    n_iterations: int  # of the trace
    node: int
    line_to: tuple[str, ...]  # moves from the root to the node
    player: str  # who moves at the node: whose view values are; empty: plays alone, or not known
    by_chance: bool  # nobody moves at the node, chance does
    over: bool  # the game is, at the node
    visits: int  # of the node
    final_move: str  # the trace's rule
    decision: Decision | None  # None: no child was visited
    chosen: Candidate | None
    runner_up: Candidate | None
    leads_since: int | None  # iteration; 0: before the first one
    lead_changes: int
    rules: tuple[RuleChoice, ...]  # all five
    method: str  # of the intervals
    line: tuple[Step, ...]  # of play expected from here
    selections: Selections
    rejected: Rejection | None  # only if it was asked
    truth: Truth | None = None  # whether the choice is a mistake; only if it was asked

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data for `json.dumps`, the words as "text"."""
        found: dict[str, Any] = _plain(asdict(replace(self, truth=None)))
        truth = None if self.truth is None else self.truth.as_json()
        return {**found, "truth": truth, "text": str(self)}

    @property
    def prose(self) -> tuple[tuple[Phrase, ...], ...]:
        """Paragraphs of phrases; a phrase with a number knows the iteration or node to see it at."""
        exact = () if self.truth is None else self.truth.verdict_prose
        return (*exact, *paragraphs(self))

    def __str__(self) -> str:
        return "\n".join("".join(phrase.text for phrase in told) for told in self.prose)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in str(self).split("\n"))


def explain(trace: Trace, t: int, node: int = 0, why_not: str | int | None = None) -> Explanation:
    """Why the final-move rule chooses what it does at `node` after iteration t, and why not the move
    `why_not` (a name or an action id). Raises TraceError for what the trace does not have."""
    snapshot = trace.at(t)
    path = snapshot.path(node)
    children = np.array(snapshot.children(node), np.int64)
    rejected = None if why_not is None else _asked(snapshot, children, why_not)
    place = _place(snapshot, children, rejected)
    told = course(trace, node, t, snapshot.mean_value[children], place)
    by_chance = bool(snapshot.to_move[node] == CHANCE)
    decided = None if by_chance else decision(snapshot, node)
    candidates = _candidates(trace, snapshot, children, told)
    by_node = {candidate.node: candidate for candidate in candidates}
    chosen = None if decided is None else by_node[decided.chosen]
    runner_up = None
    if decided is not None and decided.runner_up is not None:
        runner_up = by_node[decided.runner_up]
    return Explanation(
        iteration=snapshot.iteration,
        n_iterations=trace.n_iterations,
        node=node,
        line_to=tuple(snapshot.label(v) for v in path[1:]),
        player=_player(snapshot, node),
        by_chance=by_chance,
        over=bool(snapshot.terminal[node]),
        visits=int(snapshot.visits[node]),
        final_move=snapshot.final_move,
        decision=decided,
        chosen=chosen,
        runner_up=runner_up,
        leads_since=None if told.leader < 0 else told.since,
        lead_changes=told.lead_changes,
        rules=_rules(snapshot, children),
        method=METHOD,
        line=_line(snapshot, node),
        selections=_selections(told, t),
        rejected=None
        if rejected is None
        else _rejection(
            snapshot,
            children,
            told,
            rejected,
            None if place is None else candidates[place],
            decided,
        ),
    )


def _asked(snapshot: Snapshot, children: npt.NDArray[np.int64], why_not: str | int) -> int:
    """Action id of the move asked about."""
    labels = {snapshot.label(int(v)).casefold(): int(snapshot.action[v]) for v in children}
    names = snapshot.meta.get("action_labels") or []
    actions = set(labels.values()) | set(range(len(names)))
    if isinstance(why_not, str):
        text = why_not.strip().casefold()
        if text in labels:
            return labels[text]
        for action, name in enumerate(names):
            if str(name).casefold() == text:
                return action
        if text.isdecimal() and int(text) in actions:
            return int(text)
    elif not isinstance(why_not, bool) and why_not in actions:
        return int(why_not)
    known = ", ".join(snapshot.label(int(v)) for v in children) or "there are none"
    raise TraceError(
        f"why_not = {why_not!r} is no move here; give the name or the action id of one: {known}"
    )


def _place(snapshot: Snapshot, children: npt.NDArray[np.int64], action: int | None) -> int | None:
    """Place of the move's child, None where it has none."""
    places = snapshot.action[children].tolist()
    return places.index(action) if action in places else None


def _candidates(
    trace: Trace, snapshot: Snapshot, children: npt.NDArray[np.int64], told: Course
) -> list[Candidate]:
    low, high = snapshot.meta["value_range"]
    standing = snapshot.standing(children.astype(np.int32))
    whole = snapshot.meta.get("kind") == "snapshot"
    found = []
    for place, v in enumerate(children.tolist()):
        n = int(snapshot.visits[v])
        mean = float(snapshot.mean_value[v])
        half, reason = None, None
        if n < 2:
            reason = "fewer than two visits"
        elif whole or told.n_values[place] != n:
            reason = "its visits were not recorded one by one"
        elif told.least[place] < low or told.greatest[place] > high:
            reason = "some of its values lie outside the range of a visit's value"
        elif told.least[place] == told.greatest[place]:
            reason = "all its values are the same"
        else:
            half = Z * math.sqrt(float(told.deviations[place]) / (n - 1) / n)
        found.append(
            Candidate(
                node=v,
                action=int(snapshot.action[v]),
                move=snapshot.label(v),
                visits=n,
                value_sum=float(snapshot.value_sum[v]),
                mean=mean if n else None,
                low=None if half is None else mean - half,
                high=None if half is None else mean + half,
                no_interval=reason,
                standing=int(standing[place]),
            )
        )
    return found


def _rules(snapshot: Snapshot, children: npt.NDArray[np.int64]) -> tuple[RuleChoice, ...]:
    standing = snapshot.standing(children.astype(np.int32))
    visits, value_sum = snapshot.visits[children], snapshot.value_sum[children]
    found = []
    for name in FINAL_MOVE_RULES:
        ranked = ranking(final_move_rule(name), visits, value_sum, snapshot.value_width, standing)
        if ranked:
            v = int(children[ranked[0]])
            found.append(RuleChoice(name, v, snapshot.label(v)))
    return tuple(found)


def _line(snapshot: Snapshot, node: int) -> tuple[Step, ...]:
    found = []
    while ranked := snapshot.ranked_children(node):
        found.append(_step(snapshot, ranked[0]))
        node = ranked[0]
    return tuple(found)


def _player(snapshot: Snapshot, node: int) -> str:
    """Who moves there; empty where nobody else plays, or nobody knows."""
    player = int(snapshot.to_move[node])
    alone = n_players(snapshot.meta) == 1 and player != CHANCE
    return "" if alone or player == UNKNOWN else player_name(snapshot.meta, player)


def _step(snapshot: Snapshot, v: int) -> Step:
    return Step(
        node=v,
        move=snapshot.label(v),
        player=_player(snapshot, int(snapshot.parent[v])),
        visits=int(snapshot.visits[v]),
        mean=float(snapshot.mean_value[v]) if snapshot.visits[v] else None,
    )


def _counts(reason: npt.NDArray[np.int8]) -> dict[str, int]:
    counts = np.bincount(reason[reason >= 0], minlength=len(REASONS)).tolist()
    return {name: n for name, n in zip(REASONS, counts) if n}


def _first(reason: npt.NDArray[np.int8], iteration: npt.NDArray[np.int64]) -> dict[str, int]:
    """When each reason is there for the first time."""
    return {
        name: int(iteration[found[0]])
        for i, name in enumerate(REASONS)
        if len(found := np.flatnonzero(reason == i))
    }


def _selections(told: Course, t: int) -> Selections:
    iteration = told.iteration[:: told.step]
    n = min(STRETCHES, t)
    ends = [t * i // n for i in range(n + 1)] if n else [0]
    stretches = []
    for before, last in itertools.pairwise(ends):
        a, b = np.searchsorted(iteration, [before + 1, last + 1])
        reason = told.reason[a:b]
        stretches.append(Stretch(before + 1, last, int((reason >= 0).sum()), _counts(reason)))
    return Selections(
        total=len(told.taken),
        looked_at=len(told.reason),
        step=told.step,
        alone=int((told.reason == ALONE).sum()),
        reasons=_counts(told.reason),
        first=_first(told.reason, iteration),
        stretches=tuple(stretches),
    )


def starvation(taken: npt.NDArray[np.bool_], k: int) -> int | None:
    """Index of the first of S selections from which on one of k children, taken or not in each, got
    less than half of an equal share, which is 1/k; None where there is none that leaves 2k or more."""
    n_left = np.arange(len(taken), 0, -1)
    taken_left = np.cumsum(taken[::-1])[::-1]
    starved = np.flatnonzero((2 * k * taken_left < n_left) & (n_left >= 2 * k))
    return int(starved[0]) if len(starved) else None


def _rejection(
    snapshot: Snapshot, children: npt.NDArray[np.int64], told: Course, action: int,
    candidate: Candidate | None, decided: Decision | None,
) -> Rejection:  # fmt: skip
    names = snapshot.meta.get("action_labels") or []
    if candidate is None:
        move = str(names[action])
        return Rejection(
            move, None, False, 0, None, None, 0, 0, 0.0, 0, {}, {}, None, 0, None, None, None, ""
        )  # fmt: skip
    place, v = _place(snapshot, children, action), candidate.node
    mine = told.taken == place
    start = starvation(mine, len(children))
    first = 0 if start is None else start
    looked_at = slice(-(-first // told.step), None)
    against = told.against[looked_at]
    replies = snapshot.ranked_children(v)
    value, needed = _value_needed(snapshot, children, v)
    what, rule_needs = _rule_needs(snapshot, candidate, decided)
    return Rejection(
        move=candidate.move,
        candidate=candidate,
        is_chosen=decided is not None and decided.chosen == v,
        selected=int(mine.sum()),
        last_selected=int(told.iteration[mine][-1]) if mine.any() else None,
        starved_since=None if start is None else int(told.iteration[start]),
        selections_since=len(mine) - first,
        selected_since=int(mine[first:].sum()),
        equal_share=(len(mine) - first) / len(children),
        lost_looked_at=int((against >= 0).sum()),
        lost_by=_counts(against),
        lost_first=_first(against, told.iteration[:: told.step][looked_at]),
        best_reply=_step(snapshot, replies[0]) if replies else None,
        reply_visits_of=candidate.visits,
        value=value,
        value_needed=needed,
        rule_needs=rule_needs,
        rule_needs_what=what,
    )


def _value_needed(
    snapshot: Snapshot, children: npt.NDArray[np.int64], v: int
) -> tuple[float | None, float | None]:
    """The move's value term, and the one above which its score would be the highest; None where
    scores are not known or not finite, or where the exploration term depends on the value."""
    # of the children alone: those of a million nodes would take longer than all the rest
    values, widths, scores = snapshot.scores(children)
    value, width = float(values[children == v][0]), float(widths[children == v][0])
    others = scores[children != v]
    formula = SELECTION_FORMULAS.get(
        snapshot.meta.get("policies", {}).get("selection", {}).get("name")
    )
    fixed = formula is not None and not formula.needs_squares
    proven = snapshot.standing(np.array([v], np.int32))[0] != 0
    if not fixed or proven or not len(others) or not np.isfinite(scores).all():
        return (value if np.isfinite(value) else None), None
    return value, float(others.max() - width)


def _rule_needs(
    snapshot: Snapshot, mine: Candidate, decided: Decision | None
) -> tuple[str, float | None]:
    """What the final-move rule compares, and how much of it the move would have to exceed."""
    if (
        decided is None
        or mine.standing
        or snapshot.standing(np.array([decided.chosen], np.int32))[0]
    ):
        return "", None  # what is proven comes before any rule
    score = decided.chosen_score
    if decided.rule in BY_VISITS:
        return "visits", score
    if decided.rule == "highest_total":
        return "value sum", score
    if decided.rule == "secure":
        if not mine.visits:
            return "", None
        score += snapshot.value_width / math.sqrt(mine.visits)
    return "mean value", score


def _plain(found: Any) -> Any:
    """JSON has no nan and no infinity: None."""
    if isinstance(found, dict):
        return {name: _plain(value) for name, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [_plain(value) for value in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found
