"""What a search compares where moves bring rewards: Q = reward + γ·mean of each child, as in MuZero.

Where a node's mean has the reward of the move into it already, Q is that mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren, Extremes
from mcts_viz.health.outcomes.new_leaves import new_leaves
from mcts_viz.health.selection.infer import told_apart
from mcts_viz.health.selection.other_entries import other_entries
from mcts_viz.health.selection.scores import QForm, mean, scaled
from mcts_viz.health.values.rewards import discount_of, includes_own_reward
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Floats, Ints

KINDS = 6  # different first values
BY_MEANS = "Q is reward + γ·mean, scaled by the means"
OF_PARENT = (
    "the reward in Q is that of the move into the parent, and not of the move that is chosen: parent.reward + γ·mean "
    "of the child. The reward of a move plays no part in its own choice, and counts a step too late"
)
MEANS_ALONE = "Q is the mean, as moves that are compared bring no reward of their own"


def right_and_wrong(
    search: CheckedSearch, rows: ComparedChildren
) -> tuple[Sequence[QForm], Sequence[QForm]]:
    """The ways in which Q may be made, and the mistakes."""
    plain = QForm("", rows)
    if search.trace.columns.player_sums.recorded:
        return [plain], other_entries(search, rows)
    backup = search.meta.policies.backpropagation.backup
    is_mean = backup in (None, "mean")
    if not search.has_rewards:
        what = "the mean is divided by the visits once more"
        if not is_mean:
            what = f"the value that is kept ({backup} back-up) is divided by the visits, as a sum would be"
        divided = rows._replace(value_sum=mean(rows))
        again = QForm(what, divided, "selection-divided-twice")
        wrong = [*_views(search, rows), *_with_priors(rows), again]
        return [plain], [*wrong, *(_by_sums(plain) if is_mean else [])]
    forms = _WithRewards(search, rows)
    own = includes_own_reward(search) if is_mean else None
    if own:
        twice = "the reward of a move counts twice: the child's mean has it, and it is added again"
        return forms.means()[:1], [each._replace(words=twice) for each in forms.right()] + _by_sums(
            plain
        )
    if own is None:
        words = "Q is the mean alone, and no reward is added to it"
        return [*forms.right(), *(each._replace(words=words) for each in forms.means())], []
    wrong = [
        *forms.scaled_by_sums(),
        *forms.left_out(),
        *forms.of_parent(),
        *forms.sums(),
        *forms.scales(),
    ]
    return forms.right(), [*wrong, *forms.others()]


class _WithRewards:
    """The ways in which Q may be made of the rewards of moves and of means, and the mistakes."""

    def __init__(self, search: CheckedSearch, rows: ComparedChildren) -> None:
        self._alone = search.alone
        discount = discount_of(search)
        self._discounts = discount != 1.0
        told = search.trace.columns.nodes.reward
        # a reward of 0 at all of them says as much as none
        without_any = not (search.rewards[search.to_move == CHANCE] != 0).any()

        def gamma_of(node: Ints) -> Floats:
            """[k] An action whose outcome chance decides has its reward and the discount below it."""
            events = search.to_move[node] == CHANCE
            bare = events if told is None or without_any else np.isnan(told[node])
            return np.where(events & bare, 1.0, discount)

        def q(node: Ints, means: Floats) -> Floats:
            return search.rewards[node] + gamma_of(node) * means

        self._gamma = gamma_of(rows.node)
        self._before = search.rewards[rows.parent][rows.of]  # [R] of the move into the parent
        self._means = rows  # scaled by the means, where they are scaled
        self._rows = rows._replace(extremes=search.extremes_before(rows.iteration, q))

    def _of(self, words: str, value: Floats, check: str = "selection-reward") -> QForm:
        """Q is this value, scaled by reward + γ·mean where it is scaled."""
        return QForm(words, self._rows._replace(value_sum=self._rows.visits * value), check)

    @property
    def _q(self) -> Floats:
        return self._rows.reward + self._gamma * mean(self._rows)

    def right(self) -> list[QForm]:
        """Q has the reward of the move."""
        plain = self._of("Q is reward + γ·mean", self._q)
        by_means = plain.rows._replace(extremes=self._means.extremes)
        beside = _beside_scaled(self._means, self._gamma)
        # as those to afterstates, beside whose means is nothing that the least and greatest lack
        alone = np.array_equal(self._q, mean(self._rows))
        return [
            plain,
            QForm(MEANS_ALONE if alone else BY_MEANS, by_means),
            QForm("Q is reward + γ·mean, of which the mean is scaled", beside),
        ]

    def means(self) -> list[QForm]:
        """Q is the mean."""
        words = "Q is the mean, which has the reward of the move"
        return [QForm(words, self._means), QForm(words, self._rows)]

    def scaled_by_sums(self) -> list[QForm]:
        """See `_by_sums`."""
        return [*_by_sums(self.right()[0]), *_by_sums(self.means()[1])[1:]]

    def sums(self) -> list[QForm]:
        """Sums in place of means."""
        rows = self._rows
        words = "Q is reward + γ·the value sum, which was not divided by the visits"
        summed = self._of(words, rows.reward + self._gamma * rows.value_sum, "selection-sum")
        of_sums = rows.extremes.by((Extremes.OF_SUMS, Extremes.OF_SUMS))
        scaled_by_sums = summed._replace(
            words=f"{words}, and is scaled by the least and greatest of these",
            rows=summed.rows._replace(extremes=of_sums),
        )
        return [summed, scaled_by_sums]

    def left_out(self) -> list[QForm]:
        """The reward, or the discount, is left out of Q."""
        reward, gamma = (
            "the reward of the move is left out of Q",
            "Q is reward + mean: the discount γ is left out of it",
        )
        forms = [each._replace(words=reward) for each in self.means()]
        if not self._discounts:
            return forms
        for words, value in (
            (reward, self._gamma * mean(self._rows)),
            (gamma, self._rows.reward + mean(self._rows)),
        ):
            form = self._of(words, value)
            by_means = form.rows._replace(extremes=self._means.extremes)
            forms += [form, form._replace(rows=by_means)]
        return forms

    def of_parent(self) -> list[QForm]:
        """The reward is that of the move before, which all siblings share; only where Q is scaled, or children without
        visits count as something, is it another choice than without any."""
        shifted = self._before + self._gamma * mean(self._rows)
        form = self._of(OF_PARENT, shifted)
        by_means = form.rows._replace(extremes=self._means.extremes)
        return [form, form._replace(rows=by_means)]

    def scales(self) -> list[QForm]:
        """Q is scaled by other numbers than its own."""
        right, rows = self.right()[0].rows, self._rows
        of_root = rows.extremes.by((Extremes.ROOT, Extremes.ROOT))
        outside = (
            "the reward stands outside the min-max normalization and outweighs what is in it: Q is reward + "
            "γ·norm(mean), with the least and greatest of reward + γ·mean"
        )
        return [
            QForm(
                "Q is scaled by the least and greatest mean of the root, which alone updates them",
                right._replace(extremes=of_root), "selection-scale",
            ),
            QForm(outside, _beside_scaled(rows, self._gamma), "selection-scale"),
        ]  # fmt: skip

    def others(self) -> list[QForm]:
        """The reward counts twice, or the value has the wrong sign."""
        rows = self._rows
        twice = "the reward of a move counts twice: 2·reward + γ·mean"
        forms = [self._of(twice, 2 * rows.reward + self._gamma * mean(rows))]
        if not self._alone:
            words = (
                "the child's value is the opponent's, and is added as if it were the chooser's own: "
                "reward − γ·mean"
            )
            turned = rows.reward - self._gamma * mean(rows)
            forms.append(self._of(words, turned, "selection-wrong-view"))
        return forms


def _views(search: CheckedSearch, rows: ComparedChildren) -> list[QForm]:
    """Choices by values that are another player's."""
    if search.alone or (rows.chooser < 0).any() or not search.meta.mirrors or not told_apart(rows):
        return []
    low, high = search.value_range
    forms = []
    for check, words, turned in (
        ("selection-wrong-view", "the child is taken that is best for the opponent of the player who chooses", (0, 1)),
        ("selection-one-view", "both players choose what is best for player 0", (1,)),
        ("selection-one-view", "both players choose what is best for player 1", (0,)),
    ):  # fmt: skip
        here = np.isin(rows.chooser, turned)
        value_sum = np.where(here, rows.visits * (low + high) - rows.value_sum, rows.value_sum)
        chooser = rows.chooser[rows.chosen]
        parents = np.where(
            np.isin(chooser, turned), low + high - rows.parent_mean, rows.parent_mean
        )
        seen = rows._replace(value_sum=value_sum, parent_mean=parents)
        forms.append(QForm(words, seen, check))
    again = search.to_move[rows.node] == rows.chooser
    if again.any() and not again.all():
        turned_sum = np.where(again, rows.visits * (low + high) - rows.value_sum, rows.value_sum)
        words = (
            "a child's value is turned round, as if the opponent were to move there, also where the same player moves "
            "again"
        )
        forms.append(QForm(words, rows._replace(value_sum=turned_sum), "selection-wrong-view"))
    return forms


