"""Matches of the server: what is asked of them, by whom, and when."""

from __future__ import annotations

import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.web.library import Library
from mcts_viz.web.match_routes import zipped
from mcts_viz.web.matches import LiveMatch, Matches
from mcts_viz.web.panels.match_form import complaint, match_request
from mcts_viz.web.panels.search_controls import cleared, has_none_box
from mcts_viz.web.services import EngineRequest, MatchRequest

SERVICES = page.services()
UCT = EngineRequest("uct", 30, None)
SLOW = EngineRequest("uct", None, 600.0)


@pytest.fixture
def matches(tmp_path: Path) -> Matches:
    return Matches(Library(page.services(), [], tmp_path / "store"))


def begun(matches: Matches, *sides: EngineRequest | None, game: str = "tic_tac_toe") -> LiveMatch:
    first, second = sides
    live = matches.match(matches.begin(MatchRequest(game, (first, second), seed=1)))
    assert live is not None
    return live


def rest(live: LiveMatch) -> LiveMatch:
    """Wait until no engine thinks."""
    for thread in threading.enumerate():
        if thread.name == f"match {live.number}":
            thread.join(60)
    assert live.thinking is None
    return live


def play(live: LiveMatch, action: Any, name: str, moves: int = 0) -> None:
    live.do({"id": name, "do": "play", "action": action, "moves": moves})


def test_a_persons_move_is_answered(matches: Matches) -> None:
    live = begun(matches, None, UCT)
    before = live.scene
    play(live, 4, "a")
    rest(live)
    assert live.scene.standing.moves[0].name == "b2"
    assert len(live.scene.standing.moves) == 2
    assert live.scene.version > before.version
    assert len(live.scene.targets) == 7


def test_what_is_asked_twice_is_done_once(matches: Matches) -> None:
    live = begun(matches, None, None)
    play(live, 4, "a")
    play(live, 4, "a")
    play(live, 0, "b")  # of a position that is gone
    assert len(live.scene.standing.moves) == 1
    for _ in range(2):
        live.do({"id": "c", "do": "undo"})
    assert live.scene.standing.moves == ()


@pytest.mark.parametrize("action", [None, "4", 4.0, [4], {"a": 1}])
def test_what_is_no_move_is_refused(matches: Matches, action: Any) -> None:
    live = begun(matches, None, None)
    with pytest.raises(mv.PageError, match="is no move; click a cell of the board"):
        play(live, action, "a")
    live.do({"id": "b", "do": "dance"})
    live.do({})
    assert live.scene.standing.moves == ()


def test_nobody_moves_while_an_engine_thinks(matches: Matches) -> None:
    live = begun(matches, SLOW, None)
    play(live, 4, "a")
    live.do({"id": "b", "do": "undo"})
    live.do({"id": "c", "do": "on"})
    assert live.scene.standing.moves == ()
    assert sum(thread.name == f"match {live.number}" for thread in threading.enumerate()) == 1
    live.do({"id": "d", "do": "stop"})
    assert len(rest(live).scene.standing.moves) == 1


def test_a_match_that_takes_the_place_of_another_stops_it(matches: Matches) -> None:
    old = begun(matches, SLOW, SLOW)
    request = MatchRequest("connect_four", (None, UCT))
    number = matches.begin(request, instead_of=old.number)
    assert len(rest(old).scene.standing.moves) == 1
    assert number != old.number
    assert matches.match("another") is None


def test_a_match_that_cannot_begin_leaves_the_old_one_alone(matches: Matches) -> None:
    old = begun(matches, None, None)
    with pytest.raises(mv.MctsVizError, match="preset 'deep' is not known"):
        matches.begin(
            MatchRequest("tic_tac_toe", (None, EngineRequest("deep", 1, None))), old.number
        )
    assert matches.match(old.number) is old


def test_matches_of_the_same_second_have_folders_of_their_own(matches: Matches) -> None:
    folders = {begun(matches, None, None, game="mnk:5,5,4").match.folder for _ in range(3)}
    assert len(folders) == 3
    assert all(folder.name.startswith("mnk_5x5x4_match_") for folder in folders)


def test_what_is_not_finished_is_not_exported(matches: Matches) -> None:
    live = rest(begun(matches, UCT, None))
    (live.match.folder / "02_O.mcts.part").write_bytes(b"half")
    with zipfile.ZipFile(zipped(live.match.folder)) as packed:
        names = [Path(name).name for name in packed.namelist()]
    assert names == sorted(["game.json", str(live.scene.standing.moves[0].trace)])


def test_a_match_that_is_not_here_cannot_be_exported(tmp_path: Path) -> None:
    app = page.make_app([], store=tmp_path)
    answer = app.server.test_client().get("/api/match/gone/zip")
    assert answer.status_code == 404
    assert "not on the server any more" in answer.get_json()["error"]


def side(by: str, budget: Any = None, unit: str = "iterations", **given: Any) -> dict[str, Any]:
    """A side as the form has it."""
    parameters = SERVICES.parameters
    return {
        "by": by, "budget": budget, "unit": unit,
        "parameters": {each.name: given.get(each.name, cleared(each)) for each in parameters},
        "none": {each.name: False for each in parameters if has_none_box(each)},
    }  # fmt: skip


def asked(game: str, start: str | None, seed: Any, *sides: dict[str, Any]) -> MatchRequest:
    fields = {"game": game, "start": start, "seed": seed, "sides": list(sides)}
    return match_request(fields, SERVICES.parameters)


def test_the_form_says_what_is_played() -> None:
    first = side("uct", 200, c=0.5, selection="ucb1_tuned", solver="yes")
    second = side("mctspy", 1.5, "seconds")
    assert asked("mnk:5,5,4", " a1 ,b2,, ", 7, first, second) == MatchRequest(
        "mnk:5,5,4",
        (
            EngineRequest("uct", 200, None, {"c": 0.5, "selection": "ucb1_tuned", "solver": True}),
            EngineRequest("mctspy", None, 1.5),
        ),
        ("a1", "b2"),
        7,
    )
    assert asked("tic_tac_toe", None, "", side("person"), side("person")) == MatchRequest(
        "tic_tac_toe", (None, None)
    )


def test_each_engine_searches_with_its_own_parameters(matches: Matches) -> None:
    wanted = asked(
        "tic_tac_toe", None, 1, side("uct", 30, order="first_legal_first"),
        side("uct", 40, final_move="highest_mean"),
    )  # fmt: skip
    live = matches.match(matches.begin(wanted))
    assert live is not None
    rest(live)
    for move in live.scene.standing.moves:
        policies = mv.open(live.match.folder / str(move.trace)).meta["policies"]
        mine = (policies["expansion"]["order"], policies["final_move"]["name"])
        own = ("first_legal_first", "most_visits"), ("random", "highest_mean")
        assert mine == own[move.player]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"budget": ""}, "Budget of O: give a number of iterations"),
        ({"budget": 10, "c": "."}, "Engine of O: c, exploration: '.' is not a number"),
        ({"budget": 10, "selection": "puct"}, "give expansion='all_children' with it"),
        ({"budget": 10}, ""),
    ],
)
def test_what_cannot_be_played_is_told_of_the_engine(given: dict[str, Any], told: str) -> None:
    sides = [side("person"), side("uct", **given)]
    fields = {"game": "tic_tac_toe", "start": "", "seed": "", "sides": sides}
    said = complaint(SERVICES, fields)
    assert told in said
    assert bool(said) == bool(told)
