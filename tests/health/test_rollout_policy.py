"""A rollout policy of the author's own is not random on purpose."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few


def first_legal(state: Any, legal: Sequence[int]) -> int:
    return legal[0]


def last_half(state: Any, legal: Sequence[int]) -> int:
    return legal[-1 - sum(state) % max(1, len(legal) // 2)]


@pytest.mark.parametrize("policy", [first_legal, last_half])
def test_no_alarm_for_a_policy_of_ones_own(policy: Callable[..., int]) -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=1, simulation=policy)
    assert trace.meta.policies.simulation.own
    findings = trace.check()
    assert any(found.check.startswith("simulation-") for found in findings)
    assert [found for found in findings if found.severity != "note"] == []


RANDOM = random.Random(3)


def often_the_first(state: Any, legal: Sequence[int]) -> int:
    return legal[0] if RANDOM.random() < 0.2 else RANDOM.choice(legal)


def near_the_middle(state: Any, legal: Sequence[int]) -> int:
    return legal[(RANDOM.randrange(len(legal)) + RANDOM.randrange(len(legal))) // 2]


def evenly(state: Any, legal: Sequence[int]) -> int:
    return RANDOM.choice(legal)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("policy", "where"),
    few([(often_the_first, "beginning"), (evenly, None), (near_the_middle, "middle")], 2),
)
def test_moves_that_are_not_drawn_evenly_are_noted(
    policy: Callable[..., int], where: str | None
) -> None:
    trace = mv.search("connect_four", iterations=300, seed=1, simulation=policy)
    told = [found.message for found in trace.check() if found.check == "simulation-not-random"]
    if where is None:
        assert told == []
    else:
        assert any(f"nearer the {where} of the list of legal moves" in message for message in told)
