"""Whether finished games in the tree count as what they are.

Needs no recorded outcome: the value that an iteration adds to a leaf where the game is over is held
against what visits add elsewhere. A game won by whoever moved into the leaf adds the most that a visit
may add, and one that is lost the least.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.values.of_visits import VisitValues
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Floats, Ints

FEW = 5  # visits of finished games
FEW_MARGINS = 8  # finished games that are on the right side by chance once in 256 times
SURELY = 20  # the same, where the rules are not known
LOW, HIGH = 0.25, 0.75  # parts of the range of values that a draw lies between
MOSTLY = 0.9  # share of finished games
SOME = 0.3  # share of finished games that are visited again and again
MUCH = 0.4  # of the range: as much as a draw is off
SPREAD = 0.02  # of the range: more is no constant
NEVER = 0.98  # of the way to the result that a game was told to have: no end gets as much
UNSURE = 0.85  # the same, of the median end
KINDS = 4  # values of ends that an evaluation gives
OF_PRIORS = ("puct", "muzero", "gumbel_muzero")
MOST = 1 << 20  # visits of finished games that are looked at, the first ones: they take memory


class FinishedGames:
    """What visits add where the game is over, and what they add elsewhere."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.low, self.high = np.inf, -np.inf  # of leaves, and of others within the range
        self.least, self.most = np.inf, -np.inf  # of leaves where the game goes on
        self._node: list[Ints] = []
        self._iteration: list[Ints] = []
        self._value: list[Floats] = []
        self._n = 0  # visits of finished games, in these

    def look(self, part: IterationRange, values: VisitValues) -> None:
        if not len(values.node):
            return
        # above leaves a visit may seem to add any number, as where the best value of the children is kept
        low, high = self.search.value_range
        within = (values.value >= low - self.search.slack) & (
            values.value <= high + self.search.slack
        )
        added = values.value[values.is_leaf | within]
        self.low = min(self.low, float(added.min(initial=np.inf)))
        self.high = max(self.high, float(added.max(initial=-np.inf)))
        going_on = values.value[values.is_leaf & ~self.search.ended[values.node]]
        self.least = min(self.least, float(going_on.min(initial=np.inf)))
        self.most = max(self.most, float(going_on.max(initial=-np.inf)))
        if self._n >= MOST:
            return
        over = values.is_leaf & self.search.ended[values.node] & (values.player >= 0)
        self._n += int(over.sum())
        self._node.append(values.node[over])
        self._iteration.append(values.iteration[over])
        self._value.append(values.value[over])

    @property
    def right(self) -> bool:
        """Whether there are finished games of both signs or of one, and nearly all count on the right side of
        the values that there are."""
        if not self._node or self.high <= self.low:
            return False
        node, value = np.concatenate(self._node), np.concatenate(self._value)
        share = self.search.share(self.search.known_outcome[node], self.search.mover[node])
        part = (value - self.low) / (self.high - self.low)
        decided = np.abs(share) >= 1 - 1e-6
        good = np.where(share > 0, part > HIGH, part < LOW)
        return bool(decided.sum() >= FEW and good[decided].mean() > MOSTLY)

    def drawn(self) -> Iterator[Finding]:
        """Games that are told to be decided and all add the same, a draw: so it is of no game whose rules are not
        known either."""
        if not self._node or self.high <= self.low:
            return
        node, value = np.concatenate(self._node), np.concatenate(self._value)
        iteration = np.concatenate(self._iteration)
        share = self.search.share(self.search.known_outcome[node], self.search.mover[node])
        decided = np.flatnonzero(np.abs(share) >= 1 - 1e-6)
        if len(decided) < SURELY:
            return
        part = (value[decided] - self.low) / (self.high - self.low)
        if np.ptp(part) > 1e-9 or not LOW <= part[0] <= HIGH:
            return
        first = int(decided[0])
        yield found(
            "simulation-terminal", int(iteration[first]), int(node[first]),
            f"all {len(decided):,} visits of games told to be won or lost add {value[first]:.6g}, where visits "
            f"add {self.low:.6g} to {self.high:.6g}: finished games count as draws. The first is iteration "
            f"{int(iteration[first]):,} at node {int(node[first]):,}",
            times=len(decided), value=float(value[first]),
        )  # fmt: skip

    def evaluated(self) -> Iterator[Finding]:
        """Games that are told to be won or lost, and get numbers such as a network gives: many, none of them the
        result, and most no further from a draw than those of leaves where the game goes on. Margins are such numbers,
        too, but searches by a network seldom count them, and then they can be told as the outcome."""
        if not self._node or not np.isfinite(self.least) or not evaluates(self.search):
            return
        node, value = np.concatenate(self._node), np.concatenate(self._value)
        share = self.search.share(self.search.known_outcome[node], self.search.mover[node])
        decided = np.abs(share) >= 1 - 1e-6
        node, value, share = node[decided], value[decided], share[decided]
        low, high = self.search.value_range
        middle, half = (low + high) / 2, (high - low) / 2
        far = np.abs(value - middle) / half
        guessed = max(self.most - middle, middle - self.least) / half
        games = np.unique(node)
        if len(games) < SURELY or far.max() > NEVER:
            return
        if np.median(far) > min(UNSURE, guessed) or len(np.unique(np.round(far, 4))) < KINDS:
            return
        depth = self.search.topology.depth[node]
        if max(float(np.ptp(far[depth == each])) for each in np.unique(depth)) <= SPREAD:
            return  # by the length of the game
        first = np.flatnonzero(decided)[0]
        t = int(np.concatenate(self._iteration)[first])
        due = middle + half * float(share[0])
        finding = found(
            "simulation-terminal", t, int(node[0]),
            f"a finished game is given an evaluation, not its result: node {int(node[0]):,} was told to be "
            f"{'won' if share[0] > 0 else 'lost'} by whoever moved there, and iteration {t:,} adds {value[0]:.6g} to "
            f"it, not {due:g}. All {len(value):,} visits of {len(games):,} finished games add {value.min():.4g} to "
            f"{value.max():.4g}, and leaves where the game goes on {self.least:.4g} to {self.most:.4g}. Right "
            "where it counts by what margin a game is won; outcome= may then tell by how much",
            times=len(value), value=float(value[0]),
        )  # fmt: skip
        yield finding.as_warning()

    def findings(self, rest_is_right: bool) -> Iterator[Finding]:
        """`rest_is_right`: whether values at other leaves are known to have the right sign."""
        if not self._node or self.high <= self.low:
            return
        node, value = np.concatenate(self._node), np.concatenate(self._value)
        iteration = np.concatenate(self._iteration)
        share = self.search.share(self.search.known_outcome[node], self.search.mover[node])
        if self._go_by_margin(node, value, share):
            return
        for sign, word in ((1, "won"), (-1, "lost")):
            use = sign * share >= 1 - 1e-6
            if use.sum() < FEW:
                continue
            part = (value[use] - self.low) / (self.high - self.low)
            part = part if sign > 0 else 1 - part
            what = self._what(part, node[use], rest_is_right)
            if what is None:
                continue
            first = int(np.flatnonzero(use)[0])
            yield found(
                "simulation-terminal", int(iteration[first]), int(node[first]),
                f"the game is over at node {int(node[first]):,}, {word} by whoever moved there, and "
                f"iteration {int(iteration[first]):,} adds {value[first]:.6g} to it, where visits add "
                f"{self.low:.6g} to {self.high:.6g}: {what}. So it is with {int(use.sum()):,} "
                + (f"of the first {self._n:,} " if self._n >= MOST else "")
                + "visits of finished games",
                times=int(use.sum()), value=float(value[first]),
            )  # fmt: skip
            return

    def _go_by_margin(self, node: Ints, value: Floats, share: Floats) -> bool:
        """Whether each finished game has a value of its own, always the same and always on the side of who has won, as
        where it counts by how much is won."""
        low, high = self.search.value_range
        decided = np.abs(share) >= 1 - 1e-6
        ahead = (value - (low + high) / 2) * share
        games, at = np.unique(node[decided], return_inverse=True)
        if len(games) < FEW_MARGINS or (ahead[decided] <= 0).any():
            return False
        least, most = np.full(len(games), np.inf), np.full(len(games), -np.inf)
        np.minimum.at(least, at, ahead[decided])
        np.maximum.at(most, at, ahead[decided])
        kinds = len(np.unique(np.round(least, 6)))
        return bool((most - least).max() <= self.search.slack and kinds > 2)

    def _what(self, part: Floats, node: Ints, rest_is_right: bool) -> str | None:
        """What is wrong with parts of the range, where 1 is right; None for nothing."""
        usual = float(np.median(part))
        if usual < LOW and rest_is_right and (part < LOW).mean() > MOSTLY:
            return "the sign of a finished game's outcome is turned, though that of other leaves is right"
        depth = self.search.topology.depth[node]
        by_depth = [part[depth == each] for each in np.unique(depth)]
        if max(float(np.ptp(each)) for each in by_depth) > SPREAD:
            same_node = [np.ptp(part[node == each]) for each in np.unique(node)[:200]]
            if usual <= HIGH:
                if max(map(float, same_node)) > SPREAD:
                    return "finished games are simulated on as if they went on"
                return "finished games are evaluated as if they went on"
            often = [each for each in np.unique(node)[:200] if (node == each).sum() >= FEW]
            apart = [np.ptp(part[node == each]) > MUCH for each in often]
            # a few are odd in other ways
            if len(apart) >= FEW and np.mean(apart) > SOME:
                return (
                    "it is not the same at each visit, so that rollouts seem to start elsewhere: at the parent, or at "
                    "the root"
                )
            return None
        if LOW <= usual <= HIGH:
            return "finished games count as draws"
        return None


def evaluates(search: CheckedSearch) -> bool:
    """Whether leaves get values of an evaluator, as far as the recording tells."""
    policies, columns = search.meta.policies, search.trace.columns
    told = policies.simulation.by_evaluator or policies.selection.name in OF_PRIORS
    has_priors = bool((~np.isnan(columns.nodes.prior[1 : search.N])).any())
    return told or has_priors or EVALUATION in columns.numbers(search.T)
