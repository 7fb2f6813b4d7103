"""The values of an iteration for both players, and beside its outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences, ValueCounts
from mcts_viz.health.outcomes.check import KnownOutcomes
from mcts_viz.health.outcomes.outcomes_of_ends import ANOTHER_STATE
from mcts_viz.health.outcomes.playouts import Playouts
from mcts_viz.health.values.of_visits import FEW, PLAYERS, VisitValues, show
from mcts_viz.types import Bools, Floats, Ints

MOST = 0.95  # share that counts as always
MANY = 100  # iterations in which a player would have won
GAMES, OFTEN = 60, 0.15  # random ones, and share of wins among them
MOST_ENDS = 0.9  # of the steps
KINDS = 5  # values named in a message
MOST_PAIRS = 12  # kinds of values that results of games have for two players
FEW_ENDS = 5  # leaves with a winner
FEW_DRAWS = 3  # iterations
FEW_FIRST = 3  # visits, each the first one of a finished game
DECIDED = 0.3  # share of iterations that one player wins
MARGINS = 6  # different values of wins, and of losses
MID = 1e-6  # tolerance of wins, draws and losses


class PlayerViews:
    """The values of both players in the same iteration."""

    def __init__(self, search: CheckedSearch, results: KnownOutcomes) -> None:
        self.search, self.results = search, results
        self.first = self.both = 0  # iterations where both get something
        self.first_same = self.same = 0  # where it is the same
        self.kinds = [np.zeros(0), np.zeros(0)]  # the least values that each player got
        self.same_kinds = np.zeros(0)
        self.pairs = Pairs()
        self.known = 0  # results
        self.least, self.most = np.inf, -np.inf  # of them, from −1 to 1, view of player 0

    def look(self, part: IterationRange, values: VisitValues) -> None:
        each = np.full((part.n, PLAYERS), np.nan)
        each[values.at, values.player] = values.value
        at = np.flatnonzero(~np.isnan(each[:, :2]).any(axis=1))
        if not len(at):
            return
        both = each[at]
        self.pairs.add(part.first + at, both[:, :2])
        self.first = self.first or part.first + int(at[0])
        self.both += len(at)
        same = np.abs(both[:, 0] - both[:, 1]) <= self.search.tolerance
        if same.any():
            self.first_same = self.first_same or part.first + int(at[np.argmax(same)])
        self.same += int(same.sum())
        self.kinds = [_least_kinds(self.kinds[player], both[:, player]) for player in (0, 1)]
        self.same_kinds = _least_kinds(self.same_kinds, both[same, 0])
        share = self.search.share(self.results.during(part)[at], 0)
        share = share[~np.isnan(share)]
        self.known += len(share)
        self.least = min(self.least, share.min(initial=np.inf))
        self.most = max(self.most, share.max(initial=-np.inf))

    def findings(self) -> Iterator[Finding]:
        if self.both < FEW:
            return
        if self.same / self.both >= MOST and len(self.same_kinds) > 1:
            yield found(
                "value-same-view", self.first_same, None,
                f"the nodes of both players get the same value in {self.same:,} of {self.both:,} "
                "iterations, so a win of one side counts for the other side, too",
                times=self.same, of=self.both,
            )  # fmt: skip
            return
        for player in (0, 1):
            own, other = self.kinds[player], self.kinds[1 - player]
            if len(own) != 1 or len(other) < 2:
                continue
            best = self.most if player == 0 else -self.least
            if best > 0 and self.least < self.most:
                unlucky = False
            elif self.known:  # that player has won nothing, or all outcomes were the same
                unlucky = True
            else:  # perhaps draws and wins of the other player only
                unlucky = len(other) < 3 and self.same > 0
            if unlucky and not self._wins_at_random(player):
                continue
            names = self.search.meta.player_names
            yield found(
                "value-one-side", self.first, None,
                f"nodes that {names[player]} moved into always get {own[0]:g}, in all "
                f"{self.both:,} iterations; nodes of {names[1 - player]} get "
                f"{', '.join(f'{kind:g}' for kind in other)}. So the moves of "
                f"{names[player]} all look alike",
                player=player, iterations=self.both,
            )  # fmt: skip
            return
        yield from self.pairs.findings(self.search)

    def by_turns(self) -> Iterator[Finding]:
        """The same where nobody says who moves, nor that there are two."""
        if self.both >= FEW and self.same == self.both and len(self.same_kinds) > 1:
            one = found(
                "value-same-view", self.first_same, None,
                f"all nodes of a path get the same value, in all {self.both:,} iterations. That is right for one "
                'player, players=("agent",) of the recording; where two play, what one gains the other loses, and '
                "the sign has to change from level to level",
                times=self.same, of=self.both,
            )  # fmt: skip
            yield one.as_note()
            return
        for own, other in (self.kinds, self.kinds[::-1]):
            if self.both >= FEW and len(own) == 1 and len(other) > 1:
                one = found(
                    "value-one-side", self.first, None,
                    f"nodes of every other level always get {own[0]:g}, in all {self.both:,} iterations, and those "
                    f"between them {', '.join(f'{kind:g}' for kind in other)}. Where two play, results are added at "
                    "nodes of one side alone, as by `if winner == self.player`, and the moves of the other one all "
                    "look alike. Right where these nodes are no player's, as states between actions, or chance",
                    iterations=self.both,
                )  # fmt: skip
                yield one.as_note()
                return
        for one in self.pairs.findings(self.search):
            if one.check != "value-one-side":
                yield replace(one, severity="note" if one.severity == "note" else "warning")

    def _wins_at_random(self, player: int) -> bool:
        """Whether a player who never wins in many recorded simulations often wins random games from the
        root."""
        if self.search.rules is None or self.both < MANY or self.known > FEW:
            return False
        ends = Playouts(self.search, seed=1).ends(self.search.positions[0].state, GAMES)
        return ends is not None and bool((ends == (1.0 if player == 0 else -1.0)).mean() >= OFTEN)


class Pairs:
    """How often both players got which values in the same iteration, as long as these are of few kinds, as results
    of games are. What one wins the other loses: both cannot have the most that a visit adds."""

    def __init__(self) -> None:
        self.times: dict[tuple[float, float], int] = {}
        self.first: dict[tuple[float, float], int] = {}

    def add(self, iteration: Ints, both: Floats) -> None:
        """The values of both players in some iterations."""
        if len(self.times) > MOST_PAIRS:
            return
        kinds, at, times = np.unique(
            np.round(both, 6), axis=0, return_index=True, return_counts=True
        )
        for (one, other), place, n in zip(kinds.tolist(), at.tolist(), times.tolist()):
            self.times[one, other] = self.times.get((one, other), 0) + n
            self.first.setdefault((one, other), int(iteration[place]))

    def _odd_draws(self, low: float, high: float) -> tuple[float, int] | None:
        """What a draw is worth to each of the players, and how many there are, where that is more than the middle and
        always the same; None where it is not so."""
        kinds = [pair for pair in self.times if pair not in ((high, low), (low, high))]
        if len(kinds) != 1 or kinds[0][0] != kinds[0][1]:
            return None
        worth, times = kinds[0][0], self.times[kinds[0]]
        above = (low + high) / 2 + 1e-6 < worth < high
        return (worth, times) if above and times >= FEW_DRAWS else None

    def findings(self, search: CheckedSearch) -> Iterator[Finding]:
        """Of results that are not shared out between the players."""
        if not self.times or len(self.times) > MOST_PAIRS:
            return
        values = {value for pair in self.times for value in pair}
        low, high = min(values), max(values)
        won = [self.times.get(pair, 0) for pair in ((high, low), (low, high))]
        if sum(won) < FEW or sum(won) < DECIDED * sum(self.times.values()):
            return
        both_won, both_lost = self.times.get((high, high), 0), self.times.get((low, low), 0)
        shared = any(one == other and low < one < high for one, other in self.times)
        if both_won >= FEW_DRAWS and min(won) and not both_lost:
            yield found(
                "value-draw-as-win", self.first[high, high], None,
                f"in {both_won:,} iterations the nodes of both players get {high:g}, the value of a win, where in "
                f"{sum(won):,} others one gets {high:g} and the other {low:g}: a draw seems to count as a win"
                f"{_of_wins_alone(search, low, high)}",
                times=both_won, win=high, loss=low,
            )  # fmt: skip
        elif min(won) and not both_won and not both_lost and (odd := self._odd_draws(low, high)):
            worth, times = odd
            yield found(
                "value-draw-as-win", self.first[worth, worth], None,
                f"in {times:,} iterations the nodes of both players get {worth:g}, which is more than {low + high:g} "
                f"together; in {sum(won):,} others one gets {high:g} and the other {low:g}: a draw seems to be worth "
                f"{worth:g} to each, where half of the way from a loss to a win is {(low + high) / 2:g}. Right where "
                "draws are to be sought",
                times=times, draw=worth, win=high, loss=low,
            ).as_note()  # fmt: skip
        elif both_lost >= FEW_DRAWS and min(won) and not shared and not both_won:
            yield found(
                "value-draw-as-loss", self.first[low, low], None,
                f"in {both_lost:,} iterations the nodes of both players get {low:g}, the value of a loss, where in "
                f"{sum(won):,} others one gets {high:g} and the other {low:g}: a draw seems to count as a loss"
                f"{_or_losses(search)}",
                times=both_lost, win=high, loss=low,
            )  # fmt: skip
        elif both_lost >= FEW and shared and not min(won):
            names = search.meta.player_names
            player = won.index(0)
            yield found(
                "value-one-side", self.first[low, low], None,
                f"nodes that {names[player]} moved into never get {high:g}, the value of a win; in {both_lost:,} "
                f"iterations the nodes of both players get {low:g}, that of a loss: wins of {names[player]} seem to "
                "count for nobody",
                player=player, times=both_lost,
            )  # fmt: skip


def _or_losses(search: CheckedSearch) -> str:
    """More words, where a loss may be meant to be worth −1."""
    if list(search.trace.meta.value_range) == list(search.value_range):
        return ""
    low = search.trace.meta.value_range[0]
    return f"; or, where a loss is worth {low:g}, it adds nothing, as a draw does: then losses are never counted"


def _of_wins_alone(search: CheckedSearch, low: float, high: float) -> str:
    """More words, where who wins gets what a draw is worth and who loses the least there is."""
    least, most = search.value_range
    if abs(low - least) > search.slack or abs(high - (least + most) / 2) > search.slack:
        return ""
    return (
        f". {high:g} is what a draw is worth, and no win: wins of the player to move at a node are added, and losses "
        "are never counted"
    )


def _least_kinds(known: Floats, values: Floats) -> Floats:
    """The KINDS least different ones of all values so far."""
    return np.unique(np.concatenate((known, np.round(values, 9))))[:KINDS]


class ValueByOutcome:
    """The value of a node beside the outcome for its player."""

    def __init__(
        self, search: CheckedSearch, results: KnownOutcomes, spoilt: Bools | None, leaves: bool
    ) -> None:
        self.search, self.results, self.shown = search, results, (spoilt, leaves)
        self.searcher_only = search.meta.policies.backpropagation.collect == "searcher"
        self.steps = 0
        self.leaves = 0  # with a winner
        self.all_known = True
        self.by_leaf = np.zeros(
            (2, 2), np.int64
        )  # by who moved into the leaf: values on the wrong side, and all
        self.undue = _WrongValues()  # against the declared scores
        self.won, self.lost, self.drawn = ValueCounts(), ValueCounts(), ValueCounts()
        self.first_won, self.first_drawn = Occurrences(), Occurrences()

    def shares(self, part: IterationRange, values: VisitValues) -> tuple[VisitValues, Floats]:
        """The values, and the outcome of each iteration for the player: 1 a win, −1 a loss."""
        if self.searcher_only:
            values = values.where(values.player == self.search.to_move[0])
        share = self.search.share(self.results.during(part)[values.at], values.player)
        return values, np.asarray(share, np.float64)

    def look(self, part: IterationRange, values: VisitValues) -> None:
        values, share = self.shares(part, values)
        self.steps += len(share)
        self.all_known &= not bool(np.isnan(share).any())
        self.leaves += int((values.is_leaf & (np.abs(share) >= 1 - MID)).sum())
        declared = _declared(self.search, share)
        if declared is not None:
            slack = max(1e-6, 1e-6 * max(map(abs, self.search.value_range)), self.search.slack)
            self.undue.add(values, np.abs(values.value - declared) > slack, declared)
        won, drawn = share >= 1 - MID, np.abs(share) < MID
        self._sort_by_leaf(part, values, share)
        self.won.add(values.value[won])
        self.lost.add(values.value[share <= -1 + MID])
        self.drawn.add(values.value[drawn])
        self.first_won.add(won, values.iteration, values.node)
        self.first_drawn.add(drawn, values.iteration, values.node)

    def _sort_by_leaf(self, part: IterationRange, values: VisitValues, share: Floats) -> None:
        low, high = self.search.value_range
        leaf = np.full(part.n, -1)
        leaf[values.at[values.is_leaf]] = values.player[values.is_leaf]
        wrong = (values.value - (low + high) / 2) * share < 0
        for player in (0, 1):
            use = (leaf[values.at] == player) & (np.abs(share) >= 1 - MID)
            self.by_leaf[player] += int(wrong[use].sum()), int(use.sum())

    def _from_the_leaf_on(self) -> Finding | None:
        """All values of one player's leaves are on the wrong side, and none of the other's."""
        wrong, of = self.by_leaf.T
        t, node, _ = self.first_won
        for player in (0, 1) if min(of) >= FEW else ():
            if wrong[player] < MOST * of[player] or wrong[1 - player] > (1 - MOST) * of[1 - player]:
                continue
            names = self.search.meta.player_names
            return found(
                "value-wrong-view", t, node,
                f"nodes get the value of the other player in iterations whose leaf {names[player]} moved into, and "
                f"their own where {names[1 - player]} did: the result is taken in the view of the leaf where it is one "
                "player's, or the other way round. So it is where the sign changes from the leaf on, and begins with "
                "the result of one player whoever moved there",
                wrong=int(wrong[player]), of=int(sum(of)),
            )  # fmt: skip
        return None

    def findings(self) -> Iterator[Finding]:
        by_parity = self._from_the_leaf_on()
        if by_parity is not None:
            yield by_parity
            return
        if self.all_known and _has_scores(self.search):
            yield from self.undue.findings(self.steps)
            return
        if self.won.total + self.lost.total < FEW:
            return
        if self.won.total and self.lost.total and self.leaves >= FEW_ENDS:
            win, loss = self.won.median(), self.lost.median()
            if win < loss:
                t, node, _ = self.first_won
                yield found(
                    "value-wrong-view", t, node,
                    f"a node gets {win:g} where its player has won and {loss:g} where that player "
                    f"has lost: {self.won.total + self.lost.total:,} times{self._of_ends_alone()}",
                    win=win, loss=loss,
                )  # fmt: skip
                return
        for name, part, sign in (("won", self.won, 1.0), ("lost", self.lost, -1.0)):
            usual = part.median() if part.total else 0.0
            if (np.abs(part.numbers - usual) > self.search.slack).any():
                looking = self._odd(usual, sign)
                when = f"where its player has {name}"
                wrong = looking.odd.findings(self.steps, when, looking.first_visits.why())
                if looking.go_by_length():
                    yield from map(_by_length, wrong)
                else:
                    yield from map(_by_margin, wrong) if self._are_margins() else wrong
                return
        yield from self._draws()

    def _of_ends_alone(self) -> str:
        """More words, where nobody tells the results of simulations and nearly all iterations end at finished games:
        too few others are left to be compared with random games."""
        known = self.won.total + self.lost.total + self.drawn.total
        if self.search.has_results or known < MOST_ENDS * self.steps:
            return ""
        return (
            ", in iterations that end at a finished game: other results were not told. So either all values are in the "
            "wrong view, or only those that finished games give"
        )

    def _are_margins(self) -> bool:
        """Whether each win counts more than each loss, and how much has many values: a margin is in it."""
        won, lost = self.won.numbers, self.lost.numbers
        middle = sum(self.search.value_range) / 2
        kinds = min(len(np.unique(np.round(each, 6))) for each in (won, lost))
        return kinds >= MARGINS and won.min() > middle > lost.max()

    def _odd(self, usual: float, sign: float) -> _UnusualValues:
        """Values that differ from the usual one where the player has won (sign 1) or lost (−1)."""
        looking = _UnusualValues(self, usual, sign)
        show(self.search, [looking], *self.shown)
        return looking

    def _draws(self) -> Iterator[Finding]:
        if not self.drawn.total or not self.won.total or not self.lost.total:
            return
        draw, win, loss = (part.median() for part in (self.drawn, self.won, self.lost))
        t, node, times = self.first_drawn
        drawn = np.unique(np.round(self.drawn.numbers, 9))
        if win != loss and np.array_equal(drawn, np.round(sorted((win, loss)), 9)):
            yield found(
                "value-draw-as-win", t, node,
                f"a draw adds {loss:g} to nodes of one player, as a loss, and {win:g} to those of the other one, as a "
                f"win: {times:,} times. So it is where whoever has not won has lost, `1 if winner == player else -1`, "
                "and the sign is turned from there up. Right where a draw is enough for one of the two",
                draw=draw, win=win, loss=loss,
            ).as_warning()  # fmt: skip
            return
        for check, like, word in (
            ("value-draw-as-win", win, "win"),
            ("value-draw-as-loss", loss, "loss"),
        ):
            if abs(draw - like) <= self.search.tolerance and win != loss:
                yield found(
                    check, t, node,
                    f"a draw adds {draw:g} to a node, as much as a {word}: {times:,} times",
                    draw=draw, win=win, loss=loss,
                )  # fmt: skip


class _UnusualValues:
    """Values that differ from the usual one where the player has won (sign 1) or lost (−1)."""

    def __init__(self, results: ValueByOutcome, usual: float, sign: float) -> None:
        self.results, self.usual, self.sign = results, usual, sign
        self.odd = _WrongValues()
        self.first_visits = _FirstVisits()
        depths = int(results.search.topology.depth.max()) + 1
        # by the depth of the leaf
        self.least, self.most = np.full(depths, np.inf), np.full(depths, -np.inf)

    def look(self, part: IterationRange, values: VisitValues) -> None:
        values, share = self.results.shares(part, values)
        search = self.results.search
        due = self.sign * share >= 1 - MID
        depth = search.topology.depth[search.leaf[values.iteration[due] - 1]]
        np.minimum.at(self.least, depth, values.value[due])
        np.maximum.at(self.most, depth, values.value[due])
        bad = np.abs(values.value - self.usual) > search.slack
        self.odd.add(values, bad & due, np.full(len(share), self.usual))
        self.first_visits.add(values.where(due & values.is_leaf), bad[due & values.is_leaf])

    def go_by_length(self) -> bool:
        """Whether values are on the right side, and those of games of one length are equal."""
        seen = self.most >= self.least
        low, high = self.results.search.value_range
        right = self.sign * (self.least[seen] - (low + high) / 2) > 0
        return bool(
            right.all() and (self.most - self.least)[seen].max() <= self.results.search.slack
        )


class _FirstVisits:
    """Whether visits of finished games are wrong at the first one of each alone."""

    def __init__(self) -> None:
        self.first = self.later = self.right_later = 0

    def add(self, ends: VisitValues, bad: Bools) -> None:
        """Visits of leaves that are won, or lost."""
        is_first = ends.visits_before == 0
        self.first += int((bad & is_first).sum())
        self.later += int((bad & ~is_first).sum())
        self.right_later += int((~bad & ~is_first).sum())

    def why(self) -> str:
        """In words that follow the finding."""
        if self.first < FEW_FIRST or self.later or self.right_later <= FEW_FIRST:
            return ""
        return (
            f", always at the first visit of a node: all {self.right_later:,} later visits of finished games are "
            f"right. {ANOTHER_STATE}"
        )


def _by_margin(wrong: Finding) -> Finding:
    text = (
        f"{wrong.message}. Each win counts more than each loss, by how much has many values: so it is where a "
        "finished game is given an evaluation, not its result; or where it matters by what margin a game is won"
    )
    return wrong.as_note(text)


def _by_length(wrong: Finding) -> Finding:
    text = (
        f"{wrong.message}. Results of games of one length count the same, and those of others more or less: so does a "
        "score in which it matters how soon a game is won"
    )
    return wrong.as_note(text)


class _WrongValues:
    """Values that differ from the expected ones."""

    def __init__(self) -> None:
        self.seen = Occurrences()
        self.value = self.expected = 0.0  # the first time

    def add(self, values: VisitValues, odd: Bools, expected: Floats) -> None:
        """Add the steps that the mask selects."""
        if odd.any() and not self.seen.times:
            first = int(np.argmax(odd))
            self.value, self.expected = float(values.value[first]), float(expected[first])
        self.seen.add(odd, values.iteration, values.node)

    def findings(self, steps: int, when: str = "by its result", why: str = "") -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            yield found(
                "value-not-the-result", t, node,
                f"node {node:,} gets {self.value:.6g} in iteration {t:,}, and {self.expected:.6g} is "
                f"due {when}; this happens at {times:,} of {steps:,} steps{why}",
                times=times, expected=self.expected, value=self.value,
            )  # fmt: skip


def _has_scores(search: CheckedSearch) -> bool:
    """Whether the declared scores give the value of an outcome: for the mean of several rollouts only if
    a draw is worth the middle."""
    if not search.meta.policies.backpropagation.has_scores:
        return False
    loss, draw, win = search.meta.scores
    straight = abs(win + loss - 2 * draw) < 1e-12
    return straight or (search.meta.policies.simulation.rollouts or 1) <= 1


def _declared(search: CheckedSearch, share: Floats) -> Floats | None:
    """Values of outcomes by the declared scores; nan: unknown outcome. None without declared scores."""
    if not _has_scores(search):
        return None
    loss, draw, win = search.meta.scores
    return np.asarray(
        np.where(share >= 0, draw + share * (win - draw), draw - share * (loss - draw))
    )
