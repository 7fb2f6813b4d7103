"""The command line: what each command writes and says, and how it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz import cli
from tests.indexed import in_memory

SECONDS = 60


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a folder of its own to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(*more: str) -> int:
    return cli.main(["record", "tic_tac_toe", "-o", "run.mcts", "--seed", "1", *more])


def test_record_runs_the_search_that_was_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert record("--iterations", "300", "--start", "b2, 0", "--c", "0.5", "--loss", "-1") == 0
    trace = mv.open("run.mcts")
    asked = mv.search("tic_tac_toe", iterations=300, seed=1, start=[4, "a3"], c=0.5, loss=-1)
    assert trace.at(300).visits.tolist() == asked.at(300).visits.tolist()
    assert trace.meta["policies"] == asked.meta["policies"]
    assert trace.meta["start"] == [4, 0]
    best = trace.at(300).ranked_children()[0]
    assert capfd.readouterr() == (
        f"run.mcts: 300 iterations, {trace.n_nodes} nodes; would play {trace.best_action_name} "
        f"({trace.at(300).visits[best]} visits), chosen by most visits. Look at it: python -m mcts_viz show run.mcts\n",
        "",
    )


def test_record_takes_a_formula_and_a_rule_and_says_the_rule(
    capfd: pytest.CaptureFixture[str],
) -> None:
    policies = ["--selection", "ucb1_double_log", "--final-move", "secure"]
    assert record("--iterations", "300", *policies) == 0
    trace = mv.open("run.mcts")
    asked = mv.search(
        "tic_tac_toe", iterations=300, seed=1, selection="ucb1_double_log", final_move="secure"
    )
    assert trace.at(300).visits.tolist() == asked.at(300).visits.tolist()
    assert trace.meta["policies"] == asked.meta["policies"]
    assert trace.meta["policies"]["selection"]["name"] == "ucb1_double_log"
    assert trace.meta["policies"]["final_move"] == {"name": "secure"}
    said = capfd.readouterr().out
    assert f"would play {trace.best_action_name} (" in said
    assert "visits), chosen by highest lower bound. Look at it" in said


def test_record_can_be_silent_and_leave_rollouts_out(capfd: pytest.CaptureFixture[str]) -> None:
    assert record("--iterations", "50", "--quiet", "--no-rollouts") == 0
    assert capfd.readouterr() == ("", "")
    assert mv.open("run.mcts").iteration(1).rollout is None


@pytest.mark.parametrize("suffix", [".json", ".graphml", ".csv", ".svg"])
def test_export_writes_what_the_api_writes(suffix: str, folder: Path) -> None:
    record("--iterations", "100", "--quiet")
    assert cli.main(["export", "run.mcts", "--at", "40", "-o", f"cli{suffix}"]) == 0
    mv.open("run.mcts").at(40).export(f"api{suffix}")
    assert (folder / f"cli{suffix}").read_bytes() == (folder / f"api{suffix}").read_bytes()


def test_export_takes_the_last_iteration_unless_told(capfd: pytest.CaptureFixture[str]) -> None:
    record("--iterations", "100", "--quiet")
    assert cli.main(["export", "run.mcts", "-o", "a.csv"]) == 0
    assert capfd.readouterr().out == "a.csv: 101 nodes at iteration 100\n"


def test_export_writes_the_html_that_the_api_writes(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record("--iterations", "100", "--quiet")
    assert cli.main(["export", "run.mcts", "--at", "40", "-o", "a.html"]) == 0
    size = (folder / "a.html").stat().st_size / 1e6
    assert capfd.readouterr().out == f"a.html: steps by itself in any browser, {size:.1f} MB\n"
    assert b"<!doctype html>" in (folder / "a.html").read_bytes()[:40]


@in_memory
def test_export_of_a_png_without_a_browser_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    record("--iterations", "100", "--quiet")
    monkeypatch.setenv("PATH", str(folder))
    assert cli.main(["export", "run.mcts", "-o", "a.png"]) == 2
    said = capfd.readouterr().err
    assert "a PNG is made by Chrome or Chromium, and there is none on this machine" in said
    assert "export an .svg" in said
    assert sorted(path.name for path in folder.iterdir()) == ["run.mcts"]


def test_explain_says_what_the_api_says(capfd: pytest.CaptureFixture[str]) -> None:
    record("--iterations", "100", "--quiet")
    trace = mv.open("run.mcts")
    told = trace.explain(60, 0, "b2")
    assert cli.main(["explain", "run.mcts", "--at", "60", "--why-not", "b2"]) == 0
    verdict, words = capfd.readouterr().out.split("\n\n", 1)
    assert words.split() == str(told).split()
    assert verdict.startswith("a3 leads so far. Whether it is right is not known")
    assert cli.main(["explain", "run.mcts", "--at", "60", "--why-not", "b2", "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data.pop("verdict")["move"] == "a3"
    assert data == json.loads(json.dumps(told.as_json()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["record", "go", "-o", "a.mcts"], "game 'go' is not known; choose one of: tic_tac_toe"),
        (
            ["record", "tic_tac_toe", "-o", "a.mcts", "--selection", "ucb2"],
            "selection = 'ucb2' is not known; choose one of: ucb1, ucb1_double_log",
        ),
        (
            ["record", "tic_tac_toe", "-o", "a.mcts", "--final-move", "max"],
            "choose one of: most_visits, highest_mean, highest_total, robust_max, secure",
        ),
        (["record", "tic_tac_toe", "-o", "no/a.mcts"], "no/a.mcts: the trace cannot be written"),
        (["export", "no.mcts", "-o", "a.json"], "no.mcts: there is no such file"),
        (
            ["export", "run.mcts", "--at", "101", "-o", "a.csv"],
            "iteration 101 is not in this trace",
        ),
        (
            ["export", "run.mcts", "--at", "101", "-o", "a.html"],
            "iteration 101 is not in this trace",
        ),
        (["export", "run.mcts", "-o", "no/a.html"], "the folder of no/a.html does not exist"),
        (
            ["export", "run.mcts", "-o", "a.pdf"],
            "use one of: .json, .graphml, .csv, .svg, .png",
        ),
        (["explain", "run.mcts", "--why-not", "z9"], "--why-not 'z9' is not a move here"),
        (
            ["export", "run.mcts", "-o", "x.xyz"],
            ".svg, .png (a snapshot), .ndjson (the whole trace), .html",
        ),
        (
            ["export", "run.mcts", "-o", "x"],
            "-o x: the suffix chooses the format, and it has none; use one of: .json",
        ),
        (
            ["export", "run.mcts", "-o", "x.xyz"],
            "-o x.xyz: the suffix chooses the format, and .xyz is not known; use one of: .json",
        ),
        (["record", "tic_tac_toe", "--c", "abc", "-o", "a.mcts"], "--c abc: give a number"),
        (
            ["sensitivity", "run.mcts", "--c", "1,abc"],
            "--c abc: give a number, or several with commas between",
        ),
        (
            ["record", "tic_tac_toe", "--n-rollouts", "1.5", "-o", "a.mcts"],
            "1.5: give a whole number",
        ),
        (["explain", "run.mcts", "--node", "500"], "node 500 is not in the tree"),
        (["show", "no.mcts"], "no.mcts: there is no such file or folder"),
        (["show", "run.mcts", "--port", "99999"], "99999 is not a port; choose one from 1 to"),
    ],
)
def test_an_error_is_one_line_and_code_2(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    record("--iterations", "100", "--quiet")
    assert cli.main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("mcts-viz: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "said"),
    [(("--sync", "abc"), "--sync abc: give a number"), (("--seed", "1.5"), "--seed 1.5: give a whole number")],
)  # fmt: skip
def test_a_wrong_number_is_one_line_too(
    option: tuple[str, str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        record(*option)
    assert ended.value.code == 2
    assert capfd.readouterr().err == f"mcts-viz: {said}\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("explain run.mcts --memory 0", "--memory 0: give a whole number from 1 up"),
        ("show run.mcts --max-upload -5", "--max-upload -5: give a whole number from 1 up"),
        ("show run.mcts --number -1", "--number -1: give a whole number from 0 up"),
        ("extract run.many -o a.mcts -- -1", "NUMBER -1: give a whole number from 0 up"),
        ("truth run.mcts --limit 0", "--limit 0: give a whole number from 1 up"),
        ("sensitivity tic_tac_toe --seeds 0", "--seeds 0: give a whole number from 1 up"),
        ("sensitivity tic_tac_toe --seeds x", "--seeds x: give a whole number"),
        ("fleet build . --truth -5", "--truth -5: give a whole number from 0 up"),
        ("fleet diff . . --top -1", "--top -1: give a whole number from 0 up"),
    ],
)
def test_a_number_that_is_too_small_is_one_line_too(
    command: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(command.split())
    assert ended.value.code == 2
    assert capfd.readouterr().err == f"mcts-viz: {said}\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rerun run.mcts -o ./run.mcts --c 3", "./run.mcts: would be read and written at once"),
        ("sensitivity tic_tac_toe --jobs 0", "jobs=0 is no number of processes; write 1 or more"),
        (
            "sensitivity run.mcts --start b2",
            "a trace's searches begin where it began; leave it out",
        ),
        ("check run.mcts --reason why", "--reason is for --write-baseline; add that, or leave"),
        ("check run.mcts --played z9", "--played 'z9' is not a move here; give the name or the"),
        ("check run.mcts --baseline run.mcts", "no baseline, as it is not a text; name another"),
        (
            "bench run.mcts",
            "run.mcts: not a suite, as it is not a text; docs/bench.md has an example",
        ),
        (
            "show run.mcts --number 3",
            "number 3: is of a search in a file of many (.many), and none",
        ),
        (
            "fleet ask . blunders -o a.png",
            "-o a.png: the picture is an HTML file; name one such as",
        ),
        (
            "play tic_tac_toe --against uct --games 2 --openings run.mcts",
            "--openings run.mcts: is not a text; give a text file of openings",
        ),
        (
            "play tic_tac_toe --against uct --games 2 --openings no.txt",
            "--openings no.txt: cannot be read: No such file or directory; check the name",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    command: str, said: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record("--iterations", "60", "--quiet")
    before = (folder / "run.mcts").read_bytes()
    assert cli.main(command.split()) == 2
    refused = capfd.readouterr().err
    assert refused.startswith("mcts-viz: ")
    assert refused.count("\n") == 1
    assert said in refused
    assert (folder / "run.mcts").read_bytes() == before


def test_the_move_that_was_played_is_given_by_its_name_or_its_action_id(
    capfd: pytest.CaptureFixture[str],
) -> None:
    record("--iterations", "60", "--quiet")
    trace = mv.open("run.mcts")
    assert cli.main(["check", "run.mcts", "--played", str(trace.best_action_name)]) == 0
    last = trace.at(60)
    other = last.label(min(last.children(0), key=lambda node: last.visits[node]))
    assert cli.main(["check", "run.mcts", "--played", other]) == 1
    assert f"choice-final-move (iteration 60): {other} was played" in capfd.readouterr().out
    assert cli.main(["check", "run.mcts", "--played", str(trace.best_action)]) == 0


def test_a_game_without_rules_is_not_said_to_be_solved_by_an_option(
    capfd: pytest.CaptureFixture[str],
) -> None:
    Path("in.ndjson").write_text('{"new_nodes": [{"parent": 0}], "outcome": 1}\n', "utf-8")
    assert cli.main(["import", "in.ndjson", "-o", "run.mcts"]) == 0
    assert cli.main(["explain", "run.mcts"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "is not known: the trace does not say which game it is." in said
    assert "--truth" not in said


def test_a_small_index_says_its_size(capfd: pytest.CaptureFixture[str]) -> None:
    record("--iterations", "60", "--quiet")
    assert cli.main(["index", "run.mcts"]) == 0
    size = Path("run.mcts.index").stat().st_size
    assert f"run.mcts.index: {size / 1_000:,.0f} kB; traces of" in capfd.readouterr().out


def test_the_help_says_once_what_none_means(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["record", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "none: such a child comes first --ties" in said
    assert "sum of a node in which the opponent wins at once; none: no such rule --" in said


def test_nothing_accepted_asks_for_no_reasons(capfd: pytest.CaptureFixture[str]) -> None:
    record("--iterations", "60", "--quiet")
    assert cli.main(["check", "run.mcts", "--write-baseline"]) == 0
    assert capfd.readouterr().out.endswith("mcts-baseline.json: 0 checks accepted\n")


def test_one_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "tic_tac_toe", "--iterations", "1", "-o", "one.mcts"]) == 0
    assert cli.main(["check", "one.mcts"]) == 0
    told = capsys.readouterr().out
    assert "one.mcts: 1 iteration, 2 nodes; would play" in told
    assert "(1 visit)" in told
    assert "one.mcts: 1 iteration; 0 errors" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "in.ndjson: empty, so there is nothing to import"),
        ("My search 1.0\n", "no event in it: it begins with 'My search 1.0'"),
    ],
)
def test_an_input_without_events_is_said_to_be_one(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in.ndjson").write_text(text, encoding="utf-8")
    assert cli.main(["import", "in.ndjson", "-o", "out.mcts"]) == 2
    assert said in capsys.readouterr().err


def test_an_input_of_metadata_alone_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.ndjson").write_text('{"format_version": 1}\n', encoding="utf-8")
    assert cli.main(["import", "in.ndjson", "-o", "out.mcts"]) == 0
    assert "0 iterations, 1 node (the input holds no event" in capsys.readouterr().out


def test_without_being_installed_it_is_called_by_its_module() -> None:
    command = [sys.executable, "-m", "mcts_viz", "record", "tic_tac_toe", "-o", "a.mcts"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    finished = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert "Look at it: python -m mcts_viz show a.mcts" in finished.stdout


@pytest.mark.skipif(os.name != "posix", reason="sends the signal of Ctrl+C")
def test_ctrl_c_stops_a_recording_with_the_best_move_so_far(folder: Path) -> None:
    command = [sys.executable, "-m", "mcts_viz", "record", "tic_tac_toe", "-o", "a.mcts"]
    with subprocess.Popen(
        [*command, "--seconds", "600"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a job in the background would hand down that it ignores the signal
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not _has_iterations(folder / "a.mcts"):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    trace = mv.open("a.mcts")
    assert trace.complete
    assert f"would play {trace.best_action_name} " in out
    assert "stopped before its budget was used up" in out


def test_a_search_that_visits_no_move_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["record", "connect_four", "--preset", "alphazero", "--iterations", "1"]
    assert cli.main([*arguments, "-o", "a.mcts"]) == 0
    assert "no move was visited, so there is none to play" in capfd.readouterr().out


def _has_iterations(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0 and mv.open(path).n_iterations > 0
