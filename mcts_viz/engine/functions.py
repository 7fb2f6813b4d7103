"""What the phases of one search work with: the functions and numbers of its policies, and buffers.

Plain tuples, which numba takes apart at compile time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mcts_viz.formulas.selection import ChildTerms, Exploration, ParentWeight, UnvisitedWidth
from mcts_viz.games.evaluators import Evaluate
from mcts_viz.games.rules import Buffer, LegalActions, State
from mcts_viz.types import Floats


class Functions(NamedTuple):
    """What one search is made of: the game's rules, the formula, the phases; plain or compiled, all
    of one kind."""

    play: Callable[[State, int], None]
    legal_actions: LegalActions
    outcome: Callable[[State], float]
    to_move: Callable[[State], int]
    rollout_actions: LegalActions  # that a simulation draws from, as legal_actions
    draw: Callable[..., int]  # one of them, see `Rules.draw`
    # (state, legal actions, how many, out: a prior for each) -> value in [-1, 1], view of the player
    # to move
    evaluate: Evaluate
    child_terms: ChildTerms  # of the selection formula
    parent_weight: ParentWeight
    exploration: Exploration
    unvisited_width: UnvisitedWidth
    best_branch: Callable[..., int]
    select: Callable[..., int]
    expand: Callable[..., int]
    simulate: Callable[..., tuple[float, int]]
    backpropagate: Callable[..., None]
    prove: Callable[..., int]
    choose_ahead: Callable[..., None]


class Settings(NamedTuple):
    """The numbers of the policies. Scores and urgency are in the unit of a visit's value."""

    c: float
    urgency: float  # value of a child without visits; nan: such a child comes before all others
    order: int  # of a node's actions, see `phases`
    expand_from: int  # visits that a leaf must have before all its children are made
    simulate_from: int  # which node the simulation starts from, see `phases`
    n_rollouts: int  # of one leaf
    win: float
    draw: float
    loss: float
    searcher_only: bool  # only nodes that the player to move at the root moves into collect values
    poison: float  # sum that a parent is set to when its child is the opponent's win; nan: none
    solver: bool  # results of finished games are carried up as proven ones
    greatest_outcome: float  # of the game; a draw is 0, and what one player wins the other loses
    keep_squares: bool  # sums of squared values, for a formula that needs them
    keep_rollouts: bool
    along_path: (
        bool  # updates follow from the leaf and from what a visit adds: only these are logged
    )
    most_nodes: int  # at this many the search ends
    decide_at: int  # iterations of the whole budget, where the search may end once decided; 0: no


class Position(NamedTuple):
    """The start position and the buffers that an iteration works in."""

    start: State  # [state_size] never changed
    state: State  # [state_size]
    child: State  # [state_size] a position next to `state`
    legal: Buffer  # [n_actions] actions of the position at hand
    priors: Floats  # [n_actions] what the evaluator said of them
    value: Buffer  # [1] what it said of the leaf, view of the player to move; nan: it was not asked
    scores: Buffer  # [2] what the simulation is worth to each player
    allowed: Buffer  # [n_actions] whether the search may play the action at the root
    branches: Buffer  # [max_moves + 1] the branch into each node of the path at hand
