"""Whether rewards on the way are carried up as they should be: Δnode = reward + γ · Δchild along the path; of several
leaves an iteration, with the children's rewards and values added up.

Where the reward of a move stands differs between correct searches: beside the node that it leads to, or within that
node's own value. Either will do, as long as it is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.shape import children_of
from mcts_viz.health.values.ends_paid_twice import check_ends
from mcts_viz.health.values.lambda_returns import lambda_of
from mcts_viz.health.values.of_visits import steps_down
from mcts_viz.health.values.own_discounts import discounts_of_moves
from mcts_viz.health.values.powers import POWERS, steps_back
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Bools, Floats, Ints

NEARLY_ALL = 0.98  # of the steps, which a mistake has to explain to be named
FEW = 20  # steps
MOSTLY = 0.8  # of the steps: the others may have a reward that was not told
LEAST_DISCOUNT = 0.3
SAME_RATIO = 1e-3  # of values
TELLING = 1e-4  # of the range of values, that a ratio may be made of
ROUNDING = 1e-4  # of the magnitudes: searches count in float32, too


class RewardSteps(NamedTuple):
    """Steps from a node to its child, S of them; values are those of one visit, or of all that a node got in an
    iteration, and its children together."""

    iteration: Ints
    node: Ints
    upper: Floats  # added to the node, view of who moved into it
    lower: Floats  # added to the child, view of who moved into the node
    # rewards times visits, of the moves into the node (nan at the root) and into the child, the same view
    own: Floats
    below: Floats
    of_chance: Bools  # chance decides at the node
    to_chance: Bools  # chance decides at the child, an afterstate
    back: Ints  # steps from the node to the leaf; 1 where that is not known
    depth: Ints  # of the node


Law = Callable[[RewardSteps, float | Floats], Floats]


def _law_of_power(words: str, own: bool) -> Law:
    power = POWERS[words]
    return lambda steps, gamma: (
        (steps.own if own else steps.below) + gamma ** power(steps.back, steps.depth) * steps.lower
    )


RIGHT: tuple[Law, ...] = (
    lambda steps, gamma: steps.below + gamma * steps.lower,
    lambda steps, gamma: steps.own + gamma * steps.lower,
)
WRONG: Mapping[str, Law] = {
    "rewards are discounted twice: γ·(reward + Δchild)": lambda steps, gamma: (
        gamma * (steps.below + steps.lower)
    ),
    "rewards are discounted twice: γ·reward + γ·Δchild, with the node's own reward": lambda s, gamma: (
        gamma * (s.own + s.lower)
    ),
    "rewards are left out": lambda steps, gamma: gamma * steps.lower,
    "values are not discounted": lambda steps, gamma: steps.below + steps.lower,
    "values are not discounted, with the node's own reward": lambda steps, gamma: (
        steps.own + steps.lower
    ),
    "rewards are counted twice, with the node's own reward": lambda steps, gamma: (
        2 * steps.own + gamma * steps.lower
    ),
    "values are discounted twice": lambda steps, gamma: steps.below + gamma**2 * steps.lower,
    "what a node gets is discounted once more: γ·(reward + γ·Δchild)": lambda steps, gamma: (
        gamma * (steps.below + gamma * steps.lower)
    ),
    "rewards have the wrong sign": lambda steps, gamma: gamma * steps.lower - steps.below,
    "rewards are counted twice": lambda steps, gamma: 2 * steps.below + gamma * steps.lower,
    "the path is gone through from the root down, so that a node gets the rewards above it: Δchild = the node's own "
    "reward + γ·Δnode": lambda steps, gamma: (steps.lower - steps.own) / (gamma or np.nan),
    **{
        f"values are discounted by γ^i, not by γ at each step: {words}{of_own}": _law_of_power(
            words, bool(of_own)
        )
        for words in POWERS
        for of_own in ("", ", with the node's own reward")
    },
}
ONE_SIGN = (
    "rewards have the wrong sign where one of the players moves, or at every other level, as where both players' are "
    "added in the view of one"
)
SOME = 0.05  # of the steps with a reward
MOSTLY = 0.5  # of the steps


def check_rewards(search: CheckedSearch, several_leaves: bool = False) -> Iterator[Finding]:
    """Findings about rewards, where they and the discount are known."""
    if not _is_known(search):
        return
    steps = _sums(search) if several_leaves else _steps(search)
    if steps is None or len(steps.node) < FEW:
        return
    gamma = discount_of(search, steps)
    fits = [_fits(law(steps, each), steps) for each in _discounts(steps, gamma) for law in RIGHT]
    best = max(fits, key=_share)
    if best.all():
        if not several_leaves and search.alone:
            yield from check_ends(search, gamma, _has_own(fits))
        return
    between = None if several_leaves else lambda_of(search, gamma)
    if between is not None:
        yield found(
            "value-backup", None, 0,
            f"λ-returns are backed up, with λ = {between[0]:.3g}: what a node gets is the reward and γ times what lies "
            f"between what its child gets and what the child is worth by itself, {between[1]}",
            weight=between[0], discount=gamma,
        )  # fmt: skip
        return
    varying = None if several_leaves else discounts_of_moves(search)
    if varying is not None:
        yield found(
            "value-backup", None, 0,
            f"each move discounts what comes after it by a factor of its own, {varying[0]:.3g} to {varying[1]:.3g}: as "
            "where a move takes several steps",
            least=varying[0], most=varying[1],
        )  # fmt: skip
        return
    at = int(np.argmin(best))
    numbers = f"with γ = {gamma:.4g}, Δnode = reward + γ·Δchild holds at {_share(best):.0%} of {len(best):,} steps"
    mistakes = {words: _share(_fits(law(steps, gamma), steps)) for words, law in WRONG.items()}
    words = max(mistakes, key=mistakes.__getitem__)
    named = mistakes[words] >= NEARLY_ALL and mistakes[words] > _share(best)
    if not named and not search.alone:
        mistakes[ONE_SIGN] = _share_with_either_sign(steps, gamma)
        words, named = (ONE_SIGN, True) if mistakes[ONE_SIGN] >= NEARLY_ALL else (words, False)
    unturned = _share(_fits(-gamma * steps.lower, steps)[plain := steps.below == 0])
    if not search.alone and plain.sum() >= FEW and unturned >= NEARLY_ALL:
        at = int(np.flatnonzero(plain)[0])
        yield found(
            "value-same-view", int(steps.iteration[at]), int(steps.node[at]),
            "where moves bring nothing, a node gets what its child gets, and not the opposite, though the other "
            f"player moved there: at {unturned:.0%} of {int(plain.sum()):,} such steps. The sign does not change "
            "from level to level",
            share=unturned, of=int(plain.sum()), discount=gamma,
        )  # fmt: skip
        return
    text = f"; but this explains {mistakes[words]:.0%}: {words}" if named else ""
    reward, child = float(steps.below[at]), float(steps.lower[at])
    below = f"the reward below it is {reward:.6g}, and its child gets {child:.6g}"
    if several_leaves:
        below = f"the rewards below it are {reward:.6g} together, and its children get {child:.6g}"
    finding = found(
        "value-reward", int(steps.iteration[at]), int(steps.node[at]),
        f"{numbers}{text}. In iteration {int(steps.iteration[at]):,} node {int(steps.node[at]):,} gets "
        f"{float(steps.upper[at]):.6g}; {below}",
        share=_share(best), mistake=words if named else None, discount=gamma,
    )  # fmt: skip
    kept = search.meta.watched.value_kind == "mean" and not named and _share(best) < MOSTLY
    other = (
        ". The search keeps these values itself, and hardly any is a mean of returns: so it is where soft values, "
        "bounds or medians are backed up, which can be declared by a name of its own, "
        'policies={"backpropagation": {"name": "…"}}'
    )
    yield finding.as_note(finding.message + other) if kept else finding


def follows_rewards(search: CheckedSearch) -> bool:
    """Whether each node gets the reward of a move and the discounted value of what follows, at all steps: then values
    are means of returns. Of rewards that are known, some of which are not 0."""
    steps = _steps(search) if search.has_rewards and _is_known(search) else None
    if steps is None or len(steps.node) < FEW:
        return False
    gamma = discount_of(search, steps)
    return any(
        bool(_fits(law(steps, each), steps).all())
        for each in _discounts(steps, gamma)
        for law in RIGHT
    )


def _is_known(search: CheckedSearch) -> bool:
    """Whether back-up is that of a mean, by a discount that does not vary, and one number is enough for all players."""
    low, high = search.value_range
    of_mean = search.meta.policies.backpropagation.backup in (None, "mean")
    one_number = search.alone or (low == -high and search.meta.mirrors)
    return search.discount is not None and of_mean and one_number


def _has_own(fits: Sequence[Bools]) -> bool | None:
    """Whether a node's value has the reward of the move into it, where one of the right laws says so and the other one
    does not; fits: of each of `RIGHT` by turns."""
    below, own = (any(bool(each.all()) for each in fits[i::2]) for i in (0, 1))
    return None if below == own else own


def check_half_steps(search: CheckedSearch) -> Iterator[Finding]:
    """A note where chance answers to each move, and values are discounted at the move and at what chance does."""
    told = search.trace.columns.nodes.reward
    rewarded = search.meta.step_rewards or search.has_rewards or "discount" in search.meta
    if not rewarded or not (search.to_move == CHANCE).any():
        return
    rewards = np.zeros(search.N) if told is None else told[: search.N].astype(np.float64)
    steps = _with_rewards(search, rewards)
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


def _discounts(steps: RewardSteps, gamma: float) -> list[Floats]:
    """[S] by which each step may be discounted. Where chance answers to each move, the move into the afterstate, or the
    answer, takes no time."""
    found = [np.full(len(steps.node), gamma)]
    if steps.of_chance.any():
        found += [np.where(timeless, 1.0, gamma) for timeless in (steps.of_chance, steps.to_chance)]
    return found


def _share_with_either_sign(steps: RewardSteps, gamma: float) -> float:
    """Of the steps, those that fit with the reward added or taken off; 0 where those with a reward have nearly all the
    same sign."""
    added = _fits(steps.below + gamma * steps.lower, steps)
    taken = _fits(-steps.below + gamma * steps.lower, steps)
    told = np.abs(steps.below) > ROUNDING * (np.abs(steps.upper) + np.abs(steps.lower))
    if min(_share(added[told]), _share(taken[told])) < SOME:
        return 0.0
    return _share(added | taken)


def includes_own_reward(search: CheckedSearch) -> bool | None:
    """Whether a node's value has the reward of the move into it, as far as the back-up shows it; None: not."""
    steps = _steps(search)
    if steps is None or len(steps.node) < FEW:
        return None
    gamma = discount_of(search, steps)
    below, own = (_share(_fits(law(steps, gamma), steps)) for law in RIGHT)
    return None if max(below, own) < NEARLY_ALL or below == own else own > below


