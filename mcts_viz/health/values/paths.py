"""The values of one path compared with one another, and with the declared range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.iteration_range import IterationRange
from mcts_viz.health.occurrences import Occurrences, ValueCounts
from mcts_viz.health.values.kept_numbers import WAYS, numbers_of
from mcts_viz.health.values.of_visits import FEW, PLAYERS, VisitValues, spread_of
from mcts_viz.health.values.own_discounts import discounts_of_moves
from mcts_viz.health.values.turns import TurnsByLevel
from mcts_viz.health.values.untold_rewards import UntoldRewards
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools

MOST = 0.95  # share that counts as always
MOST_REWARDS = 12  # different ones that moves bring
MANY_STEPS = 200
OFTEN = 20  # steps for each of them
SELDOM = 0.01  # share of paths, of which a proof may correct earlier visits
# share of steps with returns beyond the range, and of its width that they are beyond
RARELY, LITTLE = 0.005, 0.1
USUAL_DISCOUNT = 0.85  # from one node of a player to the next: less is hardly meant


class NotASum:
    """Value sums that are overwritten, or are means: several nodes of one player on a path are equal
    afterwards, although different amounts were added."""

    def __init__(self, search: CheckedSearch) -> None:
        self.alone = search.alone
        self.of_means = search.meta.watched.value_kind == "mean"
        self.slack, self.tolerance = search.slack, max(search.tolerance, search.slack / 1e3)
        self.first: tuple[int, int] | None = None  # iteration and node
        self.several = self.disagree = 0
        self.agree = np.zeros(len(WAYS), np.int64)  # of those that disagree
        self.first_values = 0  # that are not 0
        self.later = self.still = (
            0  # visits of nodes that had some, and those that leave the mean as it was
        )
        self.means = ValueCounts()  # of nodes that had visits
        self.root_moves = False  # whether the root's mean is ever another than before
        # visits after which the sum is more than so many can bring
        self.most, self.beyond, self.steps = max(map(abs, search.value_range)), 0, 0

    def look(self, part: IterationRange, values: VisitValues) -> None:
        added, count = spread_of(part, values, values.value)
        several = count > 1
        disagree = several & (added > self.tolerance)
        self.several += int(several.sum())
        self.disagree += int(disagree.sum())
        if self.first is None and disagree.any():
            at = int(np.argmax(disagree)) // PLAYERS
            self.first = part.first + at, int(values.node[np.argmax(values.at == at)])
        if not disagree.any():
            return  # it is a sum, as far as these say
        numbers = numbers_of(values)
        self.steps += len(numbers.n)
        can_bring = self.most * (numbers.n + 1) + self.slack
        self.beyond += int((np.abs(numbers.after) > can_bring).sum())
        later = values.visits_before > 0
        self.first_values += int((values.value[~later] != 0).sum())
        self.later += int(later.sum())
        self.root_moves |= self._root_moves(part)
        moved = np.abs(numbers.mean_after - numbers.mean_before)[later]
        self.still += int((moved <= self.tolerance).sum())
        self.means.add(np.round(numbers.mean_before[later], 6))
        for place, way in enumerate(WAYS):
            result = way.result(numbers)
            if way.at_first:
                spread, _ = spread_of(part, values, result)
            else:
                spread, _ = spread_of(part, values.where(later), result[later])
            self.agree[place] += int(((spread <= self.slack) & disagree).sum())

    def _root_moves(self, part: IterationRange) -> bool:
        iteration = np.arange(part.first, part.last + 2)
        visits, total, *_ = part.before(np.zeros_like(iteration), iteration)
        mean = total / np.maximum(visits, 1)
        return bool((np.abs(np.diff(mean))[visits[:-1] > 0] > self.tolerance).any())

    @property
    def shows(self) -> bool:
        """Whether nodes of one player get different amounts, and not once in a while."""
        return self.disagree >= max(FEW, 0.05 * self.several)

    def findings(self) -> Iterator[Finding]:
        if self.first is None or not self.shows:
            return
        if self.still >= MOST * self.later and self.later >= FEW and len(self.means.numbers) > 1:
            alone = self.alone and not self.root_moves  # nothing is backed up
            own = (
                ". Right where a node has a score of its own, and none is backed up"
                if alone
                else ""
            )
            one = found(
                "value-mean", *self.first,
                f"the mean of a node stays what it was after its first visit, at {self.still / self.later:.0%} of "
                f"{self.later:,} later visits: what these were worth is not added, or to the leaf alone{own}",
                times=self.still, visits=self.later,
            )  # fmt: skip
            yield one.as_note() if alone else one
            return
        for way, agree in zip(WAYS, self.agree):
            if not way.at_first and self.first_values:
                continue
            if agree / self.disagree >= MOST:
                if way is WAYS[0] and 2 * self.beyond > self.steps:
                    yield self._shared(int(agree))
                    return
                one = found(
                    way.check, *self.first,
                    f"the value sum {way.words}: this holds for {agree / self.disagree:.0%} of the {self.disagree:,} "
                    "paths on which nodes of one player get different amounts",
                    paths=self.disagree,
                )  # fmt: skip
                # an agent may keep the latest mark of a node on purpose
                meant = self.alone and self.of_means and way.check == "value-overwritten"
                yield one.as_note() if meant else one
                return

    def _shared(self, paths: int) -> Finding:
        assert self.first is not None
        return found(
            "value-off-path", *self.first,
            f"the nodes of one player on a path all have the same value sum afterwards, whatever their visits, on "
            f"{paths:,} of {self.disagree:,} paths on which they get different amounts, and it is more than their "
            "visits can bring: all nodes share one number, as where a list of them is a default argument, "
            "scores=[0, 0], or belongs to the class. Make a new one for each node",
            paths=paths,
        )  # fmt: skip


class OutOfRange:
    """Values outside the range; `spoilt`: [N] nodes that ever got one, None where none did."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.seen = Occurrences()
        self.steps = 0
        self.value = self.farthest = 0.0  # the first one, and that of the greatest magnitude
        self.spoilt: Bools | None = None
        self.turns = TurnsByLevel(search) if search.alone else None

    def look(self, part: IterationRange, values: VisitValues) -> None:
        if self.turns is not None:
            self.turns.look(part, values)
        low, high = self.search.value_range
        slack = self.search.slack
        beyond = (values.value < low - slack) | (values.value > high + slack)
        self.steps += len(beyond)
        if not beyond.any():
            return
        value = values.value[beyond]
        if self.spoilt is None:
            self.spoilt = np.zeros(self.search.N, np.bool_)
            self.value = self.farthest = float(value[0])
        self.spoilt[values.node[beyond]] = True
        self.seen.add(beyond, values.iteration, values.node)
        worst = float(value[np.abs(value).argmax()])
        if abs(worst) > abs(self.farthest):
            self.farthest = worst

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        low, high = self.search.value_range
        poison = self.search.meta.policies.backpropagation.poison
        allowed = f"it may add {low:g} to {high:g}"
        if (low, high) == (-1, 1):
            allowed += " (as long as value_range= tells no other range)"
        if poison is not None:
            allowed = f"the declared poison, {poison:,.6g}, is far from what games are worth"
        if times:
            adds = f"one visit adds {self.value:,.6g} to node {node:,}"
            if self.search.meta.watched.value_kind == "mean":
                adds = (
                    f"the mean of node {node:,} changes as if one visit of iteration {t:,} were worth "
                    f"{self.value:,.6g}"
                )
            one = found(
                "value-out-of-range", t, node,
                f"{adds}; {allowed}. This happens at "
                f"{times:,} of {self.steps:,} steps; the farthest is {self.farthest:,.6g}{self._hint()}",
                times=times, steps=self.steps, farthest=self.farthest, **self._turned(),
            )  # fmt: skip
            yield self._of_returns(one) if self._is_narrow(times) else one

    def _is_narrow(self, times: int) -> bool:
        """Whether a few returns of one player are a little beyond what was told to be the range."""
        search, (low, high) = self.search, self.search.value_range
        far = max(self.farthest - high, low - self.farthest) / (high - low)
        rewarded = search.has_rewards or search.meta.step_rewards
        return search.alone and rewarded and times <= RARELY * self.steps and far <= LITTLE

    @staticmethod
    def _of_returns(one: Finding) -> Finding:
        return one.as_note(
            f"{one.message}. So few, and so near, may be returns for which the range that was told is too narrow: "
            "value_range="
        )

    def _turned(self) -> dict[str, bool]:
        return {"turned": True} if self.turns is not None and self.turns.is_law else {}

    def _hint(self) -> str:
        if self.turns is not None and self.turns.is_law:
            return f". {self.turns.words()}"
        columns = self.search.trace.columns
        if columns.virtual is None or not np.any(columns.virtual > 0):
            return ""
        return (
            ". Virtual losses under way were taken off as losses for the player who moved there: one with the wrong "
            "sign, a virtual win, or of another size leaves this"
        )


