"""A finding that is accepted, with a reason, stays visible and does not count."""

import json
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.health.acceptance import accepted_file, read_baseline, write_baseline
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.certainty import ALARMS, INFERRED, NOT_COUNTED, alarm_rate, certainty
from mcts_viz.testing import assert_healthy
from mcts_viz.web.routes.accepted_file import accept, accepted_of, take_back, with_reasons

REASON = "as in the paper"


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faulty") / "run.mcts"
    mv.search("tic_tac_toe", "rhu2001", iterations=300, seed=1, path=path)
    return path


def test_an_accepted_finding_stays_and_has_its_reason(faulty: Path) -> None:
    trace = mv.open(faulty)
    first, *others = trace.check(accept={"value-one-side": REASON})
    assert (first.check, first.severity, first.accepted) == ("value-one-side", "error", REASON)
    assert str(first).endswith(f"[accepted: {REASON}]")
    assert {other.accepted for other in others} <= {None}
    assert [one.check for one in trace.check()] == [first.check, *(one.check for one in others)]


@pytest.mark.parametrize(
    ("accept", "message"),
    [
        ({"value-onside": "x"}, "there is no check 'value-onside' to accept findings of"),
        ({"value-one-side": " "}, "the reason for accepting value-one-side is ' '; write one"),
        (["value-one-side"], "is no dict; write the name of a check with the reason"),
    ],
)
def test_what_cannot_be_accepted_is_said(
    faulty: Path, accept: dict[str, str], message: str
) -> None:
    with pytest.raises(mv.TraceError, match=message):
        mv.open(faulty).check(accept=accept)


@pytest.mark.thorough
def test_a_baseline_is_written_and_read(
    faulty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "base.json"
    assert cli.main(["check", str(faulty)]) == 1
    write = ["--write-baseline", str(baseline), "--reason", REASON]
    assert cli.main(["check", str(faulty), *write]) == 0
    assert read_baseline(baseline) == {"value-one-side": REASON}
    assert "write your reasons" not in capsys.readouterr().out
    assert cli.main(["check", str(faulty), "--baseline", str(baseline)]) == 0
    told = capsys.readouterr().out
    assert f"[accepted: {REASON}]" in told
    assert "how sure: " in told
    assert "0 errors, 0 warnings" in told
    assert "1 accepted" in told
    assert cli.main(["check", str(faulty), "--baseline", str(baseline), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["accepted"] == REASON
    trace = mv.open(faulty)
    assert_healthy(trace, baseline=baseline)
    assert_healthy(trace, accept={"value-one-side": REASON})
    with pytest.raises(AssertionError, match="value-one-side"):
        assert_healthy(trace)


def test_the_file_is_named_by_either_option_and_keeps_what_it_has(
    faulty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_baseline("base.json", {"selection-untried": "widening"})
    assert cli.main(["check", "--baseline", "base.json", "--write-baseline", str(faulty)]) == 0
    assert set(read_baseline("base.json")) == {"selection-untried", "value-one-side"}
    assert cli.main(["check", str(faulty), "--write-baseline"]) == 0
    assert set(read_baseline("mcts-baseline.json")) == {"value-one-side"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "the baseline cannot be read: No such file"),
        ("{", "the baseline is not JSON"),
        ('{"kind": "notes"}', "no baseline: its kind is not 'accepted findings'"),
        ('{"kind": "accepted findings", "format_version": 9}', "format version 9"),
        (
            '{"kind": "accepted findings", "format_version": 1, "accepted": {"x": "y"}}',
            "base.json: there is no check 'x'",
        ),
    ],
)
def test_a_bad_baseline_is_one_line(
    faulty: Path,
    tmp_path: Path,
    text: str | None,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "base.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert cli.main(["check", str(faulty), "--baseline", str(path)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.thorough
def test_the_page_keeps_reasons_beside_the_trace(
    faulty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "run.mcts"
    trace.write_bytes(faulty.read_bytes())
    findings = mv.open(trace).check()
    accept(trace, "value-one-side", REASON)
    accept(trace, "selection-untried", "widening")
    assert accepted_file(trace).name == "run.accepted.json"
    assert with_reasons(findings, trace)[0].accepted == REASON
    assert cli.main(["check", str(trace)]) == 1
    assert "run.accepted.json counts what was accepted on the page" in capsys.readouterr().out
    assert cli.main(["check", str(trace), "--baseline", str(accepted_file(trace))]) == 0
    take_back(trace, "value-one-side")
    take_back(trace, "selection-untried")
    assert not accepted_file(trace).exists()
    accepted_file(trace).write_text("{", encoding="utf-8")
    with pytest.raises(mv.PageError, match="not JSON"):
        accept(trace, "value-one-side", REASON)
    with pytest.raises(mv.PageError):
        accepted_of(trace)
    assert list(with_reasons(findings, trace)) == findings


def test_each_finding_says_how_sure_it_is(faulty: Path) -> None:
    error, *_ = mv.open(faulty).check()
    assert "false alarms in" in error.certainty
    assert certainty("visits-root", "error") == "exact: no correct search does this"
    assert alarm_rate("visits-root") == 0
    for check in CHECKS:
        rate = alarm_rate(check)
        assert (rate is None) == (check in NOT_COUNTED)
        assert 0 <= (rate or 0) < 0.05
    assert set(NOT_COUNTED) <= set(CHECKS)
    assert set(ALARMS) <= {check for check in CHECKS if check.startswith(INFERRED)}


def test_a_check_younger_than_the_count_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcts_viz.health.certainty.NOT_COUNTED", ("selection-scale",))
    assert "not counted" in certainty("selection-scale", "warning")
    assert alarm_rate("selection-scale") is None
    assert "false alarms in" in certainty("selection-rule", "warning")
