"""Each mistake is found, as an error or a warning, under a name that leads to it."""

from collections.abc import Callable

import pytest

import mcts_viz as mv
from tests.health.faulty import cases
from tests.variants import one_game_each

LIKE_CORRECT_ONES = (
    "simulation-repeats",
)  # a fixed seed and a rollout that its position decides end alike


@pytest.mark.parametrize(("name", "checks", "record"), one_game_each(cases(), 2))
def test_a_mistake_is_found_under_its_name(
    name: str, checks: tuple[str, ...], record: Callable[[int], mv.Trace]
) -> None:
    findings = record(1).check()
    serious = [
        finding.check
        for finding in findings
        if finding.severity != "note" or finding.check in LIKE_CORRECT_ONES
    ]
    assert set(checks) & set(serious), [str(finding) for finding in findings]
