"""What `python -m benchmarks hardening` measures holds: in small here, with all kills in make test-thorough."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.hardening import KILLS, MOST_LOST, MOST_MEMORY, kills
from benchmarks.hardening.attacks import let_in
from benchmarks.hardening.bombs import bombs
from benchmarks.hardening.kills import KINDS, killed
from benchmarks.hardening.load import under_load
from tests.indexed import in_memory

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
BUSY = 2.0  # seconds more that other tests on the machine may take from a recording


@needs_fork
def test_a_killed_recording_opens_and_has_lost_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "LATEST", 0.4)
    for kind in ("foreign", "ours"):
        for kill in killed(kind, 2, tmp_path):
            assert kill.opened
            assert kill.lost < MOST_LOST + BUSY


@needs_fork
@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tenth", range(10))
def test_200_killed_recordings_open_and_have_lost_little(
    kind: str, tenth: int, tmp_path: Path
) -> None:
    found = killed(kind, -(-KILLS // len(KINDS) // 10), tmp_path, seed=tenth)
    assert all(kill.opened for kill in found)
    assert max(kill.lost for kill in found) < MOST_LOST + BUSY


@in_memory
def test_no_attack_on_the_page_gets_in(tmp_path: Path) -> None:
    failed, attacks = let_in(tmp_path)
    assert failed == 0
    assert attacks > 80


def test_no_request_fails_while_many_others_never_end(tmp_path: Path) -> None:
    failed, asked, _ = under_load(tmp_path, half_open=100, requests=30)
    assert (failed, asked) == (0, 30)


@pytest.mark.thorough
def test_bombs_are_refused_in_little_memory(tmp_path: Path) -> None:
    refused, tried, peak = bombs(tmp_path)
    assert refused == tried
    assert peak < MOST_MEMORY
