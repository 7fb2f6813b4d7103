"""What the keys of the metadata document hold, as types; docs/trace-format.md says what they mean.

Null and an absent key are the same, unless a comment says otherwise. Other keys are allowed
everywhere, and ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from mcts_viz.formulas.among_siblings import SIBLING_RULES, SiblingRule
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
ActionId = Count
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Float32 = Annotated[float, Meta(ge=-3.4e38, le=3.4e38)]  # of a column of this type
OutcomeRange = tuple[Float32, Float32]  # least, greatest
ValueRange = tuple[Number, Number]


class GameDescription(Struct, frozen=True):
    """The game that was searched."""

    name: str = "unknown game"
    title: str | None = None
    parameters: Mapping[str, object] | None = None  # such as the size of its board
    n_actions: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None  # action ids lie below it

    @property
    def readable(self) -> str:
        """Its title, its name where it has none."""
        return self.title or self.name


class RootPosition(Struct, frozen=True):
    """The position at the root of the tree."""

    to_move: Annotated[int, Meta(ge=-3, le=15)] = -1  # −1 unknown, −2 chance, −3 everybody
    outcome: Float32 | None = None  # view of player 0, where the game is over
    label: str | None = None
    state: str | None = None


class SiblingSettings(Struct, frozen=True):
    """The numbers of a rule that scores a child by its siblings, see `formulas/among_siblings.py`."""

    actions: Count  # that a node has, those never tried included
    simulations: Count = 0  # that the search has in all
    considered: Count = 16  # moves of the root that sequential halving begins with
    value_scale: Number = 0.1
    visit_offset: Number = 50.0
    rescale: bool = True
    mixed: bool = True
    c_init: Number = 1.25
    c_base: Number = 19_652.0

    @property
    def rule(self) -> SiblingRule:
        """For the formulas."""
        return SiblingRule(**msgspec.structs.asdict(self))


class SelectionPolicy(Struct, frozen=True):
    """How a child is chosen on the way down."""

    name: str | None = None
    c: Number | None = None  # exploration weight
    unvisited: Number | str | None = None  # "first", "parent", or the first-play urgency
    n: str | None = None  # whose visits N is: "parent" (the default), or "children" together
    # which of several best children is taken: "first" made (the default), or the "latest" visited
    ties: str | None = None
    siblings: SiblingSettings | None = None  # of "muzero" and "gumbel_muzero"

    @property
    def needs_siblings(self) -> bool:
        """Whether a child's score is known, but only together with those of its siblings."""
        return self.siblings is not None and self.name in SIBLING_RULES

    @property
    def halves(self) -> bool:
        """Whether the root goes by sequential halving."""
        return self.name == "gumbel_muzero" and self.needs_siblings

    @property
    def counts_children(self) -> bool:
        """Whether N of the formula is the visits of all children together."""
        return self.n == "children" and not self.needs_siblings

    @property
    def is_ours(self) -> bool:
        """Whether our formula of that name gives the scores of the search."""
        return self.n in (None, "parent", "children")

    @property
    def takes_parent(self) -> bool:
        """Whether a child without visits counts as its parent does."""
        return self.unvisited == "parent"

    @property
    def is_plain(self) -> bool:
        """Whether it does so with the parent's own visits."""
        return self.is_ours and not self.counts_children

    def as_json(self) -> dict[str, str | float | None]:
        """As the browser takes it; without a name where its formulas would give other scores."""
        plain = self if self.is_plain else msgspec.structs.replace(self, name=None)
        found = msgspec.structs.asdict(plain)
        del found["siblings"]
        return found


class ExpansionPolicy(Struct, frozen=True):
    """Which nodes are made."""

    name: str | None = None
    order: str | None = None
    on: str | None = None
    simulate_from: str | None = None


class SimulationPolicy(Struct, frozen=True):
    """How a leaf is valued."""

    name: str | None = None
    rollouts: Count | None = None  # of one leaf
    evaluator: str | None = None
    own: bool = False  # a policy that the author of the search has written

    @property
    def by_evaluator(self) -> bool:
        """Whether an evaluator says what a leaf is worth, in place of a simulation."""
        return self.name == "value"

    @property
    def gives_results(self) -> bool:
        """Whether an outcome is the result of one game: not the mean of several, and not a value that
        an evaluator gave."""
        return not self.by_evaluator and self.rollouts in (None, 1)


