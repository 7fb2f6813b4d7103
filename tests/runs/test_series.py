"""A series of games, what it says of them, and the mistake that lost one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from joblib.externals.loky import reusable_executor

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.cli.series import strength
from mcts_viz.games import game
from mcts_viz.runs.losing_move import mistake_of
from mcts_viz.runs.match import Match
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.series import PlayedGame, Series, SeriesScore

WEAK, STRONG = SearchOptions("uct", 12), SearchOptions("uct", 150)


def series(folder: Path, n: int = 6, seed: int = 1) -> Series:
    found = Series(game("tic_tac_toe"), [WEAK, STRONG], folder, n, seed=seed)
    found.play(lambda now: None, lambda: False)
    return found


def test_sides_alternate_and_every_search_is_in_one_file(tmp_path: Path) -> None:
    told: list[int] = []
    found = Series(game("tic_tac_toe"), [WEAK, STRONG], tmp_path / "s", 4, seed=1)
    found.play(lambda now: told.append(len(now.played)), lambda: False)
    assert told == [1, 2, 3, 4]
    assert [played.first for played in found.played] == [0, 1, 0, 1]
    assert sorted(path.name for path in found.folder.iterdir()) == ["searches.many", "series.json"]
    traces = mv.ManyTraces(found.path)
    assert len(traces) == sum(played.moves for played in found.played)
    for played in found.played:
        searches = traces[played.search : played.search + played.moves]
        for ply, trace in enumerate(searches):
            engine = (played.first + ply) % 2
            assert trace.n_iterations == (12, 150)[engine]
            assert trace.complete
            told_of = (trace.meta["game_id"], trace.meta["ply"], trace.meta["engine"])
            assert told_of == (str(played.number), ply, "AB"[engine])
            assert trace.meta["result"] == (-played.result if played.first else played.result)
    said = json.loads((tmp_path / "s" / "series.json").read_text(encoding="utf-8"))
    assert [each["search"] for each in said["games"]] == [each.search for each in found.played]
    a, b = (found.score(engine) for engine in (0, 1))
    assert (a.wins, a.draws, a.losses) == (b.losses, b.draws, b.wins)
    assert a.games == 4
    assert sum(found.score(0, first).games for first in (True, False)) == 4


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_games_are_kept_where_a_process_is_killed(tmp_path: Path) -> None:
    found = Series(game("tic_tac_toe"), [WEAK, STRONG], tmp_path / "s", 500, seed=1, jobs=2)

    def kill(now: Series) -> None:
        if len(now.played) == 2:
            os.kill(next(iter(reusable_executor._executor._processes)), signal.SIGKILL)

    with pytest.raises(
        mv.SearchError, match=r"process.* killed.*; \d+ games of 500 are kept in .*s\."
    ):
        found.play(kill, lambda: False)
    assert 2 <= len(found.played) < 500
    assert sorted(path.name for path in found.folder.iterdir()) == ["searches.many", "series.json"]
    assert len(mv.ManyTraces(found.path)) == sum(played.moves for played in found.played)
    said = json.loads((found.folder / "series.json").read_text(encoding="utf-8"))
    assert len(said["games"]) == len(found.played)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
def test_ctrl_c_while_the_processes_start_ends_the_series_with_what_was_played(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mcts_viz", "play", "tic_tac_toe", "--iterations", "12"]
    with subprocess.Popen(
        [*command, "--games", "90000", "--jobs", "2", "--seed", "1", "-o", str(tmp_path / "s")],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a job in the background would hand down that it ignores the signal
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not workers_of(process.pid):
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err.strip()) == (130, "")
    played = json.loads((tmp_path / "s" / "series.json").read_text(encoding="utf-8"))["games"]
    assert f"{len(played):,} of 90,000 games: " in out
    assert len(mv.ManyTraces(tmp_path / "s" / "searches.many")) == sum(
        each["moves"] for each in played
    )


def workers_of(process: int) -> list[int]:
    """Processes that it has begun to play games in."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        children = (task / "children").read_text().split()
        found += [
            int(each)
            for each in children
            if b"popen_loky" in Path(f"/proc/{each}/cmdline").read_bytes()
        ]
    return found


def test_a_fleet_reads_a_series(tmp_path: Path) -> None:
    found = series(tmp_path / "s", 2)
    rows = mv.fleet(tmp_path / "s").searches.to_pylist()
    assert len(rows) == sum(each.moves for each in found.played)
    assert {row["game_id"] for row in rows} == {"1", "2"}
    assert {row["result"] for row in rows} <= {-1.0, 0.0, 1.0}


