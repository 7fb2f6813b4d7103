"""Why a move was chosen, and why another one was not, from the trace alone; `prose` puts it into words."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt

from mcts_viz.analysis.choice.data import (
    BestNode,
    ExplanationData,
    LineMove,
    MoveEstimate,
    Rejection,
    RuleChoice,
    SelectionCounts,
    SelectionPeriod,
)
from mcts_viz.analysis.choice.decision import BY_VISITS, Decision, decision
from mcts_viz.analysis.choice.prose import paragraphs
from mcts_viz.analysis.choice.selections import ALONE, REASONS, SelectionHistory, selection_history
from mcts_viz.analysis.node.branch import branch_totals, is_derived
from mcts_viz.analysis.phrase import Paragraphs, as_html, as_text
from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.errors import TraceError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES, final_move_rule, ranking
from mcts_viz.games.moves import MoveNames
from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN
from mcts_viz.trace.snapshot import Snapshot, collects_values
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Document, Ints

STRETCHES = 8  # of a search, at most
Z = 1.96  # quantile of the normal distribution for 95 %
ROUNDING = 1e-9  # of the width of the range of values
METHOD = (
    "Intervals are normal approximations, mean ± 1.96·s/√n, s from the values of the single visits (Wald); "
    "visits are not independent of one another, so they prove nothing."
)


class Explanation(ExplanationData):
    """Why the move at a node after iteration t; `str` gives it in words, `as_json` as data."""

    def as_json(self) -> Document:
        """All of it as plain data for `json.dumps`, the words as "text"."""
        found: Document = _plain_object(asdict(replace(self, truth=None)))
        truth = None if self.truth is None else self.truth.as_json()
        return {**found, "truth": truth, "text": str(self)}

    @property
    def prose(self) -> Paragraphs:
        """Paragraphs of phrases; a phrase with a number knows the iteration or node to see it at."""
        exact = () if self.truth is None else self.truth.verdict_prose
        return (*exact, *paragraphs(self))

    def __str__(self) -> str:
        return as_text(self.prose)

    def _repr_html_(self) -> str:
        return as_html(self.prose)


def explain(trace: Trace, t: int, node: int = 0, why_not: str | int | None = None) -> Explanation:
    """Why the final-move rule chooses what it does at `node` after iteration t, and why not the move
    `why_not` (a name or an action id). Raises TraceError for what the trace does not have."""
    snapshot = trace.at(t)
    path = snapshot.path(node)
    children = np.array(snapshot.children(node), np.int64)
    rejected = None if why_not is None else _asked(snapshot, children, why_not)
    place = _place(snapshot, children, rejected)
    told = selection_history(trace, node, t, snapshot.mean_values(children), place)
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
        line_to=tuple(snapshot.short_label(v) for v in path[1:]),
        player=_player(snapshot, node),
        by_chance=by_chance,
        collects=bool(collects_values(snapshot, node)),
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
        selections=_selections(told, t, len(trace.meta.worker_seeds or ())),
        best=_best_node(snapshot, node),
        derived=is_derived(trace.meta),
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


def _asked(snapshot: Snapshot, children: Ints, why_not: str | int) -> int:
    """Action id of the move asked about."""
    here = {snapshot.label(int(v)): int(snapshot.action[v]) for v in children}
    names = list(snapshot.meta.action_labels)
    if isinstance(why_not, str):
        for labels, ids in ((list(here), list(here.values())), (names, range(len(names)))):
            place = MoveNames(labels, ids, names).place(why_not)
            if place is not None:
                return ids[place]
    elif not isinstance(why_not, bool) and why_not in {*here.values(), *range(len(names))}:
        return int(why_not)
    known = ", ".join(snapshot.short_label(int(v)) for v in children) or "there are none"
    raise TraceError(
        f"why_not = {why_not!r} is not a move here; give the name or the action id of one: {known}"
    )


def _place(snapshot: Snapshot, children: Ints, action: int | None) -> int | None:
    """Place of the move's child, None where it has none."""
    places = snapshot.action[children].tolist()
    return places.index(action) if action in places else None


