"""What the author of a search declares stands in the trace, and is checked for sense."""

from typing import Any

import pytest

import mcts_viz as mv
from tests.health.unusual import START, Puct, Rules, Search, watched


def recorded(kind: type[Search], **told: Any) -> mv.Trace:
    return watched(kind(Rules("tic_tac_toe", START["tic_tac_toe"]), 1), 200, **told)


def test_declared_policies_stand_in_the_metadata() -> None:
    trace = recorded(
        Puct, prior="P", selection="puct", c=1.5, unvisited="loss", n="children",
        backup="mean", final_move="highest_mean",
    )  # fmt: skip
    assert dict(trace.meta["policies"])["selection"] == {
        "name": "puct", "c": 1.5, "unvisited": -1.0, "n": "children",
    }  # fmt: skip
    assert trace.meta["policies"]["backpropagation"] == {"backup": "mean"}
    assert trace.at(200).final_move == "highest_mean"


def test_any_name_of_a_rule_may_be_declared() -> None:
    trace = recorded(Search, selection="rave")
    assert trace.meta["policies"]["selection"] == {"name": "rave"}
    (rule,) = (finding for finding in trace.check() if finding.check == "selection-rule")
    assert "rave" in rule.message


def test_scores_that_our_formula_would_get_wrong_are_not_shown() -> None:
    own = recorded(Puct, prior="P", selection="puct", c=1.5, unvisited=0)
    other = recorded(Puct, prior="P", selection="puct", c=1.5, unvisited=0, n="children")
    assert own.meta.formula is not None
    assert other.meta.formula is None


@pytest.mark.parametrize(
    ("told", "part"),
    [
        ({"c": 1.4}, "name it as well"),
        ({"unvisited": 0.0}, "name it as well"),
        ({"selection": "ucb1"}, "give the exploration weight"),
        ({"selection": "ucb1", "c": "much"}, "give the exploration weight"),
        ({"selection": 7}, "is no name"),
        ({"selection": "puct", "c": 1, "unvisited": "never"}, "choose one of: first, parent"),
        ({"selection": "puct", "c": 1, "unvisited": [0]}, "neither a number"),
        ({"selection": "puct", "c": 1, "n": "siblings"}, "choose one of: parent, children"),
        ({"backup": "median"}, "choose one of: mean, max, minimax"),
        ({"final_move": ""}, "is no name"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(told: dict[str, Any], part: str) -> None:
    with pytest.raises(mv.SearchError, match=part):
        recorded(Search, **told)