def test_each_opening_is_played_once_on_either_side(tmp_path: Path) -> None:
    openings = [["b2", "a1"], ["a1", "c3", "b2"]]
    found = Series(game("tic_tac_toe"), [WEAK, WEAK], tmp_path / "s", 5, openings=openings)
    found.play(lambda now: None, lambda: False)
    wanted = [("b2", "a1")] * 2 + [("a1", "c3", "b2")] * 2 + [("b2", "a1")]
    assert [each.opening for each in found.played] == wanted
    first = mv.ManyTraces(found.path)[0]
    assert [first.action_name(action) for action in first.meta.start] == ["b2", "a1"]
    with pytest.raises(mv.GameError, match="'b2', is not legal"):
        Series(game("tic_tac_toe"), [WEAK, WEAK], tmp_path / "t", 5, openings=[["b2", "b2"]])
    assert not (tmp_path / "t").exists()


def test_two_processes_play_the_same_games(tmp_path: Path) -> None:
    one, two = ({"preset": "uct", "iterations": 12}, {"preset": "uct", "iterations": 40})
    here, there = (
        mv.play_series("tic_tac_toe", one, two, tmp_path / str(jobs), 3, seed=1, jobs=jobs)
        for jobs in (1, 2)
    )
    assert here.played == there.played
    pairs = zip(mv.ManyTraces(here.path), mv.ManyTraces(there.path), strict=True)
    assert all(
        a.meta["seed"] == b.meta["seed"] and a.best_action == b.best_action for a, b in pairs
    )
    assert sorted(path.name for path in there.folder.iterdir()) == ["searches.many", "series.json"]