def _candidates(
    trace: Trace, snapshot: Snapshot, children: Ints, told: SelectionHistory
) -> list[MoveEstimate]:
    low, high = snapshot.meta.value_range
    slack = ROUNDING * (high - low)  # a value may be the difference of two sums
    standing = snapshot.standing(children.astype(np.int32))
    whole = snapshot.meta.is_snapshot
    collects = not len(children) or bool(
        collects_values(snapshot, int(snapshot.parent[children[0]]))
    )
    found = []
    for place, v in enumerate(children.tolist()):
        n = int(snapshot.visits[v])
        mean = float(snapshot.mean_values([v])[0])
        half, reason = None, None
        if not collects:
            reason = "it collects no values"
        elif math.isnan(mean) and n:
            reason = "the search keeps no value there"
        elif n < 2:
            reason = "fewer than two visits"
        elif whole or told.spread.n[place] != n:
            reason = "its visits were not recorded one by one"
        elif told.spread.least[place] < low - slack or told.spread.greatest[place] > high + slack:
            reason = "some of its values lie outside the range of a visit's value"
        elif told.spread.least[place] == told.spread.greatest[place]:
            reason = "all its values are the same"
        else:
            half = Z * math.sqrt(float(told.spread.deviations[place]) / (n - 1) / n)
        found.append(
            MoveEstimate(
                node=v,
                action=int(snapshot.action[v]),
                move=snapshot.short_label(v),
                visits=n,
                value_sum=float(snapshot.value_sum[v]),
                mean=None if math.isnan(mean) else mean,
                low=None if half is None else max(mean - half, low),
                high=None if half is None else min(mean + half, high),
                no_interval=reason,
                standing=int(standing[place]),
            )
        )
    return found


def _rules(snapshot: Snapshot, children: Ints) -> tuple[RuleChoice, ...]:
    standing = snapshot.standing(children.astype(np.int32))
    visits, value_sum = snapshot.visits[children], snapshot.value_sum[children]
    found = []
    for name in FINAL_MOVE_RULES:
        ranked = ranking(final_move_rule(name), visits, value_sum, snapshot.value_width, standing)
        if ranked:
            v = int(children[ranked[0]])
            found.append(RuleChoice(name, v, snapshot.short_label(v)))
    return tuple(found)


def _line(snapshot: Snapshot, node: int) -> tuple[LineMove, ...]:
    found = []
    while ranked := snapshot.ranked_children(node):
        found.append(_step(snapshot, ranked[0]))
        node = ranked[0]
    return tuple(found)


def _best_node(snapshot: Snapshot, node: int) -> BestNode | None:
    """The best node by the scores of the nodes themselves."""
    totals = branch_totals(snapshot, node) if snapshot.numbers else None
    if totals is None or totals.best is None or totals.best_score is None:
        return None
    best, child = totals.best, snapshot.path(totals.best)[int(snapshot.depth[node]) + 1]
    return BestNode(
        best, snapshot.short_label(best), totals.best_score, int(snapshot.born[best]),
        snapshot.short_label(child), child, totals.spent,
    )  # fmt: skip


def _player(snapshot: Snapshot, node: int) -> str:
    """The player to move, player 0 where all do; empty with one player, or where it is unknown."""
    player = int(snapshot.to_move[node])
    player = 0 if player == EVERYBODY else player
    alone = snapshot.meta.n_players == 1 and player != CHANCE
    return "" if alone or player == UNKNOWN else player_name(snapshot.meta, player)


def _step(snapshot: Snapshot, v: int) -> LineMove:
    mean = float(snapshot.mean_values([v])[0])
    return LineMove(
        node=v,
        move=snapshot.short_label(v),
        player=_player(snapshot, int(snapshot.parent[v])),
        visits=int(snapshot.visits[v]),
        mean=None if math.isnan(mean) else mean,
    )


def _counts(reason: npt.NDArray[np.int8]) -> dict[str, int]:
    counts = np.bincount(reason[reason >= 0], minlength=len(REASONS)).tolist()
    return {name: n for name, n in zip(REASONS, counts) if n}


def _first(reason: npt.NDArray[np.int8], iteration: Ints) -> dict[str, int]:
    """First iteration of each reason."""
    return {
        name: int(iteration[found[0]])
        for i, name in enumerate(REASONS)
        if len(found := np.flatnonzero(reason == i))
    }


