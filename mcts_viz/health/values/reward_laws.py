"""What a node gets of the reward of a move and of what its child gets: laws that mistakes make."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mcts_viz.health.values.powers import POWERS
from mcts_viz.health.values.reward_steps import RewardSteps
from mcts_viz.types import Bools, Floats

ROUNDING = 1e-4  # of the magnitudes: searches count in float32, too
SO_FAR = (
    "each node gets the sum of the rewards on the way from the root to it (a prefix), and not of those from it on: "
    "what comes after a move never reaches its node, and a child of the root gets its own reward alone"
)
DOWN = "the path is gone through from the root down, so that a node gets the rewards above it"
WRONG_SIGN = "rewards have the wrong sign"
WRONG_SIGN_OR = (
    " (or, which looks the same without a discount: the path is gone through from the root down, and a node gets what "
    "the leaf is worth and the rewards on the way to the node, not those from it on)"
)
ALONE = "a node gets the reward of one move alone, and what comes after it never counts: Δnode = "

Law = Callable[[RewardSteps, float | Floats], Floats]


def _law_of_power(words: str, own: bool) -> Law:
    power = POWERS[words]
    return lambda steps, gamma: (
        (steps.own if own else steps.below) + gamma ** power(steps.back, steps.depth) * steps.lower
    )


def _from_root(steps: RewardSteps, due: Floats) -> Floats:
    """[S] what is due, where a path begins with nothing at the root, or the own reward of its child; inf where not."""
    begins = np.where(steps.depth == 0, 0.0, np.nan_to_num(steps.own))
    off = np.abs(due - begins) > ROUNDING * (np.abs(steps.lower) + np.abs(begins)) + 1e-9
    return np.where((steps.depth <= 1) & off, np.inf, due)


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
    "returns are discounted from the root on, γ^t with t counted there, and not from the node on: Δnode = "
    "γ^depth·reward + Δchild": lambda steps, gamma: gamma**steps.depth * steps.below + steps.lower,
    "returns are discounted from the root on, and not from the node on, with the node's own reward": lambda s, gamma: (
        gamma ** np.maximum(s.depth - 1, 0) * s.own + s.lower
    ),
    "the discount stands at the reward, and not at what comes after it: γ·reward + Δchild": lambda steps, gamma: (
        gamma * steps.below + steps.lower
    ),
    "the discount stands at the reward, and not at what comes after it, with the node's own reward": lambda s, gamma: (
        gamma * s.own + s.lower
    ),
    "what a new node is worth is not discounted at its first visit, and is at all later ones: reward + "
    "Δchild": lambda s, gamma: s.below + np.where(s.is_new, 1.0, gamma) * s.lower,
    # before the wrong sign, which looks the same at γ = 1 where it is not asked how the path begins
    f"{SO_FAR}: Δchild = γ·Δnode + the child's reward": lambda steps, gamma: _from_root(
        steps, (steps.lower - steps.below) / (gamma or np.nan)
    ),
    f"{SO_FAR}, of which each is discounted from the root on": lambda steps, gamma: _from_root(
        steps, steps.lower - gamma**steps.depth * steps.below
    ),
    WRONG_SIGN: lambda steps, gamma: gamma * steps.lower - steps.below,
    "rewards are counted twice": lambda steps, gamma: 2 * steps.below + gamma * steps.lower,
    f"{DOWN}: Δchild = the node's own reward + γ·Δnode": lambda steps, gamma: (
        (steps.lower - steps.own) / (gamma or np.nan)
    ),
    f"{DOWN}, and its own: Δchild = its own reward + γ·Δnode": lambda steps, gamma: (
        (steps.lower - steps.below) / gamma if 0 < gamma < 1 else np.full(steps.n, np.inf)
    ),
    f"{ALONE}reward": lambda steps, gamma: steps.below,
    f"{ALONE}its own reward": lambda steps, gamma: steps.own,
    **{
        f"values are discounted by γ^i, not by γ at each step: {words}{of_own}": _law_of_power(
            words, bool(of_own)
        )
        for words in POWERS
        for of_own in ("", ", with the node's own reward")
    },
}


def fits(due: Floats, steps: RewardSteps) -> Bools:
    size = np.abs(steps.upper) + np.abs(steps.lower) + np.abs(steps.below)
    near: Bools = np.abs(due - steps.upper) <= ROUNDING * size + 1e-9
    return near | (np.isnan(due))
