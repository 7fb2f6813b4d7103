"""What the visits of one path were worth beside each other, and against the declared range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.sightings import Sightings, Tally
from mcts_viz.analysis.health.stretch import Bools, Stretch
from mcts_viz.analysis.health.values import FEW, PLAYERS, Values, spread_of

MOST = 0.95  # share that counts as always, where chance may do the rest


class KeptWrongly:
    """Sums that are overwritten, or are means: seen where several nodes of one player on a path
    agree on what they have afterwards, but not on what was added."""

    WAYS = (
        ("value-overwritten", "is the last result alone"),
        ("value-mean", "moves like a mean of the results, not like their sum"),
    )

    def __init__(self, course: Course) -> None:
        self.tolerance = course.tolerance
        self.first: tuple[int, int] | None = None  # iteration and node
        self.several = self.disagree = 0
        self.agree, self.agree_after_all = np.zeros(2, np.int64), np.zeros(2, np.int64)

    def look(self, part: Stretch, values: Values) -> None:
        added, count = spread_of(part, values, values.value)
        several = count > 1
        disagree = several & (added > self.tolerance)
        self.several += int(several.sum())
        self.disagree += int(disagree.sum())
        if self.first is None and disagree.any():
            at = int(np.argmax(disagree)) // PLAYERS
            self.first = part.first + at, int(values.node[np.argmax(values.at == at)])
        after = values.sum_before + values.value
        as_mean = values.value * (values.visits_before + 1) + values.sum_before
        for way, numbers in enumerate((after, as_mean)):
            agree = spread_of(part, values, numbers)[0] <= 1e3 * self.tolerance
            self.agree[way] += int((agree & several).sum())
            self.agree_after_all[way] += int((agree & disagree).sum())

    def findings(self) -> Iterator[Finding]:
        if self.first is None or self.disagree < FEW or self.disagree < 0.05 * self.several:
            return
        for (check, what), agree, after_all in zip(self.WAYS, self.agree, self.agree_after_all):
            if after_all / self.disagree >= MOST:
                yield found(
                    check, *self.first,
                    f"the value sum {what}: so it is at {agree / self.several:.0%} of "
                    f"{self.several:,} paths",
                    paths=self.several,
                )  # fmt: skip
                return


class Beyond:
    """Values outside the range; `spoilt`: [N] nodes that ever got one, None where none did."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.seen = Sightings()
        self.steps = 0
        self.value = self.farthest = 0.0  # the first one, and that of the greatest magnitude
        self.spoilt: Bools | None = None

    def look(self, part: Stretch, values: Values) -> None:
        low, high = self.course.value_range
        slack = 1e3 * self.course.tolerance
        beyond = (values.value < low - slack) | (values.value > high + slack)
        self.steps += len(beyond)
        if not beyond.any():
            return
        value = values.value[beyond]
        if self.spoilt is None:
            self.spoilt = np.zeros(self.course.N, np.bool_)
            self.value = self.farthest = float(value[0])
        self.spoilt[values.node[beyond]] = True
        self.seen.add(beyond, values.iteration, values.node)
        worst = float(value[np.abs(value).argmax()])
        if abs(worst) > abs(self.farthest):
            self.farthest = worst

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        low, high = self.course.value_range
        if times:
            yield found(
                "value-out-of-range", t, node,
                f"one visit adds {self.value:,.6g} to node {node:,}; it may add "
                f"{low:g} to {high:g}. This happens at {times:,} of {self.steps:,} steps; the "
                f"farthest is {self.farthest:,.6g}",
                times=times, steps=self.steps, farthest=self.farthest,
            )  # fmt: skip


class LeafLeftOut:
    def __init__(self, course: Course) -> None:
        self.course = course
        self.leaves, self.valued = 0, False
        self.first = self.times = 0

    def look(self, part: Stretch, values: Values) -> None:
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
                "value-leaf", self.first, int(self.course.leaf[self.first - 1]),
                f"the leaf gets its visit, but never a value; {self.times:,} times a node above it "
                "that the same player moved into gets one",
                times=self.times,
            )  # fmt: skip


