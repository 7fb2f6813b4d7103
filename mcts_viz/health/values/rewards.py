"""Whether rewards on the way are carried up as they should be: Δnode = reward + γ · Δchild along the path; of several
leaves an iteration, with the children's rewards and values added up.

Where the reward of a move stands differs between correct searches: beside the node that it leads to, or within that
node's own value. Either will do, as long as it is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.values.ends_paid_twice import check_ends
from mcts_viz.health.values.lambda_returns import lambda_of
from mcts_viz.health.values.of_visits import first_steps
from mcts_viz.health.values.own_discounts import discounts_of_moves
from mcts_viz.health.values.reward_laws import ROUNDING, WRONG, WRONG_SIGN, WRONG_SIGN_OR, fits
from mcts_viz.health.values.reward_steps import RewardSteps, steps_of, steps_with
from mcts_viz.types import Bools, Floats

NEARLY_ALL = 0.98  # of the steps, which a mistake has to explain to be named
FEW = 20  # steps
FEW_AT_ENDS = 5  # likewise, of episodes that end, where all others are right
HALF = 0.5  # of the steps, at which values that are means of returns would fit at least
MOSTLY = 0.8  # of the steps: the others may have a reward that was not told
LEAST_DISCOUNT = 0.3
SAME_RATIO = 1e-3  # of values
TELLING = 1e-4  # of the range of values, that a ratio may be made of

ONE_SIGN = (
    "rewards have the wrong sign where one of the players moves, or at every other level, as where both players' are "
    "added in the view of one"
)
AT_ENDS = (
    "the reward of the move into the end of an episode is left out, and all others are added: as where the return of a "
    "step that ends it is 0 in place of the reward"
)
SOME = 0.05  # of the steps with a reward


class LawCount:
    """At how many steps a law holds, and the first at which it does not."""

    def __init__(self) -> None:
        self.n = self.right = 0
        self.first_wrong: RewardSteps | None = None

    def add(self, right: Bools, steps: RewardSteps) -> None:
        """Count these steps, too: mask [S]."""
        self.n += len(right)
        self.right += int(right.sum())
        if self.first_wrong is None and not right.all():
            self.first_wrong = steps.one(int(np.argmin(right)))

    @property
    def share(self) -> float:
        """Of the steps; 0 without any."""
        return self.right / self.n if self.n else 0.0


class RightLaws:
    """The laws that hold in correct searches, over all steps."""

    def __init__(self, search: CheckedSearch, gamma: float, several_leaves: bool = False) -> None:
        # whose reward is added, by what the discount leaves out
        self.below: list[LawCount] = []
        self.own: list[LawCount] = []
        self.any = LawCount()
        for steps in steps_of(search, several_leaves):
            discounts = _discounts(search, steps, gamma)
            self.below = self.below or [LawCount() for _ in discounts]
            self.own = self.own or [LawCount() for _ in discounts]
            some = np.zeros(len(steps.node), np.bool_)
            for each, below, own in zip(discounts, self.below, self.own):
                by_below = fits(steps.below + each * steps.lower, steps)
                by_own = fits(steps.own + each * steps.lower, steps)
                below.add(by_below, steps)
                own.add(by_own, steps)
                some |= by_below | by_own
            self.any.add(some, steps)

    @property
    def best(self) -> LawCount:
        """The one that holds at most steps."""
        return max((*self.below, *self.own), key=lambda each: each.share, default=LawCount())

    @property
    def first_wrong(self) -> RewardSteps | None:
        """A step that fits with none of them, where there is one: with the wrong reward it may fit by chance."""
        first = self.any.first_wrong
        return self.best.first_wrong if first is None else first

    @property
    def hold(self) -> bool:
        """Whether one of them holds at all steps, of which there are enough."""
        return self.best.n >= FEW and self.best.right == self.best.n

    @property
    def has_own(self) -> bool | None:
        """Whether a node's value has the reward of the move into it, where one law says so at all steps and the other
        one does not."""
        below, own = (any(each.right == each.n for each in of) for of in (self.below, self.own))
        return None if below == own else own


class WrongLaws:
    """What mistakes explain, over all steps."""

    def __init__(self, search: CheckedSearch, gamma: float, several_leaves: bool) -> None:
        self._gamma = gamma
        self.mistakes = {words: LawCount() for words in WRONG}
        self.either, self.added, self.taken = LawCount(), LawCount(), LawCount()
        self.unturned = LawCount()
        self.right_but_at_ends, self.at_ends = LawCount(), LawCount()
        self.first_plain: RewardSteps | None = None
        for steps in steps_of(search, several_leaves, first_visits=True):
            for words, law in WRONG.items():
                self.mistakes[words].add(fits(law(steps, gamma), steps), steps)
            self._look_at_signs(steps, gamma)

    def _look_at_signs(self, steps: RewardSteps, gamma: float) -> None:
        added = fits(steps.below + gamma * steps.lower, steps)
        taken = fits(-steps.below + gamma * steps.lower, steps)
        told = np.abs(steps.below) > ROUNDING * (np.abs(steps.upper) + np.abs(steps.lower))
        self.either.add(added | taken, steps)
        self.added.add(added[told], steps)
        self.taken.add(taken[told], steps)
        lost = fits(gamma * steps.lower, steps) & steps.childless
        self.right_but_at_ends.add(added | lost, steps)
        self.at_ends.add((lost & ~added)[steps.childless & told], steps)
        plain = steps.below == 0
        self.unturned.add(fits(-gamma * steps.lower, steps)[plain], steps)
        if self.first_plain is None and plain.any():
            self.first_plain = steps.one(int(np.argmax(plain)))

    def named(self, search: CheckedSearch, least: float) -> tuple[str, float] | None:
        """The mistake that explains nearly all steps and more than `least`, and its share."""
        words = max(self.mistakes, key=lambda each: self.mistakes[each].share)
        share = self.mistakes[words].share
        if share >= NEARLY_ALL and share > least:
            same = words == WRONG_SIGN and self._gamma == 1.0
            return words + (WRONG_SIGN_OR if same else ""), share
        at_ends = self.right_but_at_ends
        if at_ends.share == 1.0 > least and self.at_ends.right >= FEW_AT_ENDS:
            return AT_ENDS, at_ends.share
        # those with a reward have the one sign and the other
        both = min(self.added.share, self.taken.share) >= SOME
        if not search.alone and both and self.either.share >= NEARLY_ALL:
            return ONE_SIGN, self.either.share
        return None


def check_rewards(search: CheckedSearch, several_leaves: bool = False) -> Iterator[Finding]:
    """Findings about rewards, where they and the discount are known."""
    if not _is_known(search):
        return
    gamma = discount_of(search, several_leaves)
    laws = RightLaws(search, gamma, several_leaves)
    if laws.best.n < FEW:
        return
    if laws.hold:
        if not several_leaves and search.alone:
            yield from check_ends(search, gamma, laws.has_own)
        return
    yield (
        (None if several_leaves else _of_other_returns(search, gamma))
        or _of_a_mistake(search, gamma, laws, several_leaves)
    )  # fmt: skip


def _of_other_returns(search: CheckedSearch, gamma: float) -> Finding | None:
    """A back-up of λ-returns, or one where each move has a discount of its own."""
    between = lambda_of(search, gamma)
    if between is not None:
        return found(
            "value-backup", None, 0,
            f"λ-returns are backed up, with λ = {between[0]:.3g}: what a node gets is the reward and γ times what lies "
            f"between what its child gets and what the child is worth by itself, {between[1]}",
            weight=between[0], discount=gamma,
        )  # fmt: skip
    varying = discounts_of_moves(search)
    if varying is None:
        return None
    return found(
        "value-backup", None, 0,
        f"each move discounts what comes after it by a factor of its own, {varying[0]:.3g} to {varying[1]:.3g}: as "
        "where a move takes several steps",
        least=varying[0], most=varying[1],
    )  # fmt: skip


def _of_a_mistake(
    search: CheckedSearch, gamma: float, right: RightLaws, several_leaves: bool
) -> Finding:
    """Rewards that no right law explains."""
    best = right.best
    laws = WrongLaws(search, gamma, several_leaves)
    unturned, plain = laws.unturned, laws.first_plain
    if (
        plain is not None and not search.alone
        and unturned.n >= FEW and unturned.share >= NEARLY_ALL
    ):  # fmt: skip
        return found(
            "value-same-view", int(plain.iteration[0]), int(plain.node[0]),
            "where moves bring nothing, a node gets what its child gets, and not the opposite, though the other "
            f"player moved there: at {unturned.share:.0%} of {unturned.n:,} such steps. The sign does not change "
            "from level to level",
            share=unturned.share, of=unturned.n, discount=gamma,
        )  # fmt: skip
    named = laws.named(search, best.share) or _linear(search, several_leaves, best.share)
    text = f"; but this explains {named[1]:.0%}: {named[0]}" if named else ""
    at = right.first_wrong
    assert at is not None
    t, node, gets = int(at.iteration[0]), int(at.node[0]), float(at.upper[0])
    reward, child = float(at.below[0]), float(at.lower[0])
    below = f"the reward below it is {reward:.6g}, and its child gets {child:.6g}"
    if gets == child:
        below += ". If each node gets the whole game's return on purpose, leave reward= out of the recording"
    if several_leaves:
        below = f"the rewards below it are {reward:.6g} together, and its children get {child:.6g}"
    finding = found(
        "value-reward", t, node,
        f"with γ = {gamma:.4g}, Δnode = reward + γ·Δchild holds at {best.share:.0%} of {best.n:,} steps{text}. In "
        f"iteration {t:,} node {node:,} gets {gets:.6g}; {below}",
        share=best.share, mistake=named[0] if named else None, discount=gamma,
    )  # fmt: skip
    if search.meta.watched.value_kind != "mean" or named or best.share >= HALF:
        return finding
    return finding.as_note(
        f"{finding.message}. The search keeps these values itself, and hardly any is a mean of returns: so it is where "
        "soft values, bounds or medians are backed up, which can be declared by a name of its own, "
        'policies={"backpropagation": {"name": "…"}}'
    )


def _linear(search: CheckedSearch, several_leaves: bool, least: float) -> tuple[str, float] | None:
    """Weights of the reward and of what comes after it that explain nearly all steps and more than `least` of them, in
    words, and their share; None where there are none."""
    steps = first_steps(RewardSteps, steps_of(search, several_leaves))
    if steps is None:
        return None
    for reward, of in ((steps.below, "reward"), (steps.own, "the node's own reward")):
        known = np.flatnonzero(~np.isnan(reward))
        both = np.stack([reward[known], steps.lower[known]], axis=1)
        weights, _, rank, _ = np.linalg.lstsq(both, steps.upper[known], rcond=None)
        share = _share(fits(weights[0] * reward + weights[1] * steps.lower, steps))
        if rank == 2 and share >= NEARLY_ALL and share > least:
            return f"Δnode = {weights[0]:.4g}·{of} + {weights[1]:.4g}·Δchild", share
    return None


def is_explained_by_rewards(search: CheckedSearch) -> bool:
    """Whether each node gets the reward of a move and the discounted value of what follows, at all steps, or what a
    mistake makes of these: then values are means. Of rewards that are known, some of which are not 0."""
    if not search.has_rewards or not _is_known(search):
        return False
    gamma = discount_of(search)
    right = RightLaws(search, gamma)
    if right.hold:
        return True
    enough = right.best.n >= FEW
    return enough and WrongLaws(search, gamma, False).named(search, right.best.share) is not None


def _is_known(search: CheckedSearch) -> bool:
    """Whether back-up is that of a mean, by a discount that does not vary, and one number is enough for all players."""
    low, high = search.value_range
    of_mean = search.meta.policies.backpropagation.backup in (None, "mean")
    one_number = search.alone or (low == -high and search.meta.mirrors)
    return search.discount is not None and of_mean and one_number


def check_half_steps(search: CheckedSearch) -> Iterator[Finding]:
    """A note where chance answers to each move, and values are discounted at the move and at what chance does."""
    told = search.trace.columns.nodes.reward
    rewarded = search.meta.step_rewards or search.has_rewards or "discount" in search.meta
    if not rewarded or not search.has_chance:
        return
    rewards = np.zeros(search.N) if told is None else told[: search.N].astype(np.float64)
    steps = first_steps(RewardSteps, steps_with(search, rewards))
    if steps is None:
        return
    low, high = search.value_range
    some = np.abs(steps.lower) > TELLING * (high - low)
    for reward in (steps.below, steps.own):
        ratios = np.abs(steps.upper - reward)[some] / np.abs(steps.lower[some])
        into, out = (
            ratios[which[some] & ~np.isnan(ratios)] for which in (steps.to_chance, steps.of_chance)
        )
        gamma = _one_ratio(into)
        if gamma is None or _one_ratio(out) is None or abs(gamma - np.median(out)) > SAME_RATIO:
            continue
        yield found(
            "value-discount", None, None,
            f"γ = {gamma:.4g} is applied twice a step: at the move and at what chance does, as {len(into):,} visits of "
            f"what was chosen and {len(out):,} of what chance answered show. A reward n steps away counts γ^2n. Right "
            "where γ is meant for half a step",
            discount=gamma, moves=len(into), answers=len(out),
        ).as_note()  # fmt: skip
        return


def _one_ratio(ratios: Floats) -> float | None:
    """A discount below 1 that nearly all have; None where there is none."""
    if len(ratios) < FEW:
        return None
    usual = float(np.median(ratios))
    nearly = np.mean(np.abs(ratios - usual) <= SAME_RATIO) >= MOSTLY
    return usual if nearly and LEAST_DISCOUNT < usual < 1 - SAME_RATIO else None


def _discounts(search: CheckedSearch, steps: RewardSteps, gamma: float) -> list[Floats]:
    """[S] by which each step may be discounted. Where chance answers to each move, the move into the afterstate, or the
    answer, takes no time."""
    found = [np.full(steps.n, gamma)]
    if search.has_chance:
        found += [np.where(timeless, 1.0, gamma) for timeless in (steps.of_chance, steps.to_chance)]
    return found


def includes_own_reward(search: CheckedSearch) -> bool | None:
    """Whether a node's value has the reward of the move into it, as far as the back-up shows it; None: not."""
    steps = first_steps(RewardSteps, steps_of(search))
    if steps is None or steps.n < FEW:
        return None
    gamma = _discount(search, steps)
    below, own = (
        _share(fits(reward + gamma * steps.lower, steps)) for reward in (steps.below, steps.own)
    )
    return None if max(below, own) < NEARLY_ALL or below == own else own > below


