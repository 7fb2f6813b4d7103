"""The move to play: the final-move rule applied to a node of a snapshot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts_viz.formulas.final_move import (
    final_move_rule,
    final_move_scores,
    has_most_visits_and_mean,
)
from mcts_viz.trace.snapshot import Snapshot

RULE_WORDS = {
    "most_visits": "most visits",
    "highest_mean": "highest mean",
    "highest_total": "highest total",
    "robust_max": "most visits and highest mean",
    "secure": "highest lower bound",
}
BY_VISITS = ("most_visits", "robust_max")  # rules that count visits; the others compare values


@dataclass(frozen=True)
class Decision:
    """The chosen child, the runner-up by the same rule, and the margin between them.

    A score is what the rule compares: a number of visits for the rules in BY_VISITS, else a value in
    the view of the player to move at the node.
    """

    rule: str
    rule_words: str  # the reason, in words
    chosen: int  # node id
    chosen_label: str
    chosen_visits: int
    chosen_mean: float  # view of the player to move at the node; nan without visits
    chosen_score: float
    standing: int  # what a solver has proven of it: 1 a win, −1 a loss, 0 neither
    runner_up: int | None  # node id; None when no other child was visited
    runner_up_label: str | None
    runner_up_visits: int | None
    runner_up_score: float | None
    runner_up_standing: int | None
    margin: (
        float | None
    )  # score of the chosen minus that of the runner-up; None: the score did not decide
    iterations: int  # visits of the node
    rule_is_known: bool  # whether the search says how its move is chosen
    ties_by_score: bool = False  # of equal ones, the one with the highest selection score is taken
    played: int | None = None  # node id of the move really played, where the search told it
    played_label: str | None = None

    @property
    def was_played(self) -> bool:
        """Whether the chosen child is the move that was really played."""
        return self.played == self.chosen

    @property
    def verb(self) -> str:
        """What the chosen child is, in words, and which move was really played."""
        if self.was_played:
            return "was played"
        other = "" if self.played is None else f", but {self.played_label} was played"
        return f"{self.rule_verb}{other}"

    @property
    def rule_verb(self) -> str:
        """What the chosen child is by the rule, in words."""
        if self.rule_is_known:
            return "would be played"
        return "is proven to win" if self.standing > 0 else "is most visited"


def decision(snapshot: Snapshot, node: int = 0) -> Decision | None:
    """None while no child of the node was visited."""
    ranked = snapshot.ranked_children(node)
    if not ranked:
        return None
    chosen, runner_up = ranked[0], ranked[1] if len(ranked) > 1 else None
    visits = snapshot.visits
    scores = _scores(snapshot, ranked)
    standing = [int(each) for each in snapshot.standing(np.array(ranked, np.int32))]
    by_score = runner_up is not None and standing[0] == standing[1] < 1
    told = snapshot.played if node == 0 else None
    played = None if told is None else next((v for v in ranked if snapshot.action[v] == told), None)
    return Decision(
        rule=snapshot.final_move,
        rule_words=_words(snapshot, ranked, standing, scores),
        chosen=chosen,
        chosen_label=snapshot.short_label(chosen),
        chosen_visits=int(visits[chosen]),
        chosen_mean=float(snapshot.mean_values([chosen])[0]),
        chosen_score=scores[0],
        standing=standing[0],
        runner_up=runner_up,
        runner_up_label=None if runner_up is None else snapshot.short_label(runner_up),
        runner_up_visits=None if runner_up is None else int(visits[runner_up]),
        runner_up_score=None if runner_up is None else scores[1],
        runner_up_standing=None if runner_up is None else standing[1],
        margin=scores[0] - scores[1] if by_score else None,
        iterations=int(visits[node]),
        rule_is_known=snapshot.meta.policies.final_move.is_known
        or by_selection_score(snapshot, node),
        ties_by_score=by_selection_score(snapshot, node),
        played=played,
        played_label=None if played is None else snapshot.short_label(played),
    )


def by_selection_score(snapshot: Snapshot, node: int = 0) -> bool:
    """Whether of the most visited moves the one with the highest selection score is played, as Gumbel MuZero does."""
    return node == 0 and snapshot.meta.policies.selection.halves


def _scores(snapshot: Snapshot, ranked: list[int]) -> list[float]:
    ids = np.array(ranked, np.int64)
    if snapshot.final_move in BY_VISITS:
        return [float(n) for n in snapshot.visits[ids]]
    rule = final_move_rule(snapshot.final_move)
    scores = final_move_scores(
        rule, snapshot.visits[ids], snapshot.value_sum[ids], snapshot.value_width
    )
    return [float(score) for score in scores]


def _words(snapshot: Snapshot, ranked: list[int], standing: list[int], scores: list[float]) -> str:
    if standing[0] > 0:
        return "proven win"
    if standing[0] < 0:
        return f"{_rule_words(snapshot, ranked)}, though all are proven losses"
    if max(scores) > scores[0]:
        return f"{_rule_words(snapshot, ranked)} among moves not proven lost"
    return _rule_words(snapshot, ranked)


def _rule_words(snapshot: Snapshot, ranked: list[int]) -> str:
    ids = np.array(ranked, np.int64)
    if (
        snapshot.final_move == "robust_max"
        and not (has_most_visits_and_mean(snapshot.visits[ids], snapshot.value_sum[ids])[0])
    ):
        return "most visits (not the highest mean)"
    return RULE_WORDS[snapshot.final_move]
