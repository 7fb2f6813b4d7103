"""Running a search again: what is not changed stays as it was, what is not known is said."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.engine.presets import PRESETS
from mcts_viz.runs.match import Match
from mcts_viz.runs.options import SearchOptions
from tests.engine.test_compilation import assert_same_trace
from tests.games.nim import Nim
from tests.recording.searches import PlainUCT

PARAMETERS: list[dict[str, Any]] = [
    {"c": 0.3, "order": "last_legal_first", "n_rollouts": 2},
    {"preset": "tech_io", "solver": True, "fpu": 0.25},
    {"preset": "alphazero", "evaluator": None},
    {"simulation": "decisive", "final_move": "secure", "draw": 0.25},
    {"start": ["b2", "a1"], "forbid": ["c3"]},
]


@pytest.mark.parametrize("preset", PRESETS)
def test_without_a_change_it_is_the_same_search(preset: str) -> None:
    trace = mv.search("tic_tac_toe", preset, iterations=150, seed=7)
    assert_same_trace(trace, trace.rerun())


@pytest.mark.parametrize("preset", ["uct", "tech_io", "rhu2001", "mctspy"])
def test_without_a_change_a_search_with_a_reused_tree_begins_with_that_tree(
    preset: str, tmp_path: Path
) -> None:
    engine = SearchOptions(preset, iterations=400, overrides={"keep_tree": True})
    match = Match("tic_tac_toe", (engine, engine), tmp_path / "match", seed=3)
    for _ in range(3):
        last = match.think()
    trace = mv.open(match.folder / str(last.trace))
    assert trace.meta["inherited"]["visits"] > 5
    again = trace.rerun()
    assert again.meta["inherited"] == trace.meta["inherited"]
    assert_same_trace(trace, again)
    assert trace.rerun(win=3.0).meta["inherited"] is None  # the tree's sums would mean nothing
    resumed = trace.rerun(resume=20, iterations=30)
    assert_same_trace(resumed, resumed.rerun())
    assert resumed.rerun().meta["resumed"] == resumed.meta["resumed"]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_every_parameter_is_kept(parameters: dict[str, Any]) -> None:
    trace = mv.search("tic_tac_toe", **{"iterations": 150, "seed": 7, **parameters})
    again = trace.rerun()
    assert_same_trace(trace, again)
    for key in ("policies", "start", "seed", "root_actions", "value_range"):
        assert again.meta.get(key) == trace.meta.get(key)


def test_one_thing_is_changed() -> None:
    trace = mv.search("connect_four", iterations=150, seed=7, c=0.8)
    wanted = mv.search("connect_four", iterations=200, seed=8, c=0.3)
    assert_same_trace(trace.rerun(c=0.3, seed=8, iterations=200), wanted)
    wanted = mv.search("connect_four", "tech_io", iterations=150, seed=7)
    assert_same_trace(trace.rerun(preset="tech_io"), wanted)
    forced = trace.rerun(force=2)
    assert [int(forced.at(150).action[v]) for v in forced.at(150).children(0)] == [2]
    lifted = forced.rerun(forbid=[])
    assert_same_trace(lifted, trace)


def test_every_limit_of_a_search_is_taken(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=300, seed=7)
    limits: list[dict[str, Any]] = [
        {"nodes": 40}, {"decided": True, "iterations": 5_000}, {"memory": 60, "seconds": 900.0, "nodes": 90},
    ]  # fmt: skip
    for given in limits:
        wanted = mv.search("tic_tac_toe", seed=7, **{"iterations": 300, **given})
        again = trace.rerun(**given)
        n = min(again.n_iterations, wanted.n_iterations)
        assert (again.at(n).visits == wanted.at(n).visits).all()
        assert again.meta["budget"] == {
            **wanted.meta["budget"],
            "iterations": given.get("iterations", None if "seconds" in given else 300),
        }
    mv.search("tic_tac_toe", iterations=50, seed=1, path=tmp_path / "a.mcts")
    out = tmp_path / "b.mcts"
    options = ["--nodes", "40", "--decided", "--no-rollouts", "--simulation", "decisive", "--quiet"]
    assert main(["rerun", str(tmp_path / "a.mcts"), "-o", str(out), *options]) == 0
    told = mv.open(out)
    assert told.n_nodes <= 41
    assert (told.meta["budget"]["nodes"], told.meta["budget"]["decided"]) == (40, True)
    assert told.meta["policies"]["simulation"]["name"] == "decisive"
    assert not len(told.iteration(5).rollout or ())


def foreign(game: str | None) -> mv.Trace:
    search = PlainUCT(seed=3)
    with mv.record(root=search.root, children="children", visits="visits", value="wins",
                   action="move", value_range=(0, 1), game=game) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 60):
            pass
    return rec.trace


def test_a_search_of_others_is_run_again_with_ours() -> None:
    again = foreign("tic_tac_toe").rerun(seed=4)
    assert_same_trace(again, mv.search("tic_tac_toe", iterations=60, seed=4))
    with pytest.raises(mv.SearchError, match="not run by mcts_viz"):
        foreign("tic_tac_toe").rerun(resume=30)


def test_a_game_that_is_not_known_here_cannot_be() -> None:
    with pytest.raises(
        mv.SearchError, match="does not say which game it is, so it cannot be run again"
    ):
        foreign(None).rerun()


def test_a_game_of_ones_own_is_given_again() -> None:
    trace = mv.search(Nim(), iterations=80, seed=1)
    with pytest.raises(mv.SearchError, match="are not known here, so it cannot be run again"):
        trace.rerun()
    assert_same_trace(trace.rerun(game=Nim()), trace)
    more = trace.rerun(game=Nim(), resume=80, iterations=20)
    assert more.at(20).visits[0] == 100


def test_a_snapshot_is_searched_again_but_not_gone_on_with(tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=50, seed=2).at(50).to_json(tmp_path / "s.json")
    snapshot = mv.open(tmp_path / "s.json")
    assert_same_trace(
        snapshot.rerun(iterations=50), mv.search("tic_tac_toe", iterations=50, seed=2)
    )
    with pytest.raises(mv.SearchError, match="snapshot"):
        snapshot.rerun(resume=1)


def test_the_command_searches_and_says_how_it_differs(tmp_path: Path, capsys: Any) -> None:
    a, b = tmp_path / "a.mcts", tmp_path / "b.mcts"
    trace = mv.search("tic_tac_toe", iterations=100, seed=1, path=a)
    assert main(["rerun", str(a), "-o", str(b), "--c", "0.2", "--forbid", "b2, a1"]) == 0
    again = mv.open(b)
    assert_same_trace(again, trace.rerun(c=0.2, forbid=["b2", "a1"]))
    assert capsys.readouterr().out == f"{mv.compare(mv.open(a), again)}\n"
    assert main(["rerun", str(a), "-o", str(b), "--resume", "40", "--iterations", "10", "--quiet"]) == 0  # fmt: skip
    assert mv.open(b).meta["resumed"]["iteration"] == 40
    assert capsys.readouterr().out == ""


def counted(options: dict[str, Any], c: list[float], seeds: list[int]) -> list[list[int | None]]:
    """What each search of the grid would play, searched one by one."""
    return [
        [mv.search("tic_tac_toe", **{**options, "c": x, "seed": k}).best_action for k in seeds]
        for x in c
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_sensitivity_counts_what_each_search_plays(jobs: int) -> None:
    trace = mv.search("tic_tac_toe", "tech_io", iterations=120, seed=9, start=["a1"])
    found = mv.sensitivity(trace, c=[2.0, 0.1], seeds=[3, 1, 4], jobs=jobs)
    options = {"preset": "tech_io", "iterations": 120, "start": ["a1"]}
    wanted = counted(options, [0.1, 2.0], [3, 1, 4])
    assert found.c.tolist() == [0.1, 2.0]
    assert found.own_c == 2.0
    assert found.chosen.tolist() == wanted
    for i in range(2):
        for k, action in enumerate(found.actions.tolist()):
            assert found.counts[i, k] == wanted[i].count(action)
            assert found.share[i, k] == wanted[i].count(action) / 3
    assert found.ran.all()
    assert np.allclose(found.visit_share.sum(axis=2), 1)
    tree = mv.search("tic_tac_toe", c=0.1, seed=3, **options).at(120)
    visits = {int(tree.action[v]): int(tree.visits[v]) for v in tree.children(0)}
    assert found.visit_share[0, 0].tolist() == [
        visits.get(a, 0) / sum(visits.values()) for a in found.actions.tolist()
    ]
    assert len(found.labels) == 8  # a1 is taken


def test_sensitivity_of_a_game_and_its_own_constants() -> None:
    found = mv.sensitivity("tic_tac_toe", iterations=30, seeds=2)
    assert found.c.tolist() == pytest.approx([math.sqrt(2) * f for f in (0.25, 0.5, 1, 2, 4)])
    assert found.seeds.tolist() == [1, 2]
    assert str(found).startswith("Tic-Tac-Toe, uct: 10 searches of 30 iterations play ")
    assert json.loads(json.dumps(found.as_json()))["counts"] == found.counts.tolist()


def test_sensitivity_keeps_a_restriction_and_stops_when_asked() -> None:
    trace = mv.search("tic_tac_toe", iterations=30, seed=1, forbid=["b2"])
    told: list[tuple[int, int]] = []
    found = mv.sensitivity(
        trace, seeds=4, jobs=1, told=lambda *done: told.append(done), stop=lambda: len(told) == 7
    )
    assert told == [(n, 20) for n in range(1, 8)]
    assert int(found.ran.sum()) == 7
    assert 4 not in found.actions
    assert (found.chosen[~found.ran] == -1).all()
    assert found.as_json()["chosen"][-1][-1] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": []}, "no c is given"),
        ({"c": [-1]}, "c = -1 is not a number from 0 up"),
        ({"seeds": 0}, "seeds = 0 is no number of seeds; give 1 or more"),
        ({"seeds": []}, "neither a list of seeds nor how many"),
        ({"seeds": 5_000}, "more than 10,000 searches"),
        ({"iterations": None, "seconds": 0.1}, "end by the clock"),
    ],
)
def test_grids_that_make_no_sense_are_refused(options: Any, message: str) -> None:
    with pytest.raises(mv.SearchError, match=message):
        mv.sensitivity("tic_tac_toe", **{"iterations": 10, **options})


def test_the_command_prints_it(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.mcts"
    trace = mv.search("tic_tac_toe", iterations=40, seed=1, path=path)
    told = mv.sensitivity(trace, c=[0.5, 1.0], seeds=2)
    arguments = ["sensitivity", str(path), "--c", "0.5,1", "--seeds", "2"]
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{told}\n"
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(told.as_json()))
    assert (
        main(["sensitivity", "tic_tac_toe", "--iterations", "10", "--seeds", "1", "--c", "x"]) == 2
    )
    assert "--c x: give a number, or several with commas" in capsys.readouterr().err


def test_a_trace_is_not_written_over_by_its_own_rerun(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=50, seed=1, path=tmp_path / "a.mcts")
    with pytest.raises(mv.SearchError, match="would be read and written at once"):
        trace.rerun(c=3, path=tmp_path / "a.mcts")
    assert mv.open(tmp_path / "a.mcts").meta["policies"]["selection"]["c"] != 3


def test_a_snapshot_is_searched_again_with_the_visits_of_its_root(tmp_path: Path) -> None:
    mv.search("tic_tac_toe", iterations=70, seed=1).at(60).to_json(tmp_path / "a.json")
    assert mv.open(tmp_path / "a.json").rerun().n_iterations == 60