class ValuelessLeaf:
    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.leaves, self.valued = 0, False
        self.first = self.times = 0

    def look(self, part: IterationRange, values: VisitValues) -> None:
        leaf, above = values.where(values.is_leaf), values.where(~values.is_leaf)
        self.leaves += len(leaf.node)
        self.valued |= bool(np.any(leaf.value != 0))
        leaf_player = np.full(part.n, -1)
        leaf_player[leaf.at] = leaf.player
        credited = (leaf_player[above.at] == above.player) & (above.value != 0)
        if credited.any() and not self.times:
            self.first = int(above.iteration[np.argmax(credited)])
        self.times += len(np.unique(above.at[credited]))

    def findings(self) -> Iterator[Finding]:
        if self.leaves and not self.valued and self.times >= FEW:
            yield found(
                "value-leaf", self.first, int(self.search.leaf[self.first - 1]),
                f"the leaf gets its visit, but never a value; {self.times:,} times a node above it "
                "that the same player moved into gets one",
                times=self.times,
            )  # fmt: skip


class UnevenValues:
    """Nodes of one player on a path that get different values."""

    def __init__(self, search: CheckedSearch) -> None:
        self.slack = search.slack
        self.bad = self.several = 0  # paths of one player
        self.pairs = self.shrinking = 0  # neighbours on such a path
        self.ratio = ValueCounts()
        self.middle = sum(search.value_range) / 2
        # neighbours, of which the upper one is not further from the middle of the range
        self.inward = 0
        self.ratio_to_middle = ValueCounts()
        self.first = (0, 0)  # iteration and node
        self.values = (0.0, 0.0)  # there
        self.rewards = UntoldRewards(search.N) if search.alone else None
        self.averaged = UntoldRewards(search.N) if search.alone else None
        self.turns = TurnsByLevel(search)
        self.to_move = search.to_move
        self.search = search
        self.alone, self.is_mean = search.alone, search.meta.watched.value_kind == "mean"

    def look(self, part: IterationRange, values: VisitValues) -> None:
        if self.rewards is not None:
            self.rewards.look(part, values)
        if self.averaged is not None:
            self.averaged.look(part, _sums_to_the_leaf(values))
        self.turns.look(part, values)
        spread, count = spread_of(part, values, values.value)
        self.several += int((count > 1).sum())
        bad = spread > self.slack
        if not bad.any():
            return
        key = values.key
        paths = values.where(bad[key])
        key = key[bad[key]]
        order = np.lexsort((paths.node, key))  # towards the leaf
        value, key, node = paths.value[order], key[order], paths.node[order]
        next_down = np.flatnonzero(key[1:] == key[:-1])
        upper, lower = value[next_down], value[next_down + 1]
        if not self.bad:
            apart = int(np.argmax(np.abs(upper - lower) > self.slack))
            self.first = (
                part.first + int(key[next_down[apart]] // PLAYERS),
                int(node[next_down[apart]]),
            )
            self.values = float(upper[apart]), float(lower[apart])
        self.bad += int(bad.sum())
        shrinking = (np.abs(upper) <= np.abs(lower) + self.slack) & (upper * lower >= 0)
        self.pairs += len(shrinking)
        self.shrinking += int(shrinking.sum())
        self.ratio.add(upper[lower != 0] / lower[lower != 0])
        if self.middle:
            upper, lower = upper - self.middle, lower - self.middle
            inward = (np.abs(upper) <= np.abs(lower) + self.slack) & (upper * lower >= 0)
            self.inward += int(inward.sum())
            there = np.abs(lower) > self.slack
            self.ratio_to_middle.add(np.round(upper[there] / lower[there], 9))

    def findings(self) -> Iterator[Finding]:
        if not self.bad:
            return
        share = f"{self.bad:,} of {self.several:,} paths"
        to_middle = _even(self.ratio_to_middle) if self.middle else None
        if self.bad >= FEW and self.shrinking >= 0.99 * self.pairs:
            yield self._shrinks(share)
        elif (
            to_middle is not None
            and USUAL_DISCOUNT < to_middle < 1
            and self.bad >= FEW
            and self.inward >= 0.99 * self.pairs
        ):
            yield found(
                "value-discount", *self.first,
                f"values come nearer to {self.middle:g}, the middle of their range, on the way from the leaf to "
                f"the root, by {to_middle:.4g} from one node of a player to the next: on {share}. Where that is a "
                "discount, declare it: discount=",
                times=self.bad, ratio=to_middle,
            ).as_note()  # fmt: skip
        else:
            yield self._differs(share)

    def _shrinks(self, share: str) -> Finding:
        """Values become smaller on the way up."""
        even = self._even_ratio()
        if even == 0.0:
            return found(
                "value-uneven", *self.first,
                f"what a simulation was worth stops at the leaf: nodes above it that the same player moved into "
                f"get 0, on {share}. Backpropagation goes on to the root",
                times=self.bad,
            )  # fmt: skip
        by = "" if even is None else f", by {even:.4g} from one node of a player to the next"
        shrinks = found(
            "value-discount", *self.first,
            f"values shrink on the way from the leaf to the root{by}: on {share}",
            times=self.bad, ratio=even,
        )  # fmt: skip
        if even is not None and even > USUAL_DISCOUNT:
            return shrinks.as_note(
                f"{shrinks.message}. Where that is a discount, declare it: discount="
            )
        factors = discounts_of_moves(self.search) if even is None else None
        if factors is not None:
            return shrinks.as_note(
                f"{shrinks.message}. Each move multiplies what comes after it by a factor of its own, {factors[0]:.3g} "
                f"to {factors[1]:.3g}: so it is where values are probabilities of getting through, or where moves take "
                "several steps"
            )
        if even is None and self.alone:
            product = (
                "is a product, as of the subgoals of a step that all have to be reached (AND nodes)"
            )
            mixed = ", or is mixed with the value of the best child" if self.is_mean else ""
            note = shrinks.as_note(
                f"{shrinks.message}, by another part each time: so it is where what goes up {product}{mixed}"
            )
            # a back-up of the best value looks so, too
            return replace(note, evidence={**note.evidence, "by_parts": not self.is_mean})
        return shrinks

    def _differs(self, share: str) -> Finding:
        """Values differ along the path; a note where that has a right reason."""
        t, node = self.first
        uneven = found(
            "value-uneven", t, node,
            f"nodes of the same player on the same path get different values, first in iteration "
            f"{t:,}: {self.values[0]:.6g} and {self.values[1]:.6g}; on {share}",
            times=self.bad,
        )  # fmt: skip
        text = uneven.message
        if self.turns.is_law:
            uneven = replace(uneven, evidence={**uneven.evidence, "turned": True})
            text += f". {self.turns.words()}"
        gamma = None if self.rewards is None else self.rewards.discount()
        chance = self.rewards is not None and bool((self.to_move == CHANCE).any())
        right = self.bad <= SELDOM * self.several and len(self.search.trace.columns.proven.node) > 0
        if right:
            text += (
                ". So it may be where results are proven and the visits before are corrected, as lc0's sticky "
                "endgames do"
            )
        if gamma is None and chance:
            right = True
            text += (
                ". So it is where moves bring rewards that depend on chance: then say so, step_rewards=True or "
                "reward=, and discount="
            )
        if gamma is not None:
            right = True
            text += (
                f". Each move brings the same every time, and what comes after it counts {gamma:.4g} times: rewards "
                "on the way. Declare them (reward= and discount=) for their checks"
            )
        elif self._is_average():
            right = True
            text += (
                ". Each move brings the same every time, and what a node gets is the average of that over the moves "
                "from it to the leaf: rewards on the way, averaged as in RAP"
            )
        return uneven.as_note(text) if right else replace(uneven, message=text)

    def _is_average(self) -> bool:
        gamma = None if self.averaged is None else self.averaged.discount()
        return gamma is not None and abs(gamma - 1.0) < 1e-5

    def _even_ratio(self) -> float | None:
        return _even(self.ratio)


def _sums_to_the_leaf(values: VisitValues) -> VisitValues:
    """What each node gets, times the number of nodes from it to the leaf: a sum, where it is an average."""
    end = np.searchsorted(values.iteration, values.iteration, side="right")
    return values._replace(value=values.value * (end - np.arange(len(end))))


def _even(ratio: ValueCounts) -> float | None:
    """That of nearly all neighbours, None where they have different ones."""
    if not ratio.total:
        return None
    even = ratio.median()
    near = ratio.count(np.abs(ratio.numbers - even) < 1e-6)
    return even if near / ratio.total > 0.9 else None


class Discounted:
    """Whether values shrink by the declared discount from each node to its parent."""

    def __init__(self, search: CheckedSearch) -> None:
        self.search, self.discount = search, search.discount
        low, high = search.value_range
        told = self.discount not in (None, 1.0)
        self.looks = told and (low == -high or search.alone)
        self.rewards = UntoldRewards(search.N) if search.alone and self.looks else None
        self.has_chance = search.has_chance
        self.seen = Occurrences()
        self.steps = self.alike = 0  # all, and those at which a node gets what its child gets
        # Δnode − γ·Δchild, the same without the discount, and Δnode / Δchild
        self.left, self.plain, self.ratio = ValueCounts(), ValueCounts(), ValueCounts()
        self.values = (0.0, 0.0, 0.0)  # the first time: at the node, at that below it, what is due

    def look(self, part: IterationRange, values: VisitValues) -> None:
        if not self.looks or self.discount is None:
            return
        if self.rewards is not None:
            self.rewards.look(part, values)
        below = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
        upper, lower = values.value[below], values.value[below + 1]
        due = lower * self.discount
        if not self.search.alone:
            due = np.where(values.player[below] == values.player[below + 1], due, -due)
        bad = np.abs(upper - due) > 1e-5 * (1.0 + np.abs(due))
        if self.search.alone and self.has_chance:
            # what the world answers comes without a step of time: a choice is worth what the node after it is
            by_choice = self.search.to_move[values.node[below]] != CHANCE
            same = np.abs(upper - lower) <= 1e-5 * (1.0 + np.abs(lower))
            bad &= ~(by_choice & same)
            upper, lower = upper[~by_choice], lower[~by_choice]
        if self.search.alone:
            self.alike += int((np.abs(upper - lower) <= 1e-5 * (1.0 + np.abs(lower))).sum())
            self.left.add(np.round(upper - self.discount * lower, 4))
            self.plain.add(np.round(upper - lower, 4))
            self.ratio.add(np.round(upper[lower != 0] / lower[lower != 0], 4))
            upper, lower = values.value[below], values.value[below + 1]
        self.steps += len(bad)
        if bad.any() and not self.seen.times:
            i = int(np.argmax(bad))
            self.values = float(upper[i]), float(lower[i]), float(due[i])
        self.seen.add(bad, values.iteration[below], values.node[below])

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            upper, lower, due = self.values
            gamma = None if self.rewards is None else self.rewards.discount()
            if gamma is not None and self.discount and abs(gamma - self.discount) < 1e-5:
                yield found(
                    "value-not-discounted", t, node,
                    f"values shrink by the declared discount {self.discount:g}, and each move adds the same every "
                    "time: rewards on the way. Declare them (reward=) for their checks",
                    times=times, discount=self.discount,
                ).as_note()  # fmt: skip
                return
            few = self._few_rewards()
            without = [*self.without_discount()]
            if without:
                yield from without
                return
            if few:
                yield found(
                    "value-not-discounted", t, node,
                    f"what a node gets is {self.discount:g} times what the node below it gets, and one of {few} "
                    "numbers: rewards on the way, which may depend on chance. Say so, step_rewards=True or reward=",
                    times=times, discount=self.discount,
                ).as_note()  # fmt: skip
                return
            yield found(
                "value-not-discounted", t, node,
                f"node {node:,} gets {upper:.6g} in iteration {t:,}, the node below it "
                f"{lower:.6g}; by the declared discount {self.discount:g} it should be "
                f"{due:.6g}. This happens at {times:,} of {self.steps:,} steps",
                times=times, discount=self.discount,
            )  # fmt: skip

    def without_rewards(self) -> Iterator[Finding]:
        """A note where moves are said to bring rewards, and none ever comes."""
        if self.looks and self.search.alone and self.steps >= MANY_STEPS and not self.seen.times:
            yield found(
                "value-reward", None, None,
                "moves are said to bring rewards (step_rewards=True), and what a node gets is never more than "
                f"{self.discount:g} times what the node below it gets, at {self.steps:,} steps: rewards on the way "
                "are left out. Right where all come at the end",
                share=1.0, mistake="rewards are left out", discount=self.discount,
            ).as_note()  # fmt: skip

    def without_discount(self) -> Iterator[Finding]:
        """Rewards on the way that nobody told, and values that are not discounted, though a discount is declared."""
        t, node, times = self.seen
        few = _few(self.plain)
        if (
            not times
            or not self.search.alone
            or _few(self.left)
            or not self.plain.numbers[:few].any()
        ):
            return
        yield found(
            "value-not-discounted", t, node,
            f"declared is a discount of {self.discount:g}, and what a node gets is what the node below it gets, not "
            f"discounted, and one of {few} numbers, as moves bring rewards",
            times=times, discount=self.discount,
        )  # fmt: skip

    def _few_rewards(self) -> int:
        """How many numbers are added beside the discounted value, where these are few and come again and again; 0 where
        they are not, or where another discount or none explains the values."""
        ratio = self.ratio
        of_one = ratio.times.max(initial=0) >= MOST * ratio.total if ratio.total else True
        return 0 if of_one or self.alike >= MOST * self.left.total else _few(self.left)


def _few(counts: ValueCounts) -> int:
    """How many numbers there are, where they are few and come again and again; else 0."""
    kinds = len(counts.numbers)
    return kinds if kinds <= MOST_REWARDS and counts.total >= OFTEN * kinds else 0


class ValuelessRoot:
    def __init__(self, search: CheckedSearch) -> None:
        self.search = search
        self.root = self.others = self.valued = 0
        self.collects = False

    def look(self, part: IterationRange, values: VisitValues) -> None:
        steps = part.steps
        root = steps.node == 0
        below = np.append(False, root[:-1])  # the step after that of the root
        due = steps.value[below]  # to the root, in its own view
        if self.search.meta.mirrors:
            due = sum(self.search.meta.value_range) * steps.visits[below] - due
        self.root += int(root.sum())
        self.others += len(due)
        self.collects |= bool(steps.value[root].any())
        self.valued += int((due != 0).sum())

    def findings(self) -> Iterator[Finding]:
        if "value of the root" in self.search.meta.not_observed or not self.others:
            return
        if self.root and not self.collects and self.valued / self.others > 0.2:
            yield found(
                "value-root", self.search.base + 1, 0,
                "the root collects visits but no value; no choice depends on it",
            )  # fmt: skip