def first_values(search: CheckedSearch, rows: ComparedChildren) -> list[QForm]:
    """What a child got at its first visit, whatever came after it: it takes another way through the trace to know."""
    with_others = search.has_rewards or search.trace.columns.player_sums.recorded
    if with_others or not told_apart(rows):
        return []
    leaves, first = new_leaves(search), np.full(search.N, np.nan)
    first[leaves.node] = leaves.value
    of_child = np.where(rows.visits > 0, first[rows.node], 0.0)
    # results of games: a child that has won once is no better than any other that has
    if np.isnan(of_child).any() or len(np.unique(np.round(leaves.value, 6))) < KINDS:
        return []
    words = "Q is what the child got at its first visit, and no mean of all its visits"
    summed = np.asarray(rows.visits * of_child, np.float64)
    return [QForm(words, rows._replace(value_sum=summed), "selection-first-value")]


def _with_priors(rows: ComparedChildren) -> list[QForm]:
    """The prior in the value, beside the exploration term that has it already."""
    if np.isnan(rows.prior).any():
        return []
    added = rows._replace(value_sum=rows.visits * (mean(rows) + rows.prior))
    times = rows._replace(value_sum=rows.value_sum * rows.prior)
    check = "selection-prior-in-value"
    return [
        QForm("the prior is added to the mean: q + P", added, check),
        QForm("the mean is multiplied by the prior: q·P", times, check),
    ]


def _by_sums(form: QForm) -> list[QForm]:
    """Q scaled by the value sums of the tree, and value sums scaled in place of Q."""
    rows, check = form.rows, "selection-sum"
    words = "Q is scaled to [0, 1] by the least and greatest of the value sums, not of the means"
    in_place = "the value sums, scaled to [0, 1], are compared in place of the means"
    by_sums = rows.extremes.by((Extremes.SUMS_BUT_ROOT, Extremes.SUMS))
    sums = rows._replace(value_sum=rows.visits * rows.value_sum)
    return [
        QForm(words, rows._replace(extremes=by_sums), check),
        QForm(in_place, sums._replace(extremes=by_sums), check),
        QForm(f"{in_place}, by the least and greatest of the means", sums, check),
    ]


def _beside_scaled(rows: ComparedChildren, gamma: Floats) -> ComparedChildren:
    """reward + γ·scaled mean, as in MuZero's pseudocode; it is not scaled again."""
    value = rows.reward + gamma * scaled(rows, mean(rows), Extremes.ALL_NODES)
    return rows._replace(value_sum=rows.visits * value, extremes=rows.extremes.by(None))
