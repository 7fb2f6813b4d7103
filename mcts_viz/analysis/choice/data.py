"""What is known about the choice of a move at a node, as data: `explanation` computes it, `prose` puts
it into words.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcts_viz.analysis.choice.decision import Decision
from mcts_viz.analysis.game_value.values import GameValues


@dataclass(frozen=True)
class MoveEstimate:
    """A move at the node. Values are in the view of the player who moves there."""

    node: int
    action: int
    move: str
    visits: int
    value_sum: float
    mean: float | None  # None without visits, and where the node collects no values
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
class LineMove:
    """A move of the expected line of play."""

    node: int
    move: str
    player: str  # who makes it, whose view the mean has; empty: one player, or unknown
    visits: int
    mean: float | None


@dataclass(frozen=True)
class SelectionPeriod:
    """SelectionCounts in iterations `first` to `last`."""

    first: int
    last: int
    looked_at: int  # selections with another child to compare with
    reasons: dict[str, int]  # by which term the chosen child was ahead of the best other one


@dataclass(frozen=True)
class SelectionCounts:
    """The selections at the node among its existing children."""

    total: int
    looked_at: int
    step: int  # 1: all of them were looked at, 8: every eighth
    alone: int  # looked at, but there was no other child
    reasons: dict[str, int]  # of the rest
    first: dict[str, int]  # iteration in which each of these decided for the first time
    stretches: tuple[SelectionPeriod, ...]  # in order of time
    workers: int = 0  # each of which has chosen by its own tree; 0: there are none


@dataclass(frozen=True)
class Rejection:
    """Why a move was not chosen. Values are in the view of the player who moves at the node."""

    move: str
    candidate: MoveEstimate | None  # None: it has no node
    is_chosen: bool
    selected: int  # how often, of all selections at the node
    last_selected: int | None  # iteration
    starved_since: int | None  # first iteration of the starvation, see `starvation`
    selections_since: int  # at the node from there on; all of them where it was never starved
    selected_since: int
    equal_share: float  # of selections_since
    lost_looked_at: int  # selections since then, among those looked at, that another child won
    lost_by: dict[str, int]  # by which term that child was ahead
    lost_first: dict[str, int]  # first iteration in which each term was the reason
    best_reply: LineMove | None
    reply_visits_of: int  # visits of the rejected move's node
    value: float | None  # its value term now
    value_needed: (
        float | None
    )  # above which its score would be the highest; None: cannot be computed
    rule_needs: float | None  # the move must exceed this to be chosen by the rule
    rule_needs_what: str  # in what: "visits", "mean value", "value sum"


@dataclass(frozen=True)
class BestNode:
    """The best node below a node, in a search whose nodes have scores of their own."""

    node: int
    label: str
    score: float
    iteration: int  # that made it
    move: str  # that leads there from the node
    child: int  # the node behind that move
    spent: dict[str, float]  # of all nodes at and below the node, by name


@dataclass(frozen=True)
class ExplanationData:
    """Why the final-move rule chooses its move at a node after iteration t."""

    iteration: int
    n_iterations: int  # of the trace
    node: int
    line_to: tuple[str, ...]  # moves from the root to the node
    player: str  # to move at the node, whose view values have; empty: one player, or unknown
    by_chance: bool  # chance decides at the node, no player
    collects: bool  # whether the moves of the player to move collect values in this search
    over: bool  # whether the game is over at the node
    visits: int  # of the node
    final_move: str  # the trace's rule
    decision: Decision | None  # None: no child was visited
    chosen: MoveEstimate | None
    runner_up: MoveEstimate | None
    leads_since: int | None  # iteration; 0: before the first one
    lead_changes: int
    rules: tuple[RuleChoice, ...]  # all five
    method: str  # of the intervals
    line: tuple[LineMove, ...]  # of play expected from here
    selections: SelectionCounts
    rejected: Rejection | None  # only if asked for
    best: BestNode | None = None  # None: nodes have no scores of their own
    derived: bool = False  # whether visits and values are not the program's own
    truth: GameValues | None = None  # whether the choice is a mistake; only if asked for