def discount_of(search: CheckedSearch, several_leaves: bool = False) -> float:
    """The declared discount, else the one that the back-up shows, else 1."""
    if _is_declared(search):
        return _discount(search, None)
    return _discount(search, first_steps(RewardSteps, steps_of(search, several_leaves)))


def _is_declared(search: CheckedSearch) -> bool:
    return "discount" in search.meta and search.discount is not None


def _discount(search: CheckedSearch, steps: RewardSteps | None) -> float:
    """The same; steps: as many as show it."""
    if search.discount is not None and _is_declared(search):
        return search.discount
    return 1.0 if steps is None else _discount_of(steps)


def _discount_of(steps: RewardSteps) -> float:
    """The one by which most steps would be right, where none was declared; those to or from chance may take no time."""
    some = np.abs(steps.lower) > 1e-3
    timeless = [np.zeros(len(some), np.bool_)]
    timeless += [steps.of_chance, steps.to_chance] if steps.of_chance.any() else []
    for no_time in timeless:
        use = some & ~no_time
        if not use.any():
            continue
        for reward in (steps.below, steps.own):
            ratios = ((steps.upper - reward) / steps.lower)[use]
            if np.isnan(ratios).all():  # rewards that were told elsewhere
                continue
            ratio = float(np.nanmedian(ratios))
            discounts = np.where(no_time, 1.0, ratio)
            right = _share(fits(reward + discounts * steps.lower, steps)) >= NEARLY_ALL
            if 0 < ratio <= 1 and right:
                return ratio
    return 1.0


def _share(fits: Bools) -> float:
    return float(fits.mean()) if len(fits) else 0.0