def discount_of(search: CheckedSearch, steps: RewardSteps | None = None) -> float:
    """The declared discount, else the one that the back-up shows, else 1."""
    if "discount" in search.meta and search.discount is not None:
        return search.discount
    steps = _steps(search) if steps is None else steps
    return 1.0 if steps is None else _discount_of(steps)


def _steps(search: CheckedSearch) -> RewardSteps | None:
    """The steps with a known reward that added one visit; None where rewards were not recorded."""
    told = search.trace.columns.nodes.reward
    return None if told is None else _with_rewards(search, told.astype(np.float64))


def _with_rewards(search: CheckedSearch, rewards: Floats) -> RewardSteps | None:
    """The steps that added one visit, with rewards [N] of the moves into the nodes; nan: not known."""
    valueless = search.trace.columns.without_value(search.T)
    depth = search.topology.depth
    parts = []
    for part in search.ranges():
        steps, down = part.steps, steps_down(search, part)
        known = ~np.isnan(rewards[down.child]) & ~np.isin(down.node, valueless)
        at, upper, lower = down.at[known], down.node[known], down.child[known]
        turn = down.turn[known]
        parts.append(
            RewardSteps(
                steps.iteration[at], upper, steps.value[at], turn * steps.value[at + 1],
                rewards[upper], turn * rewards[lower],
                search.to_move[upper] == CHANCE, search.to_move[lower] == CHANCE,
                steps_back(steps.iteration)[at], depth[upper].astype(np.int64),
            )
        )  # fmt: skip
    return RewardSteps(*(np.concatenate(column) for column in zip(*parts))) if parts else None


