"""What visits of leaves add, beside random games from there: how far the two are apart, and how they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.outcomes.lattice import games_of_means
from mcts_viz.types import Floats

SUSPICIOUS = -1.5  # standard deviations
FEW_LEAVES = 40
LIMIT = 5.0  # standard deviations: by chance once in three million
# of the leaves of one player, while those of the other are right, and of evaluations
LIMIT_OF_HALF = 4.0
# less for the mover at the leaf; rollouts that learn strayed by 6.2: below it is a note
LIMIT_BEHIND = 9.0
BEHIND_EACH = -2.0  # standard deviations, where each player is to move
USUAL = 2.0  # the same, from random play, on either side
SOME = 1.0  # standard deviations
FALLS = -2.0  # the same: values are high where random play says low
FALLS_A_LITTLE = -1.0  # and they are the mirror image of it, or nearly so
MIRRORED = 4.0  # standard deviations from the mirror image
NEARLY_MIRRORED = 2.0
OPPOSITE = -0.5  # correlation with random play's true mean, below which evaluations are turned
LEAST_RELIABLE = 0.05  # correlation of two sets of playouts
FEW_KINDS = 5  # different values, from which on they are no outcomes but evaluations


class Leaf(NamedTuple):
    """A visit of a leaf where the game goes on; views are player 0's, from −1, a loss, to 1."""

    iteration: int
    node: int
    to_move: int
    value: float
    first: Floats  # [G] outcomes of random games
    second: Floats  # [G] of others


class Sign(NamedTuple):
    """In standard deviations."""

    agrees: float = 0.0  # with random play; below 0 where values are turned
    apart: float = 0.0  # from random play; far below 0 where values are turned
    mirrored: float = np.inf  # from the mirror image of random play
    rises: float = 0.0  # correlation with random play
    correlation: float = 0.0  # the same in [−1, 1], without the noise of the playouts

    def turned(self, limit: float = LIMIT) -> bool:
        """Values are too far from random play, on the other side of none, and its mirror image, or high
        where it is low. (Rollouts that learn may be far on the other side as a whole, but not leaf by leaf.)"""
        opposite = (
            (self.mirrored < MIRRORED and self.rises < FALLS)
            or (self.mirrored < NEARLY_MIRRORED and self.rises < FALLS_A_LITTLE)
            or self.rises < -limit
        )
        return self.apart < -limit and self.agrees < -SOME and opposite

    def opposite(self, limit: float) -> bool:
        """Values are high where random play says low, more than chance makes them or another judgement."""
        return self.rises < -limit and self.correlation < OPPOSITE

    @property
    def right(self) -> bool:
        return self.agrees > SOME and self.apart > -LIMIT


class Behind(NamedTuple):
    """How much less than random play brings the player to move at a leaf gets there; below 0 where it is less."""

    apart: tuple[float, float]  # standard deviations, where each player is to move
    whole: float  # the same of all
    less: float  # on average
    of: int  # leaves

    @property
    def sure(self) -> bool:
        """Whether no policy that learns strays so far, whoever is to move."""
        return self.whole < -LIMIT_BEHIND and max(self.apart) < SUSPICIOUS


def behind_random_play(leaves: Sequence[Leaf], games: int = 1) -> Behind | None:
    """None where too few leaves say something. games: of how many each value is the mean."""
    apart, totals, variances, n = [], [], [], 0
    for to_move in (0, 1):
        own = [leaf for leaf in leaves if leaf.to_move == to_move]
        if len(own) < FEW_LEAVES:
            return None
        ends = np.array([np.concatenate((leaf.first, leaf.second)) for leaf in own])
        more = (1 - 2 * to_move) * (np.array([leaf.value for leaf in own]) - ends.mean(axis=1))
        part = 1 / games + 1 / ends.shape[1]
        variances.append(float(ends.var(axis=1, ddof=1).sum() * part + 1.0))
        totals.append(float(more.sum()))
        apart.append(totals[-1] / float(np.sqrt(variances[-1])))
        n += len(own)
    whole = sum(totals) / float(np.sqrt(sum(variances)))
    return Behind((apart[0], apart[1]), whole, sum(totals) / n, n)


def who_begins(behind: Behind, names: list[str]) -> str | None:
    """How much less the player to move gets, and who seems to begin the rollouts then; None where it is too little."""
    each = behind.whole < -LIMIT and max(behind.apart) < BEHIND_EACH
    if behind.sure or each:
        return (
            f"whoever that is, by {-behind.less:.2f} on average (a win is 1, a loss −1), {-behind.whole:.1f} "
            "standard deviations: the other player seems to make the first move of each rollout"
        )
    player = int(np.argmin(behind.apart))
    if behind.apart[player] > -LIMIT or abs(behind.apart[1 - player]) > USUAL:
        return None
    return (
        f"where that is {names[player]}, by {-behind.apart[player]:.1f} standard deviations, and as much where it is "
        f"{names[1 - player]}: {names[1 - player]} seems to make the first move of each rollout, whoever is to move"
    )


def turned_of(by_player: tuple[Sign, Sign]) -> list[int]:
    """The players at whose leaves values are turned."""
    return [player for player in (0, 1) if by_player[player].turned(LIMIT_OF_HALF)]


def _has_many_kinds(leaves: Sequence[Leaf]) -> bool:
    return len({round(leaf.value, 6) for leaf in leaves}) > FEW_KINDS


def are_evaluations(leaves: Sequence[Leaf]) -> bool:
    return _has_many_kinds(leaves) and not games_of(leaves)


def games_of(leaves: Sequence[Leaf]) -> int:
    """Of how many games each value seems to be the mean, where they have too many kinds for results; else 0."""
    if not _has_many_kinds(leaves):
        return 0
    return games_of_means(np.array([leaf.value for leaf in leaves])) or 0


def signs_of(leaves: Sequence[Leaf]) -> list[Sign]:
    """At all leaves, and at those where each player is to move."""
    return [
        sign_of([leaf for leaf in leaves if to_move in (None, leaf.to_move)])
        for to_move in (None, 0, 1)
    ]


def sign_of(leaves: Sequence[Leaf]) -> Sign:
    if len(leaves) < FEW_LEAVES:
        return Sign()
    weight = np.array([leaf.first.mean() for leaf in leaves])
    value = np.clip([leaf.value for leaf in leaves], -1.0, 1.0)
    due = np.array([leaf.second.mean() for leaf in leaves])
    noise = np.array([leaf.second.var(ddof=1) for leaf in leaves]) / len(leaves[0].second)
    alone = float(np.sqrt((weight**2).sum()))
    apart = float(np.sqrt((weight**2 * (1.0 + noise)).sum()))
    if not alone:
        return Sign()
    of_mean = abs(float((value + due).sum())) / float(np.sqrt((1.0 + noise).sum()))
    mirrored = max(abs(float((weight * (value + due)).sum())) / apart, of_mean)
    correlation = _correlation(weight, value)
    reliable = max(_correlation(weight, due), LEAST_RELIABLE)
    return Sign(
        float((weight * value).sum()) / alone,
        float((weight * (value - due)).sum()) / apart,
        mirrored,
        correlation * float(np.sqrt(len(leaves))),
        max(-1.0, min(1.0, correlation / float(np.sqrt(reliable)))),
    )


def _correlation(one: Floats, other: Floats) -> float:
    """In [−1, 1]; 0 where one of them is constant."""
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / scale if scale > 1e-9 else 0.0
