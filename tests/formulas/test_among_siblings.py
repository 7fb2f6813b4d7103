"""Selection in which a child's score depends on its siblings."""

import numpy as np

from mcts_viz.formulas.among_siblings import SiblingNumbers, SiblingRule, gumbel_muzero
from mcts_viz.types import Floats


def numbers(
    visits: list[int], mean: list[float], prior: Floats, own_value: float
) -> SiblingNumbers:
    """Of one node below the root, at one moment."""
    column = np.array(prior)[:, None]
    return SiblingNumbers(
        visits=np.array(visits)[:, None], mean=np.array(mean)[:, None], prior=column,
        gumbel=np.full_like(column, np.nan), own_value=own_value, is_root=False,
    )  # fmt: skip


def test_children_that_are_all_tried_and_worth_the_same_have_their_priors_as_improved_policy() -> (
    None
):
    """float32 priors add up to a little less than 1: no untried move is left for the rest."""
    prior = np.float32([0.7, 0.2, 0.1 - 1e-7]).astype(np.float64)
    assert prior.sum() < 1
    of = numbers([3, 1, 1], [0.0, 0.0, 0.0], prior, own_value=0.25)
    improved, spent = gumbel_muzero(SiblingRule(actions=3), of)
    np.testing.assert_allclose(improved[:, 0], prior, rtol=1e-6)
    np.testing.assert_allclose(spent[:, 0], [-3 / 6, -1 / 6, -1 / 6])


def test_an_untried_move_has_its_share_of_the_improved_policy() -> None:
    of = numbers([3, 1], [0.0, 0.0], np.array([0.5, 0.25]), own_value=0.0)
    improved, _ = gumbel_muzero(SiblingRule(actions=3), of)
    np.testing.assert_allclose(improved[:, 0], [0.5, 0.25])
