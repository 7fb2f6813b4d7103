"""A correct plain UCT is healthy, and each mistake in it is named."""

from collections.abc import Sequence

import pytest

from tests.health.zoo import STARTS, ZOO, recorded
from tests.variants import few, in_turn

SEEDS = (1, 2, 3)
every_game = pytest.mark.parametrize("name", STARTS)


@every_game
@pytest.mark.parametrize("seed", few(SEEDS))
def test_a_correct_search_is_healthy(name: str, seed: int) -> None:
    findings = recorded(name, seed=seed).check()
    assert [finding.severity for finding in findings if finding.severity != "note"] == []
    (rule,) = (finding for finding in findings if finding.check == "selection-rule")
    assert rule.evidence["rule"] == "UCB1"
    assert 1.3 < rule.evidence["c_low"] <= 1.4 <= rule.evidence["c_high"] < 1.5


@pytest.mark.parametrize(("mistake", "name"), in_turn(ZOO, STARTS, 3))
@pytest.mark.parametrize("seeds", few([SEEDS[:1], [*SEEDS[1:]]]), ids=["one seed", "more seeds"])
def test_a_mistake_is_named_and_no_error_misleads(
    name: str, mistake: str, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        findings = recorded(name, mistake, seed).check()
        assert ZOO[mistake] in [finding.check for finding in findings]
        others = [finding for finding in findings if finding.check != ZOO[mistake]]
        assert [str(finding) for finding in others if finding.severity != "note"] == []