class Uneven:
    """Nodes of one player on a path that get different values."""

    def __init__(self, course: Course) -> None:
        self.tolerance = course.tolerance
        self.bad = self.several = 0  # paths of one player
        self.pairs = self.shrinking = 0  # neighbours on such a path
        self.ratio = Tally()
        self.first = (0, 0)  # iteration and node
        self.values = (0.0, 0.0)  # there

    def look(self, part: Stretch, values: Values) -> None:
        spread, count = spread_of(part, values, values.value)
        self.several += int((count > 1).sum())
        bad = spread > 1e3 * self.tolerance
        if not bad.any():
            return
        key = values.key
        paths = values.where(bad[key])
        key = key[bad[key]]
        order = np.lexsort((paths.node, key))  # towards the leaf
        value, key, node = paths.value[order], key[order], paths.node[order]
        if not self.bad:
            self.first = part.first + int(key[0] // PLAYERS), int(node[0])
            self.values = float(value[0]), float(value[1])
        self.bad += int(bad.sum())
        next_down = np.flatnonzero(key[1:] == key[:-1])
        upper, lower = value[next_down], value[next_down + 1]
        shrinking = (np.abs(upper) <= np.abs(lower) + self.tolerance) & (upper * lower >= 0)
        self.pairs += len(shrinking)
        self.shrinking += int(shrinking.sum())
        self.ratio.add(upper[lower != 0] / lower[lower != 0])

    def findings(self) -> Iterator[Finding]:
        if not self.bad:
            return
        t, node = self.first
        share = f"{self.bad:,} of {self.several:,} paths"
        if self.shrinking / self.pairs >= 0.99 and self.bad >= FEW:
            even = self._even_ratio()
            by = "" if even is None else f", by {even:.4g} from one node of a player to the next"
            yield found(
                "value-discount", t, node,
                f"values shrink on the way from the leaf to the root{by}: on {share}",
                times=self.bad, ratio=even,
            )  # fmt: skip
            return
        yield found(
            "value-uneven", t, node,
            f"nodes of the same player on the same path get different values, first in iteration "
            f"{t:,}: {self.values[0]:.6g} and {self.values[1]:.6g}; on {share}",
            times=self.bad,
        )  # fmt: skip

    def _even_ratio(self) -> float | None:
        """That of nearly all neighbours, None where they have different ones."""
        ratio = self.ratio
        if not ratio.total:
            return None
        even = ratio.median()
        near = ratio.count(np.abs(ratio.numbers - even) < 1e-6)
        return even if near / ratio.total > 0.9 else None


class Discounted:
    """Whether values shrink by the declared discount from each node to its parent."""

    def __init__(self, course: Course) -> None:
        self.course, self.discount = course, course.discount
        low, high = course.value_range
        told = self.discount not in (None, 1.0)
        self.looks = told and (low == -high or course.alone)
        self.seen = Sightings()
        self.steps = 0
        self.values = (0.0, 0.0, 0.0)  # the first time: at the node, at that below it, what is due

    def look(self, part: Stretch, values: Values) -> None:
        if not self.looks or self.discount is None:
            return
        below = np.flatnonzero(values.iteration[1:] == values.iteration[:-1])
        upper, lower = values.value[below], values.value[below + 1]
        due = lower * self.discount
        if not self.course.alone:
            due = np.where(values.player[below] == values.player[below + 1], due, -due)
        bad = np.abs(upper - due) > 1e-5 * (1.0 + np.abs(due))
        self.steps += len(bad)
        if bad.any() and not self.seen.times:
            i = int(np.argmax(bad))
            self.values = float(upper[i]), float(lower[i]), float(due[i])
        self.seen.add(bad, values.iteration[below], values.node[below])

    def findings(self) -> Iterator[Finding]:
        t, node, times = self.seen
        if times:
            upper, lower, due = self.values
            yield found(
                "value-not-discounted", t, node,
                f"node {node:,} gets {upper:.6g} in iteration {t:,}, the node below it "
                f"{lower:.6g}; by the declared discount {self.discount:g} it should be "
                f"{due:.6g}. So it is at {times:,} of {self.steps:,} steps",
                times=times, discount=self.discount,
            )  # fmt: skip


class RootLeftOut:
    def __init__(self, course: Course) -> None:
        self.course = course
        self.root = self.others = self.valued = 0
        self.collects = False

    def look(self, part: Stretch, values: Values) -> None:
        steps = part.steps
        root = steps.node == 0
        self.root += int(root.sum())
        self.others += len(root) - int(root.sum())
        self.collects |= bool(steps.value[root].any())
        self.valued += int((steps.value[~root] != 0).sum())

    def findings(self) -> Iterator[Finding]:
        if "value of the root" in self.course.not_observed or not self.others:
            return
        if self.root and not self.collects and self.valued / self.others > 0.2:
            yield found(
                "value-root", self.course.base + 1, 0,
                "the root collects visits but no value; no choice depends on it",
            )  # fmt: skip
