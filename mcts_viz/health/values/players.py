"""Whether each player gets its own value, where what one gains no other loses: games of more than two players, and of
two with a value for each (max-n)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mcts_viz.analysis.point_of_view import player_name
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import FEW, ValueCheck, VisitValues, show
from mcts_viz.health.values.rolled_entries import RolledEntries
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.types import Bools, Floats, Ints

MOST = 0.95  # share that counts as always
COMMON = "common"  # `backup` of policies: the result is the same for all players on purpose


def check_players(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about whose value a node gets; nothing where the search says that all have the same."""
    if search.meta.policies.backpropagation.name == COMMON:
        return
    own, alike = OwnEntry(search), SameForAll(search)
    show(search, [WithAllEntries(search, [own, alike])])
    wrong = list(own.findings())
    yield from wrong
    if not wrong:
        empty = list(_empty_entries(search))
        yield from empty or alike.findings(own.differ)


def _empty_entries(search: CheckedSearch) -> Iterator[Finding]:
    """Players whose entry is 0 at every node, where those of others are not, and no outcome tells what it should be."""
    columns = search.trace.columns
    if not columns.player_sums.recorded or search.base >= search.T:
        return
    n = search.meta.n_players
    end = int(columns.updates.offset[search.T])
    sums = columns.player_sums.value[: end * n].reshape(end, n)
    used = np.abs(sums) > search.tolerance
    moved = np.bincount(search.mover[1 : search.N][search.mover[1 : search.N] >= 0], minlength=n)
    empty = [player for player in range(n) if not used[:, player].any() and moved[player] >= FEW]
    others = np.delete(used, empty, axis=1)
    if not empty or not others.shape[1] or int(others.any(axis=1).sum()) < FEW:
        return
    # after one visit a sum is a result: where no other player's ever is 0, 0 is none
    rows = np.flatnonzero(np.asarray(columns.updates.visits[:end]) == 1)
    iteration = np.searchsorted(columns.updates.offset[: search.T + 1], rows, side="right")
    first = rows[search.born[columns.updates.node[rows]] == iteration]
    zero = not others[first].all()
    names = " and ".join(player_name(search.meta, player) for player in empty)
    finding = found(
        "value-wrong-player", None, None,
        f"the results of {names} are never added: 0 stands at every node, and other players have other numbers. So it "
        "is where a loop over players ends too early, or results are added by a wrong name or number. Right where "
        f"{names} cannot get anything",
        players=empty,
    )  # fmt: skip
    yield replace(finding, severity="note" if zero else "warning")


class WithAllEntries:
    """Shows checks an entry for each player at nodes that all moved into at once, of which `values` has player 0's."""

    def __init__(self, search: CheckedSearch, looks: Sequence[ValueCheck]) -> None:
        self.search, self.looks = search, looks

    def look(self, part: IterationRange, values: VisitValues) -> None:
        search = self.search
        if search.trace.columns.player_sums.recorded:
            joint = values.where(search.to_move[search.parent[values.node]] == EVERYBODY)
            values = self._with_others(part, values, joint) if len(joint.node) else values
        for each in self.looks:
            each.look(part, values)

    def _with_others(
        self, part: IterationRange, values: VisitValues, joint: VisitValues
    ) -> VisitValues:
        after = joint.iteration + 1
        before = self.search.player_sums_before(joint.node, joint.iteration)
        added = self.search.player_sums_before(joint.node, after) - before
        visits = part.before(joint.node, after).visits - joint.visits_before
        others = [
            joint._replace(
                player=np.full(len(joint.node), player),
                value=added[:, player] / visits,
                sum_before=before[:, player],
            )
            for player in range(1, self.search.meta.n_players)
        ]
        return VisitValues(*(np.concatenate(columns) for columns in zip(values, *others)))


