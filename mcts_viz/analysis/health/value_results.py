"""What the visits of an iteration were worth to the two players, and against its result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.sightings import Sightings, Tally
from mcts_viz.analysis.health.simulation import KnownResults
from mcts_viz.analysis.health.stretch import Bools, Floats, Stretch
from mcts_viz.analysis.health.values import FEW, PLAYERS, Values, show

MOST = 0.95  # share that counts as always, where chance may do the rest
KINDS = 5  # values named in a message
MID = 1e-6  # how near a draw, a win or a loss a result is that counts as one


class Views:
    """What the two players get in the same iteration."""

    def __init__(self, course: Course, results: KnownResults) -> None:
        self.course, self.results = course, results
        self.first = self.both = 0  # iterations where both get something
        self.first_same = self.same = 0  # where it is the same
        self.kinds = [np.zeros(0), np.zeros(0)]  # the least values that each player got
        self.same_kinds = np.zeros(0)
        self.known = 0  # results
        self.least, self.most = np.inf, -np.inf  # of them, from −1 to 1, view of player 0

    def look(self, part: Stretch, values: Values) -> None:
        each = np.full((part.n, PLAYERS), np.nan)
        each[values.at, values.player] = values.value
        at = np.flatnonzero(~np.isnan(each[:, :2]).any(axis=1))
        if not len(at):
            return
        both = each[at]
        self.first = self.first or part.first + int(at[0])
        self.both += len(at)
        same = np.abs(both[:, 0] - both[:, 1]) <= self.course.tolerance
        if same.any():
            self.first_same = self.first_same or part.first + int(at[np.argmax(same)])
        self.same += int(same.sum())
        self.kinds = [_least_kinds(self.kinds[player], both[:, player]) for player in (0, 1)]
        self.same_kinds = _least_kinds(self.same_kinds, both[same, 0])
        share = self.course.share(self.results.during(part)[at], 0)
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
                "iterations, so what one side wins the other is credited with too",
                times=self.same, of=self.both,
            )  # fmt: skip
            return
        for player in (0, 1):
            own, other = self.kinds[player], self.kinds[1 - player]
            if len(own) != 1 or len(other) < 2:
                continue
            best = self.most if player == 0 else -self.least
            if self.known and not (best > 0 and self.least < self.most):
                continue  # that player has won nothing, or everything was the same to him
            if not self.known and len(other) < 3 and self.same > 0:
                continue  # nothing but draws and the other's wins, perhaps
            names = self.course.meta.get("players") or ["player 0", "player 1"]
            yield found(
                "value-one-side", self.first, None,
                f"nodes that {names[player]} moved into always get {own[0]:g}, in all "
                f"{self.both:,} iterations; nodes of {names[1 - player]} get "
                f"{', '.join(f'{kind:g}' for kind in other)}. So the moves of "
                f"{names[player]} are never told apart",
                player=player, iterations=self.both,
            )  # fmt: skip


def _least_kinds(known: Floats, values: Floats) -> Floats:
    """The KINDS least different ones of all values so far."""
    return np.unique(np.concatenate((known, np.round(values, 9))))[:KINDS]


class AgainstResults:
    """What a node gets, against how the iteration ended for its player."""

    def __init__(
        self, course: Course, results: KnownResults, spoilt: Bools | None, leaves: bool
    ) -> None:
        self.course, self.results, self.shown = course, results, (spoilt, leaves)
        self.searcher_only = course.policy("backpropagation").get("collect") == "searcher"
        self.steps = 0
        self.all_known = True
        self.undue = _Odd()  # against the declared scores
        self.won, self.lost, self.drawn = Tally(), Tally(), Tally()
        self.first_won, self.first_drawn = Sightings(), Sightings()

    def shares(self, part: Stretch, values: Values) -> tuple[Values, Floats]:
        """The values looked at, and how each iteration ended for the player: 1 a win, −1 a loss."""
        if self.searcher_only:
            values = values.where(values.player == self.course.to_move[0])
        share = self.course.share(self.results.during(part)[values.at], values.player)
        return values, np.asarray(share, np.float64)

    def look(self, part: Stretch, values: Values) -> None:
        values, share = self.shares(part, values)
        self.steps += len(share)
        self.all_known &= not bool(np.isnan(share).any())
        declared = _declared(self.course, share)
        if declared is not None:
            slack = 1e-6 * max(1.0, *map(abs, self.course.value_range))
            self.undue.add(values, np.abs(values.value - declared) > slack, declared)
        won, drawn = share >= 1 - MID, np.abs(share) < MID
        self.won.add(values.value[won])
        self.lost.add(values.value[share <= -1 + MID])
        self.drawn.add(values.value[drawn])
        self.first_won.add(won, values.iteration, values.node)
        self.first_drawn.add(drawn, values.iteration, values.node)

    def findings(self) -> Iterator[Finding]:
        if self.all_known and _has_scores(self.course):
            yield from self.undue.findings(self.steps)
            return
        if self.won.total + self.lost.total < FEW:
            return
        if self.won.total and self.lost.total:
            win, loss = self.won.median(), self.lost.median()
            if win < loss:
                t, node, _ = self.first_won
                yield found(
                    "value-wrong-view", t, node,
                    f"a node gets {win:g} where its player has won and {loss:g} where that player "
                    f"has lost: {self.won.total + self.lost.total:,} times",
                    win=win, loss=loss,
                )  # fmt: skip
                return
        for name, part, sign in (("won", self.won, 1.0), ("lost", self.lost, -1.0)):
            usual = part.median() if part.total else 0.0
            if (np.abs(part.numbers - usual) > 1e3 * self.course.tolerance).any():
                odd = self._odd(usual, sign)
                yield from odd.findings(self.steps, f"where its player has {name}")
                return
        yield from self._draws()

    def _odd(self, usual: float, sign: float) -> _Odd:
        """Values that differ from the usual one where the player has won (sign 1) or lost (−1)."""
        looking = _Unusual(self, usual, sign)
        show(self.course, [looking], *self.shown)
        return looking.odd

    def _draws(self) -> Iterator[Finding]:
        if not self.drawn.total or not self.won.total or not self.lost.total:
            return
        draw, win, loss = (part.median() for part in (self.drawn, self.won, self.lost))
        t, node, times = self.first_drawn
        for check, like, word in (
            ("value-draw-as-win", win, "win"),
            ("value-draw-as-loss", loss, "loss"),
        ):
            if abs(draw - like) <= self.course.tolerance and win != loss:
                yield found(
                    check, t, node,
                    f"a draw adds {draw:g} to a node, as much as a {word}: {times:,} times",
                    draw=draw, win=win, loss=loss,
                )  # fmt: skip


class _Unusual:
    """Values that differ from the usual one where the player has won (sign 1) or lost (−1)."""

    def __init__(self, results: AgainstResults, usual: float, sign: float) -> None:
        self.results, self.usual, self.sign = results, usual, sign
        self.odd = _Odd()

    def look(self, part: Stretch, values: Values) -> None:
        values, share = self.results.shares(part, values)
        bad = np.abs(values.value - self.usual) > 1e3 * self.results.course.tolerance
        bad &= self.sign * share >= 1 - MID
        self.odd.add(values, bad, np.full(len(share), self.usual))


class _Odd:
    """Values that are not those due."""

    def __init__(self) -> None:
        self.seen = Sightings()
        self.value = self.expected = 0.0  # the first time

    def add(self, values: Values, odd: Bools, expected: Floats) -> None:
        """Where the mask says so."""
        if odd.any() and not self.seen.times:
            first = int(np.argmax(odd))
            self.value, self.expected = float(values.value[first]), float(expected[first])
        self.seen.add(odd, values.iteration, values.node)

    def findings(self, steps: int, when: str = "by its result") -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            yield found(
                "value-not-the-result", t, node,
                f"node {node:,} gets {self.value:.6g} in iteration {t:,}, and {self.expected:.6g} is "
                f"due {when}; so it is at {times:,} of {steps:,} steps",
                times=times, expected=self.expected, value=self.value,
            )  # fmt: skip


def _has_scores(course: Course) -> bool:
    """Whether scores are declared that tell what results add up to: those of several rollouts do so
    only where a draw is worth the middle."""
    scores = course.policy("backpropagation")
    if not {"win", "draw", "loss"} <= set(scores):
        return False
    win, draw, loss = (float(scores[name]) for name in ("win", "draw", "loss"))
    straight = abs(win + loss - 2 * draw) < 1e-12
    return straight or not course.policy("simulation").get("rollouts", 1) > 1


def _declared(course: Course, share: Floats) -> Floats | None:
    """What the declared scores make of results; nan where one is not known. None where there are
    none."""
    if not _has_scores(course):
        return None
    scores = course.policy("backpropagation")
    win, draw, loss = (float(scores[name]) for name in ("win", "draw", "loss"))
    return np.asarray(
        np.where(share >= 0, draw + share * (win - draw), draw - share * (loss - draw))
    )
