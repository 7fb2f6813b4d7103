"""What a search says that results count."""

import mcts_viz as mv
from tests.health.zoo import STARTS


def named(**scores: float) -> list[str]:
    trace = mv.search("tic_tac_toe", iterations=60, seed=1, start=STARTS["tic_tac_toe"], **scores)
    return [each.check for each in trace.check() if each.severity == "error"]


def test_a_search_that_looks_for_the_way_to_lose_is_named() -> None:
    assert "value-win-below-loss" in named(win=0.0, loss=1.0)
    assert named() == []
    assert named(win=10.0, draw=5.0, loss=-3.0) == []