class OwnEntry:
    """Values beside each iteration's recorded outcome for each player."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        n = search.meta.n_players
        self.right = np.zeros(n, np.int64)  # by player who moved into nodes
        self.taken = np.zeros(
            (n, n), np.int64
        )  # by that one and another player: values that are the other's alone
        self.seen = np.zeros(n, np.int64)  # values from which on that is evidence
        self.nothing = np.zeros(n, np.int64)  # values of 0 where the player's own is another
        self.something = np.zeros(n, np.int64)  # other values
        self.first_nothing: dict[int, tuple[int, int]] = {}
        self.first: dict[tuple[int, int], tuple[int, int]] = {}  # iteration and node
        self.differ = False  # whether results differ between players
        self.rolled = RolledEntries(search)

    def look(self, part: IterationRange, values: VisitValues) -> None:
        outcomes = _outcomes(self.search, part)
        if outcomes is None:
            return
        tolerance = max(1e-6, self.search.slack)
        due = outcomes[values.at]  # [K, P]
        self.differ = self.differ or bool(
            np.nanmax(np.ptp(outcomes, axis=1), initial=0.0) > tolerance
        )
        fits = np.abs(values.value[:, None] - due) <= tolerance
        self.rolled.look(values, due, fits)
        for player in range(self.search.meta.n_players):
            use = (values.player == player) & (np.ptp(due, axis=1) > tolerance)
            self.seen[player] += int(use.sum())
            self.right[player] += int((use & fits[:, player]).sum())
            none = np.abs(values.value) <= tolerance
            self.something[player] += int((use & ~none).sum())
            nothing = use & none & ~fits[:, player]
            self.nothing[player] += int(nothing.sum())
            if nothing.any() and player not in self.first_nothing:
                at = int(np.argmax(nothing))
                self.first_nothing[player] = int(values.iteration[at]), int(values.node[at])
            for other in range(self.search.meta.n_players):
                taken = use & fits[:, other] & ~fits[:, player]
                self.taken[player, other] += int(taken.sum())
                if taken.any() and (player, other) not in self.first:
                    at = int(np.argmax(taken))
                    self.first[player, other] = int(values.iteration[at]), int(values.node[at])

    def findings(self) -> Iterator[Finding]:
        """One for all players whose values are another one's."""
        rolled = self.rolled.finding()
        if rolled is not None:
            yield rolled
            return
        left_out = [
            player
            for player in range(len(self.seen))
            if self.nothing[player] >= FEW and not self.something[player]
        ]
        yield from self._left_out(left_out)
        wrong = [
            (player, int(np.argmax(self.taken[player])))
            for player in range(len(self.seen))
            if self.seen[player] >= FEW and player not in left_out and self._is_wrong(player)
        ]
        if not wrong:
            return
        meta = self.search.meta
        names = [(player_name(meta, player), player_name(meta, other)) for player, other in wrong]
        player, other = wrong[0]
        same = {other for _, other in wrong}
        if len(same) == 1 and len(wrong) == np.count_nonzero(self.seen >= FEW) - (
            self.seen[other] >= FEW
        ):
            yield found(
                "value-same-entry", *self.first[player, other],
                f"the nodes of all players get the result of {names[0][1]}: it is added {self.taken[player, other]:,} "
                f"times to nodes that {names[0][0]} moved into, where {names[0][0]}'s own is another",
                players=[player for player, _ in wrong], entry=other,
            )  # fmt: skip
            return
        said = ", ".join(f"those that {own} moved into that of {taken}" for own, taken in names)
        yield found(
            "value-wrong-player", *self.first[player, other],
            f"nodes get the result of another player: {said}. So it is with {self.taken[player, other]:,} of the "
            f"{self.seen[player]:,} values of {names[0][0]} that can be told apart",
            players=[list(pair) for pair in wrong],
        )  # fmt: skip

    def _left_out(self, players: list[int]) -> Iterator[Finding]:
        """Players whose entries are never added to, as where a loop ends before the last one."""
        for player in players:
            name = player_name(self.search.meta, player)
            yield found(
                "value-wrong-player", *self.first_nothing[player],
                f"nodes that {name} moved into get nothing: results of {name} are never added, and 0 stands in all "
                f"{self.nothing[player]:,} values where another is due, as where a loop over players ends too early",
                players=[player],
            )  # fmt: skip

    def _is_wrong(self, player: int) -> bool:
        """Values that are not the player's own are nearly all those of one other player."""
        apart = self.seen[player] - self.right[player]
        return bool(apart >= FEW and self.taken[player].max() >= MOST * apart)


class SameForAll:
    """Values of nodes that different players moved into, in the same iteration."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.several = self.same = (
            0  # iterations with nodes of several players; where their values are equal
        )
        self.kinds: Floats = np.zeros(0)
        self.first = 0

    def look(self, part: IterationRange, values: VisitValues) -> None:
        least, most = np.full(part.n, np.inf), np.full(part.n, -np.inf)
        np.minimum.at(least, values.at, values.value)
        np.maximum.at(most, values.at, values.value)
        several = _has_several(part.n, values.at, values.player)
        same = several & (most - least <= self.search.tolerance)
        self.several += int(several.sum())
        self.same += int(same.sum())
        if same.any():
            self.first = self.first or part.first + int(np.argmax(same))
            self.kinds = np.unique(np.concatenate([self.kinds, np.round(least[same], 9)]))[:9]

    def findings(self, differ: bool) -> Iterator[Finding]:
        """differ: whether results are known to differ between players."""
        if self.several < FEW or self.same < self.several or len(self.kinds) < 2:
            return
        one = found(
            "value-same-entry", self.first, None,
            f"the nodes of all players on a path get the same value, in all {self.several:,} iterations that passed "
            "nodes of several players: the result of one of them seems to be added to all. Where players win and lose "
            'together that is right: name one player, players=("team",)',
            iterations=self.several,
        )  # fmt: skip
        yield one if differ else one.as_warning()


def _has_several(n: int, at: Ints, player: Ints) -> Bools:
    """[n] iterations with values of two players or more."""
    low, high = np.full(n, 1 << 20, np.int64), np.full(n, -1, np.int64)
    known = player >= 0
    np.minimum.at(low, at[known], player[known])
    np.maximum.at(high, at[known], player[known])
    return high > low


def _outcomes(search: CheckedSearch, part: IterationRange) -> Floats | None:
    """[n, P] the outcome of each iteration for each player, nan where it is not recorded; None where none is."""
    told = search.trace.columns.player_outcomes
    if not told.recorded:
        return None
    offset = told.offset[part.first - 1 : part.first + part.n]
    there = np.flatnonzero(np.diff(offset))
    found_ = np.full((part.n, search.meta.n_players), np.nan)
    found_[there] = told.value[int(offset[0]) : int(offset[-1])].reshape(len(there), -1)
    return found_
