"""Selection terms where a child's score depends on its siblings (MuZero, Gumbel MuZero): node by node, for all its
children together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mcts_viz.formulas.among_siblings import SIBLING_RULES, SiblingNumbers
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.types import Floats, Numbers

GUMBEL = "gumbel"  # number of a node: the noise of the root's move into it
EVALUATION = (
    "evaluation"  # number of a node: the evaluator's value of it, view of the player to move there
)


def sibling_numbers(
    meta: TraceMeta, told: Mapping[str, Floats], reward: npt.NDArray[np.float32] | None, parent: int,
    children: Numbers, prior: npt.NDArray[np.float32], visits: npt.NDArray[np.int32], value_sum: Floats,
) -> SiblingNumbers:  # fmt: skip
    """For the k children of one node: the recorded numbers by name, rewards of the moves into all nodes [N] (None: a
    value has that of its move), and [k, P] visits and value sums of the children, view of the player to move at the
    parent. With rewards Q is reward + γ·mean, unknown where γ varies from node to node."""
    nothing = np.full(int(max(children.max(), parent)) + 1, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = value_sum / visits
    if reward is not None:
        discount = np.nan if meta.discount is None else float(meta.discount)
        mean = np.nan_to_num(reward[children].astype(np.float64))[:, None] + discount * mean
    return SiblingNumbers(
        visits=visits.astype(np.int64),
        mean=mean,
        prior=prior.astype(np.float64)[:, None],
        gumbel=told.get(GUMBEL, nothing)[children][:, None],
        own_value=float(told.get(EVALUATION, nothing)[parent]),
        is_root=parent == 0,
    )


def sibling_terms(meta: TraceMeta, of: SiblingNumbers) -> tuple[Floats, Floats]:
    """[k, P] value and exploration terms by the trace's own rule."""
    selection = meta.policies.selection
    assert selection.siblings is not None
    with np.errstate(invalid="ignore"):
        return SIBLING_RULES[selection.name or ""](selection.siblings.rule, of)