class BackpropagationPolicy(Struct, frozen=True):
    """What a visit adds, view of the player who moved into the node."""

    name: str | None = None
    win: Number | None = None
    draw: Number | None = None
    loss: Number | None = None
    collect: str = "both"
    poison: Number | None = None
    solver: bool = False
    carried: bool = True  # a solver's results are carried up, and not those of finished games alone
    backup: str | None = (
        None  # "mean" (the default), "max" or "minimax": what a node's value is of its children's
    )

    @property
    def has_scores(self) -> bool:
        """Whether it says what a win, a draw and a loss add."""
        return None not in (self.win, self.draw, self.loss)

    @property
    def all_collect(self) -> bool:
        """Whether moves of both sides collect values, and not those of the searcher's opponent visits alone."""
        return self.collect == "both"

    @property
    def without_solver(self) -> BackpropagationPolicy:
        """The same one, had it no solver."""
        return msgspec.structs.replace(self, solver=False)


class FinalMovePolicy(Struct, frozen=True):
    """Which move is played in the end."""

    name: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is known which move the search would play; otherwise only the most visited move
        is known."""
        return self.name in FINAL_MOVE_RULES

    @property
    def rule(self) -> str:
        """Name of the final-move rule; the robust child where the rule is not one of ours."""
        return self.name if self.name in FINAL_MOVE_RULES else "most_visits"


class PhasePolicies(Struct, frozen=True):
    """The policy of each phase."""

    preset: str | None = None
    selection: SelectionPolicy = SelectionPolicy()
    expansion: ExpansionPolicy = ExpansionPolicy()
    simulation: SimulationPolicy = SimulationPolicy()
    backpropagation: BackpropagationPolicy = BackpropagationPolicy()
    final_move: FinalMovePolicy = FinalMovePolicy()
    keep_tree: bool | None = None


class InheritedTree(Struct, frozen=True):
    """Size of the reused tree with which the search began."""

    visits: Int32  # of its root
    nodes: Int32


class WholeTree(Struct, frozen=True):
    """More statistics of the nodes, by id, of a tree that came as a whole."""

    square_sums: tuple[Number, ...] | None = None  # sums of the squares of the nodes' values
    # finished games by their outcome, view of the player who moved into the node
    wins: tuple[Count, ...] | None = None
    draws: tuple[Count, ...] | None = None
    losses: tuple[Count, ...] | None = None

    @property
    def results(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
        """Wins, draws and losses."""
        if self.wins is None or self.draws is None or self.losses is None:
            return None
        return self.wins, self.draws, self.losses

    @property
    def columns(self) -> list[tuple[str, tuple[float, ...]]]:
        """Those there are, with their names."""
        named = msgspec.structs.asdict(self)
        return [(name, values) for name, values in named.items() if values is not None]


class ResumedSearch(Struct, frozen=True):
    """The search whose tree is reused."""

    iteration: Count  # counted from that search's first one
    seed: int | None = None
    recorded_at: str | None = None


class BudgetLimits(Struct, frozen=True):
    """What ends the search, whichever comes first; None: no limit."""

    iterations: Count | None = None
    seconds: Number | None = None
    nodes: Count | None = None  # of the tree
    memory: Number | None = None  # MB
    decided: bool = False  # once the runner-up cannot overtake


class WatchedSearch(Struct, frozen=True):
    """A search that was recorded by watching its objects."""

    visits_before: int = 0  # of the root, when the recording began
    grown_before: bool = (
        False  # whether nodes below the root had visits then, though the root had none
    )
    fields: tuple[str, ...] = ()  # columns of nodes that the search was asked for
    score: bool = False  # whether its author's own scores were compared with its choices
    value_view: str | None = None  # whose values its nodes keep, as `record` was told
    value_kind: str | None = None  # what its nodes keep: "sum" or "mean"
    thorough: bool | None = None  # whether every node was looked at after every iteration
    # whether the tree was used again after a move as it was, though its values are told in the view of the root's
    # player, who is another one now
    values_unturned: bool = False

    @property
    def of_one_player(self) -> bool:
        """Whether all nodes keep values in the view of the same player."""
        return self.value_view in ("player0", "root")
