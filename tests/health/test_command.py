"""The command `check`, `assert_healthy`, and what a finding tells."""

import json
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.testing import assert_healthy
from tests.health.zoo import recorded


def test_a_healthy_trace_gives_exit_code_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcts"
    mv.search("tic_tac_toe", iterations=300, seed=1, path=path)
    assert cli.main(["check", str(path)]) == 0
    told = capsys.readouterr().out
    assert "UCB1 with the declared c = 1.4" in told
    assert "300 iterations; 0 errors, 0 warnings, 1 note" in told


def test_an_error_gives_exit_code_1_and_says_what_causes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcts"
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=path)
    assert cli.main(["check", str(path)]) == 1
    assert "usually: Only wins of the searching player are credited" in capsys.readouterr().out
    assert cli.main(["check", str(path), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)
    assert (findings[0]["check"], findings[0]["severity"]) == ("value-one-side", "error")
    assert set(findings[0]) == {
        "check", "severity", "iteration", "node", "message", "evidence", "verifies", "cause", "confirm",
        "accepted", "certainty",
    }  # fmt: skip


def test_a_move_that_the_rule_does_not_give_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcts"
    trace = mv.search("tic_tac_toe", iterations=300, seed=1, path=path)
    best = trace.best_action
    assert best is not None
    assert cli.main(["check", str(path), "--played", str(best)]) == 0
    assert cli.main(["check", str(path), "--played", str((best + 1) % 9)]) == 1
    assert "choice-final-move" in capsys.readouterr().out


@pytest.mark.thorough
def test_assert_healthy_lists_what_is_wrong() -> None:
    assert_healthy(mv.search("tic_tac_toe", iterations=200, seed=1))
    faulty = recorded("tic_tac_toe", "argmin", iterations=200)
    with pytest.raises(AssertionError, match=r"selection-argmin[^$]*usually: `min` in place"):
        assert_healthy(faulty)
    assert_healthy(faulty, allowed=["selection-argmin"])
    assert_healthy(faulty, worst="error")
    with pytest.raises(mv.TraceError, match="severities are error, warning, note"):
        assert_healthy(faulty, worst="bad")


def test_a_trace_without_iterations_and_a_snapshot_have_nothing_wrong(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=50, seed=1)
    trace.at(50).to_json(tmp_path / "snap.json")
    found = mv.open(tmp_path / "snap.json").check()
    assert [finding.check for finding in found if finding.severity != "note"] == []
