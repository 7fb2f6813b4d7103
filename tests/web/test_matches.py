"""Matches of the server: what is asked of them, by whom, and when."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.engine.parameters import PARAMETERS
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.jobs.matches import LiveMatch, Matches, MatchRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.forms.controls import cleared, has_none_box
from mcts_viz.web.panels.match.form import complaint, match_request
from mcts_viz.web.panels.match.table import mistake_hint
from mcts_viz.web.routes.match import zipped

UCT = SearchOptions("uct", 30, None)
SLOW = SearchOptions("uct", None, 600.0)


@pytest.fixture
def matches(tmp_path: Path) -> Matches:
    return Matches(Library([], tmp_path / "store"))


def begun(matches: Matches, *sides: SearchOptions | None, game: str = "tic_tac_toe") -> LiveMatch:
    first, second = sides
    live = matches.match(matches.begin(MatchRequest(game, (first, second), seed=1)))
    assert live is not None
    return live


def rest(live: LiveMatch) -> LiveMatch:
    """Wait until no engine thinks."""
    end = time.monotonic() + 60
    while live.thinking is not None and time.monotonic() < end:
        time.sleep(0.01)
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
    thinking = live.thinking
    play(live, 4, "a")
    live.do({"id": "b", "do": "undo"})
    live.do({"id": "c", "do": "on"})
    assert live.scene.standing.moves == ()
    assert thinking is not None
    assert live.thinking is thinking
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
            MatchRequest("tic_tac_toe", (None, SearchOptions("deep", 1, None))), old.number
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
    parameters = PARAMETERS.values()
    return {
        "by": by, "budget": budget, "unit": unit,
        "parameters": {each.name: given.get(each.name, cleared(each)) for each in parameters},
        "none": {each.name: False for each in parameters if has_none_box(each)},
    }  # fmt: skip


def asked(game: str, start: str | None, seed: Any, *sides: dict[str, Any]) -> MatchRequest:
    fields = {"game": game, "start": start, "seed": seed, "sides": list(sides)}
    return match_request(fields)


def test_the_form_says_what_is_played() -> None:
    first = side("uct", 200, c=0.5, selection="ucb1_tuned", solver="yes")
    second = side("mctspy", 1.5, "seconds")
    assert asked("mnk:5,5,4", " a1 ,b2,, ", 7, first, second) == MatchRequest(
        "mnk:5,5,4",
        (
            SearchOptions(
                "uct", 200, overrides={"c": 0.5, "selection": "ucb1_tuned", "solver": True}
            ),
            SearchOptions("mctspy", None, 1.5),
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
    said = complaint(fields)
    assert told in said
    assert bool(said) == bool(told)


def test_a_game_that_an_engine_lost_has_a_hint_that_opens_the_search_of_its_mistake(
    tmp_path: Path,
) -> None:
    library = Library([], tmp_path / "store")
    matches = Matches(library)
    weak, strong = SearchOptions("uct", 12, None), SearchOptions("uct", 150, None)
    for seed in range(1, 20):
        number = matches.begin(MatchRequest("tic_tac_toe", (weak, strong), seed=seed))
        live = matches.match(number)
        assert live is not None
        rest(live)
        end = time.monotonic() + 60
        while live.explaining is not None and time.monotonic() < end:
            time.sleep(0.01)
        if live.scene.mistake is not None:
            break
    found = live.scene.mistake
    assert found is not None
    assert found.move.trace is not None
    (hint,) = mistake_hint(library, live)
    assert str(found) in str(hint)
    assert getattr(hint, "data-trace") == library.key_of(live.match.folder / found.move.trace)
    live.do({"id": "u", "do": "undo"})
    assert mistake_hint(library, live) == []