def _sums(search: CheckedSearch) -> RewardSteps | None:
    """The same where an iteration has several leaves: nodes all of whose visits came through children that were there
    before; None where rewards were not recorded, or where threads leave virtual losses that are not known."""
    columns = search.trace.columns
    in_flight = columns.worker is not None and columns.virtual is None
    if columns.nodes.reward is None or in_flight:
        return None
    rewards = columns.nodes.reward.astype(np.float64)
    valueless = columns.without_value(search.T)
    above_chance = np.zeros(search.N, np.bool_)
    above_chance[search.parent[1:][search.to_move[1 : search.N] == CHANCE]] = True
    parts = []
    for part in search.ranges():
        updates = part.updates
        node, visits, value = updates.node, updates.visits, updates.value
        rewarded = visits * rewards[node]
        turn = np.ones(len(node))
        if not search.alone:
            above = np.maximum(search.parent[node], 0)
            turn[search.mover[node] != search.mover[above]] = -1.0
        new = (search.born[node] == updates.iteration).astype(np.int64)
        use = (children_of(search, part, visits).total == visits) & (visits > 0)
        use &= (children_of(search, part, new).total == 0) & ~np.isin(node, valueless)
        lower = children_of(search, part, turn * value).total
        below = children_of(search, part, turn * rewarded).total
        at = np.flatnonzero(use & ~np.isnan(below))
        parts.append(
            RewardSteps(
                updates.iteration[at], node[at], value[at], lower[at], rewarded[at], below[at],
                search.to_move[node[at]] == CHANCE, above_chance[node[at]],
                np.ones(len(at), np.int64), search.topology.depth[node[at]].astype(np.int64),
            )
        )  # fmt: skip
    return RewardSteps(*(np.concatenate(column) for column in zip(*parts))) if parts else None


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
            ratio = float(np.nanmedian((steps.upper - reward)[use] / steps.lower[use]))
            discounts = np.where(no_time, 1.0, ratio)
            right = _share(_fits(reward + discounts * steps.lower, steps)) >= NEARLY_ALL
            if 0 < ratio <= 1 and right:
                return ratio
    return 1.0


def _fits(due: Floats, steps: RewardSteps) -> Bools:
    size = np.abs(steps.upper) + np.abs(steps.lower) + np.abs(steps.below)
    near: Bools = np.abs(due - steps.upper) <= ROUNDING * size + 1e-9
    return near | (np.isnan(due))


def _share(fits: Bools) -> float:
    return float(fits.mean()) if len(fits) else 0.0