def _selections(told: SelectionHistory, t: int, workers: int) -> SelectionCounts:
    iteration = told.sample.iteration
    n = min(STRETCHES, t)
    ends = [t * i // n for i in range(n + 1)] if n else [0]
    stretches = []
    for before, last in itertools.pairwise(ends):
        a, b = np.searchsorted(iteration, [before + 1, last + 1])
        reason = told.reason[a:b]
        stretches.append(
            SelectionPeriod(before + 1, last, int((reason >= 0).sum()), _counts(reason))
        )
    return SelectionCounts(
        total=told.sample.total,
        looked_at=len(told.reason),
        step=max(1, -(-told.sample.total // max(1, len(told.reason)))),
        alone=int((told.reason == ALONE).sum()),
        reasons=_counts(told.reason),
        first=_first(told.reason, iteration),
        stretches=tuple(stretches),
        workers=workers,
    )


def _rejection(
    snapshot: Snapshot, children: Ints, told: SelectionHistory, action: int,
    candidate: MoveEstimate | None, decided: Decision | None,
) -> Rejection:  # fmt: skip
    names = snapshot.meta.action_labels
    if candidate is None:
        move = str(names[action])
        return Rejection(
            move, None, False, 0, None, None, 0, 0, 0.0, 0, {}, {}, None, 0, None, None, None, ""
        )  # fmt: skip
    v = candidate.node
    selected, sample = told.selected, told.sample
    assert selected is not None  # the move has a child
    first = selected.starved_from or 0
    looked_at = slice(int(np.searchsorted(sample.place, first)), None)
    against = told.against[looked_at]
    replies = snapshot.ranked_children(v)
    value, needed = _value_needed(snapshot, children, v)
    what, rule_needs = _rule_needs(snapshot, candidate, decided)
    return Rejection(
        move=candidate.move,
        candidate=candidate,
        is_chosen=decided is not None and decided.chosen == v,
        selected=selected.n,
        last_selected=selected.last,
        starved_since=selected.starved_since,
        selections_since=sample.total - first,
        selected_since=selected.n_since,
        equal_share=(sample.total - first) / len(children),
        lost_looked_at=int((against >= 0).sum()),
        lost_by=_counts(against),
        lost_first=_first(against, sample.iteration[looked_at]),
        best_reply=_step(snapshot, replies[0]) if replies else None,
        reply_visits_of=candidate.visits,
        value=value,
        value_needed=needed,
        rule_needs=rule_needs,
        rule_needs_what=what,
    )


def _value_needed(snapshot: Snapshot, children: Ints, v: int) -> tuple[float | None, float | None]:
    """The move's value term, and the one above which its score would be the highest; None where
    scores are not known or not finite, or where the exploration term depends on the value."""
    # of the children alone: those of a million nodes would take longer than all the rest
    values, widths, scores = snapshot.scores(children)
    value, width = float(values[children == v][0]), float(widths[children == v][0])
    others = scores[children != v]
    formula = snapshot.meta.formula
    fixed = formula is not None and not formula.needs_squares
    proven = snapshot.standing(np.array([v], np.int32))[0] != 0
    if not collects_values(snapshot, int(snapshot.parent[v])):
        return None, None
    if not fixed or proven or not len(others) or not np.isfinite(scores).all():
        return (value if np.isfinite(value) else None), None
    return value, float(others.max() - width)


def _rule_needs(
    snapshot: Snapshot, mine: MoveEstimate, decided: Decision | None
) -> tuple[str, float | None]:
    """What the final-move rule compares, and the amount that the move would have to exceed."""
    if (
        decided is None
        or mine.standing
        or snapshot.standing(np.array([decided.chosen], np.int32))[0]
    ):
        return "", None  # a proven value comes before any rule
    score = decided.chosen_score
    if decided.rule in BY_VISITS:
        return "visits", score
    if not collects_values(snapshot, int(snapshot.parent[mine.node])):
        return "", None  # there are no values that it could have more of
    if decided.rule == "highest_total":
        return "value sum", score
    if decided.rule == "secure":
        if not mine.visits:
            return "", None
        score += snapshot.value_width / math.sqrt(mine.visits)
    return "mean value", score


def _plain_object(found: Document) -> Document:
    """JSON has no nan and no infinity: None."""
    return {name: _plain(value) for name, value in found.items()}


def _plain(found: object) -> object:
    if isinstance(found, dict):
        return _plain_object(found)
    if isinstance(found, (list, tuple)):
        return [_plain(value) for value in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found