def test_a_series_ends_when_its_test_is_decided(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    weak, strong = {"iterations": 3}, {"iterations": 200}
    sprt = "elo0=0 elo1=200 alpha=0.2 beta=0.2"
    found = mv.play_series(
        "tic_tac_toe", strong, weak, tmp_path / "s", 60, seed=1, sprt=sprt, jobs=2
    )
    assert [str(each.message) for each in recwarn if "joblib" in each.filename] == []
    assert sorted(path.name for path in found.folder.iterdir()) == ["searches.many", "series.json"]
    assert found.is_decided is True
    assert 2 <= len(found.played) < 60
    assert len(found.played) % 2 == 0  # whole pairs
    assert found.elo.elo > 0
    said = json.loads((tmp_path / "s" / "series.json").read_text(encoding="utf-8"))
    assert said["sprt"]["accepted"] == "elo1"
    assert said["sprt"]["ratio"] >= said["sprt"]["bounds"][1]


def test_pairs_of_games_count_by_their_points(tmp_path: Path) -> None:
    found = Series(game("tic_tac_toe"), [WEAK, WEAK], tmp_path / "s", 6)
    results = [1, 1, 0, -1, 0, 0, -1]  # of engine 0; the last has no pair yet
    found.played = [PlayedGame(n, n % 2, each, 5, 0, ()) for n, each in enumerate(results)]
    assert found.counts == [0, 1, 1, 0, 1]
    found.played = found.played[:1]
    assert found.counts == [0, 0, 1]


def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    one, two = series(tmp_path / "one", 2), series(tmp_path / "two", 2)
    assert one.played == two.played


def test_a_series_that_is_stopped_counts_whole_games_alone(tmp_path: Path) -> None:
    found = Series(game("tic_tac_toe"), [WEAK, WEAK], tmp_path / "s", 50, seed=1)
    found.play(lambda now: None, lambda: len(found.played) == 2)
    assert found.score(0).games == 2


def test_intervals_are_those_of_wilson() -> None:
    low, high = SeriesScore(7, 5, 0).interval
    assert (round(low, 3), round(high, 3)) == (0.320, 0.807)  # 7 of 12
    assert SeriesScore(0, 0, 0).interval == (0.0, 1.0)
    assert SeriesScore(5, 0, 0).interval[1] == 1.0
    assert SeriesScore(1, 1, 0).points == 0.75


def test_a_lost_game_has_its_mistake_and_what_a_longer_search_plays(tmp_path: Path) -> None:
    played = series(tmp_path / "s")
    mistakes = (
        mistake_of(played.match_of(lost, tmp_path / f"{k}"), lost.standing)
        for k, lost in enumerate(played.lost)
    )
    found = next(each for each in mistakes if each is not None and each.more is not None)
    n, more = found.iterations, found.more or 0
    assert more in (10 * n, 100 * n)
    assert found.better != found.move.name
    assert f"at {n} iterations: at {more:,} the search plays {found.better}, which" in str(found)


def test_a_game_that_was_lost_from_the_start_has_no_mistake(tmp_path: Path) -> None:
    sides = [None, SearchOptions("uct", 20)]
    match = Match("tic_tac_toe", sides, tmp_path / "m", start=["a1", "b1", "b2"])
    while match.standing.outcome is None:
        if match.engine is None:
            after = [name for name in ("c3", "a3", "c1", "a2") if name in match.legal_names]
            match.play(after[0])
        else:
            match.think()
    assert match.standing.outcome == 1
    assert mistake_of(match) is None


def test_the_command_plays_a_series_and_says_how_it_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--iterations", "12", "--against-iterations", "150", "--seed", "1", "--games", "4"]
    assert main(["play", "tic_tac_toe", *options, "-o", "s"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Tic-Tac-Toe. A: uct, 12 iterations; B: uct, 150 iterations."
    assert said[1].startswith("4 of 4 games: A won ")
    assert said[2].split()[:6] == ["engine", "moves", "games", "wins", "draws", "losses"]
    assert [line.split()[:3] for line in said[3:9]] == [
        ["A", "all", "4"], ["A", "first", "2"], ["A", "second", "2"],
        ["B", "all", "4"], ["B", "first", "2"], ["B", "second", "2"],
    ]  # fmt: skip
    assert said[9].startswith("Elo of A over B: ")
    traces = mv.ManyTraces("s/searches.many")
    assert said[10] == f"{len(traces)} searches in s/searches.many, results in s/series.json."
    assert traces[0].n_iterations == 12
    assert said[12].endswith(". See why:")  # the mistake, and the way to its search
    why = [line.split()[3:] for line in said[13:] if line.startswith("  python -m mcts_viz ")]
    assert [command[0] for command in why] == ["extract", "explain"]
    assert [main(command) for command in why] == [0, 0]
    lost = mv.open("lost.mcts")
    assert lost.n_iterations in (12, 150)
    assert str(lost.explain()).split("\n")[0][:60] in capsys.readouterr().out


def test_an_even_series_has_no_sign_and_an_interval(tmp_path: Path) -> None:
    found = Series(game("tic_tac_toe"), [WEAK, STRONG], tmp_path / "s", 2)
    found.played += [PlayedGame(number, 0, 0, 9, 0, ()) for number in (1, 2)]
    (line,) = strength(found)
    assert line == "Elo of A over B: 0.0 (95 % interval -495.3 to +495.3)"


def test_the_command_takes_openings_and_a_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openings.txt").write_text("# two\nb2, a1\n\na1, b2  # the other\n", "utf-8")
    more = ["--openings", "openings.txt", "--sprt", "elo0=0", "elo1=5", "--jobs", "1"]
    options = [
        "--iterations",
        "12",
        "--against",
        "mctspy",
        "--seed",
        "1",
        "--games",
        "4",
        "-o",
        "s",
    ]
    assert main(["play", "tic_tac_toe", *options, *more]) == 0
    said = capsys.readouterr().out
    assert "SPRT (normalized) of elo0=0, elo1=5: not decided; log-likelihood ratio " in said
    assert " of -2.94 to 2.94\n" in said
    games = json.loads((tmp_path / "s/series.json").read_text("utf-8"))["games"]
    assert [game["opening"] for game in games] == [["b2", "a1"]] * 2 + [["a1", "b2"]] * 2


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--games", "0"], "0 games: give a number from 1 to 100,000"),
        (["--sprt", "elo0=0", "elo1=5"], "--sprt is for a series; add --games N"),
        (["--games", "3", "--openings", "none.txt"], "--openings none.txt: cannot be read"),
        (["--games", "3", "--sprt", "elo0=0"], "--sprt elo0=0: write it as elo0=0 elo1=10"),
        (["--games", "3", "--jobs", "0"], "jobs=0 is no number of processes"),
        (["--games", "3", "--you", "X"], "--games is for engines alone, and --you X plays"),
    ],
)
def test_a_series_that_cannot_be_played_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main(["play", "tic_tac_toe", "-o", str(tmp_path / "s"), *more]) != 0
    assert message in capsys.readouterr().err
