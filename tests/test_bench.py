"""`mcts-viz bench`: the sample's suite, a search with a mistake, a command, a commit, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.cli import main

ROOT = Path(__file__).parent.parent
Captured = pytest.CaptureFixture[str]
SUITE = """
game = "tic_tac_toe"
search = "{search}"
seeds = [1]
iterations = [60]
truth = 0
{more}
[[positions]]
name = "start"
[[positions]]
name = "win"
moves = ["a3", "a2", "b3", "b2"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With the sample, to stand in."""
    for name in ("my_search.py", "suite.toml"):
        shutil.copy(ROOT / "samples/bench" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def no_module_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("my_search", "faulty", "bare"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def suite(search: str = "my_search:make_search", more: str = "") -> str:
    Path("s.toml").write_text(SUITE.format(search=search, more=more), encoding="utf-8")
    return "s.toml"


def faulty(place: str, change: str) -> str:
    """The sample's search with a change in its code."""
    code = Path("my_search.py").read_text(encoding="utf-8")
    assert place in code
    Path("faulty.py").write_text(code.replace(place, change), encoding="utf-8")
    return suite("faulty:make_search")


def test_the_sample_is_measured_and_the_same_each_time(capsys: Captured) -> None:
    assert main(["bench", "suite.toml", "-o", "before.many"]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines[0] == "suite.toml: 3 positions × 2 seeds × 2 budgets of my_search:make_search"
    assert lines[1].split("  ")[0] == "iterations"
    assert [line.split()[:2] for line in lines[2:4]] == [["100", "6"], ["400", "6"]]
    assert "100.0%" in lines[3]  # 400 iterations find the best move everywhere
    assert re.search(r"^Bench: [0-9A-F]{8}$", said, re.MULTILINE)
    assert "Bench: D911F10E" in said  # the same on each machine
    assert lines[-1] == "12 searches in before.many"
    assert len(mv.ManyTraces("before.many")) == 12
    assert main(["bench", "suite.toml", "--against", "before.many"]) == 0
    assert "no difference from before.many in 12 searches" in capsys.readouterr().out


def test_another_search_is_told_with_its_first_difference_and_a_page(capsys: Captured) -> None:
    assert main(["bench", suite(), "-o", "before.many"]) == 0
    capsys.readouterr()
    faulty("1.4 * math.sqrt", "0.9 * math.sqrt")
    assert main(["bench", "s.toml", "--against", "before.many", "--html", "pages"]) == 1
    said = capsys.readouterr().out
    assert "2 of 2 searches differ from before.many, first start, seed 1, 60 iterations:" in said
    assert re.search(r"^  iteration \d+, at .+: ", said, re.MULTILINE)
    assert sorted(path.name for path in Path("pages").iterdir()) == [
        "001-start-seed-1-60-iterations.html", "002-win-seed-1-60-iterations.html",
    ]  # fmt: skip
    assert "<html" in Path("pages/001-start-seed-1-60-iterations.html").read_text("utf-8")


def test_a_search_with_an_error_is_found_and_its_reason_accepted(capsys: Captured) -> None:
    file = faulty("end.outcome if node.player == 1 else -end.outcome", "end.outcome")
    assert main(["bench", file, "--html", "pages"]) == 1
    said = capsys.readouterr().out
    found = re.search(r"^error: ([\w-]+), in 2 searches, first start, seed 1", said, re.MULTILINE)
    assert found is not None
    assert len(list(Path("pages").iterdir())) == 2
    suite("faulty:make_search", f'accept = {{{found[1]} = "on purpose"}}')
    assert main(["bench", file]) == 0


def test_a_function_may_give_a_trace_of_its_own(capsys: Captured) -> None:
    Path("bare.py").write_text(
        "import mcts_viz as mv\n"
        "def search(position, seed, iterations):\n"
        "    return mv.search('tic_tac_toe', start=list(position), seed=seed, iterations=iterations)\n",
        encoding="utf-8",
    )
    assert main(["bench", suite("bare:search")]) == 0
    assert "Bench: " in capsys.readouterr().out


def test_a_command_that_writes_events_is_run(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    Path("events.py").write_text(
        "import sys\nimport mcts_viz as mv\nfrom mcts_viz.export.events import event_chunks\n"
        "moves, seed, n = sys.argv[1:]\n"
        "start = [int(move) for move in moves.split(',') if move]\n"
        "trace = mv.search('tic_tac_toe', start=start, seed=int(seed), iterations=int(n))\n"
        "sys.stdout.buffer.writelines(event_chunks(trace, int(n)))\n",
        encoding="utf-8",
    )
    command = [sys.executable, "events.py", "{moves}", "{seed}", "{iterations}"]
    document = {"game": "tic_tac_toe", "iterations": [30], "truth": 0, "command": command,
                "positions": [{"moves": ["b2", "a1"]}]}  # fmt: skip
    Path("s.json").write_text(json.dumps(document), encoding="utf-8")
    assert main(["bench", "s.json", "-o", "kept.many"]) == 0
    (trace,) = mv.ManyTraces("kept.many")
    assert (trace.n_iterations, trace.meta["bench"]) == (30, "b2, a1, seed 1, 30 iterations")
    document["command"] = [sys.executable, "-c", "raise SystemExit('no such luck')"]
    Path("s.json").write_text(json.dumps(document), encoding="utf-8")
    capsys.readouterr()
    assert main(["bench", "s.json"]) == 2
    assert "ends with exit code 1: no such luck" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_commit_is_checked_out_and_run(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    suite()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    code = Path("my_search.py").read_text(encoding="utf-8")
    Path("my_search.py").write_text(code.replace("1.4 *", "0.9 *"), encoding="utf-8")
    assert main(["bench", "s.toml", "--against", "HEAD"]) == 1
    assert "2 of 2 searches differ from HEAD" in capsys.readouterr().out
    listed = subprocess.run([*git, "worktree", "list"], capture_output=True, text=True, check=True)
    assert len(listed.stdout.splitlines()) == 1
    assert main(["bench", "s.toml", "--against", "nowhere"]) == 2
    assert "neither a file nor a commit of the suite's repository" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("search", "more", "message"),
    [
        ("my_search", "", "search = 'my_search' cannot be had"),
        ("nowhere:search", "", "ModuleNotFoundError: No module named 'nowhere'"),
        ("my_search:FIELDS", "", "search = 'my_search:FIELDS' is no function"),
        ("my_search:winner", "", "AttributeError"),
        ("math:hypot", "", "start, seed 1, 60 iterations: math:hypot fails: TypeError"),
        ("my_search:make_search", 'command = ["x"]', "give either search = 'module:function' or"),
        ("my_search:make_search", "depth = 3", "unknown field `depth`"),
        ("my_search:make_search", "seeds = []", "Cannot overwrite a value"),
        ("my_search:make_search", "oops", "Expected '=' after a key"),
        ("my_search:make_search", 'accept = {luck = "x"}', "there is no check 'luck'"),
    ],
)
def test_a_suite_that_cannot_be_run_is_refused(
    search: str, more: str, message: str, capsys: Captured
) -> None:
    assert main(["bench", suite(search, more)]) == 2
    assert message in capsys.readouterr().err


def test_files_that_are_not_there_are_named(capsys: Captured) -> None:
    assert main(["bench", "none.toml"]) == 2
    assert "none.toml: cannot be read: No such file" in capsys.readouterr().err
    assert main(["bench", suite(), "--against", "none.many"]) == 2
    said = capsys.readouterr()
    assert "--against none.many: there is no such file; make one with -o" in said.err
    assert said.out == ""  # before the suite runs
    assert main(["bench", suite(), "-o", "before"]) == 2
    assert "-o before: a file of many searches; name one such as before" in capsys.readouterr().err
    for place in ("none/before.many", "folder.many"):
        Path("folder.many").mkdir(exist_ok=True)
        assert main(["bench", suite(), "-o", place]) == 2
        said = capsys.readouterr()
        assert f"-o {place}: no file can be written there; name one in a folder" in said.err
        assert said.out == ""
    text = Path("s.toml").read_text("utf-8")
    Path("s.toml").write_text(text.replace('["a3", "a2"', '["a3", "a3"'), "utf-8")
    assert main(["bench", "s.toml"]) == 2
    assert "'a3', is not legal" in capsys.readouterr().err


def test_what_cannot_be_compared_with_is_told_before_the_suite_runs(capsys: Captured) -> None:
    Path("folder").mkdir()
    Path("text.many").write_text("no searches")
    mv.search_many([{"game": "tic_tac_toe", "iterations": 5}], "others.many")
    for against, message in (
        ("folder", "--against folder: is a folder; name a file in it that -o has made"),
        ("text.many", "text.many: no file of many searches"),
        ("others.many", "others.many: has no search of this suite; make it with -o"),
    ):
        assert main(["bench", suite(), "--against", against]) == 2
        said = capsys.readouterr()
        assert message in said.err
        assert said.out == ""


def test_searches_are_kept_where_the_comparison_fails(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["bench", suite(), "-o", "before.many"]) == 0
    assert main(["bench", suite(), "-o", "before.many", "--against", "before.many"]) == 0
    assert "no difference" in capsys.readouterr().out

    def fails(*_: object) -> None:
        raise mv.TraceError("before.many: damaged")

    monkeypatch.setattr("mcts_viz.cli.bench.differences", fails)
    assert main(["bench", suite(), "-o", "now.many", "--against", "before.many"]) == 2
    assert len(mv.ManyTraces("now.many")) == len(mv.ManyTraces("before.many"))


def test_the_page_shows_the_sample_and_what_it_prints(capsys: Captured) -> None:
    page = (ROOT / "docs/bench.md").read_text(encoding="utf-8")
    sample = (ROOT / "samples/bench/suite.toml").read_text(encoding="utf-8")
    assert sample.split("\n", 1)[1] in page  # but for the line that names the page
    for command in re.findall(r"^mcts-viz (bench .+)$", page, re.MULTILINE):
        assert main(command.split()) == 0
    said = re.sub(r" +[\d.]+$", "", capsys.readouterr().out, flags=re.MULTILINE)  # seconds
    shown = re.search(r"```\n(suite\.toml: .+?)```", page, re.DOTALL)
    assert shown is not None
    assert re.sub(r" +[\d.]+$", "", shown[1], flags=re.MULTILINE) in said
