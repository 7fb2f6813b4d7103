"""A match: whose turn it is, what its engines play, and what its folder says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.runs.match import Match, Move, check
from mcts_viz.runs.options import SearchOptions
from tests.indexed import in_memory

UCT = SearchOptions("uct", iterations=60)
MCTSPY = SearchOptions("mctspy", iterations=40)


def match(
    folder: Path,
    *sides: SearchOptions | None,
    game: str = "tic_tac_toe",
    seed: int = 1,
    **more: Any,
) -> Match:
    return Match(game, sides, folder, seed=seed, **more)


def play_out(played: Match) -> Match:
    while played.standing.to_move is not None:
        played.think()
    return played


def document(played: Match) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((played.folder / "game.json").read_text(encoding="utf-8"))
    return told


def names(moves: Sequence[Move]) -> list[str]:
    return [move.name for move in moves]


def traces(played: Match) -> list[str]:
    return sorted(path.name for path in played.folder.glob("*.mcts"))


def test_a_person_and_an_engine_take_turns(tmp_path: Path) -> None:
    played = match(tmp_path / "a", None, UCT)
    assert played.engine is None
    mine = played.play("b2")
    assert (mine.number, mine.player, mine.action, mine.trace) == (1, 0, 4, None)
    assert played.engine is UCT
    theirs = played.think()
    assert (theirs.number, theirs.player) == (2, 1)
    assert played.standing.actions == (4, theirs.action)
    assert played.standing.to_move == 0
    assert theirs.action not in played.standing.legal


def test_an_engine_plays_the_move_that_its_trace_decides(tmp_path: Path) -> None:
    played = match(tmp_path / "a", None, UCT)
    played.play(0)
    move = played.think()
    assert move.trace == f"02_O_{move.name}.mcts"
    trace = mv.open(played.folder / move.trace)
    assert trace.complete
    assert trace.best_action == move.action
    assert trace.meta["start"] == [0]
    found = move.search
    assert found is not None
    assert (found.iterations, found.nodes) == (60, trace.n_nodes)
    last = trace.at(60)
    best = last.ranked_children()[0]
    assert found.visits == last.visits[best]
    assert found.mean_value == last.mean_value[best]
    assert not found.stopped


def test_one_seed_is_one_game_and_every_move_has_its_own(tmp_path: Path) -> None:
    one, same, other = (
        play_out(match(tmp_path / name, UCT, MCTSPY, seed=seed))
        for name, seed in (("one", 7), ("same", 7), ("other", 8))
    )
    assert one.standing.actions == same.standing.actions
    assert traces(one) == traces(same)
    seeds = [mv.open(one.folder / name).meta["seed"] for name in traces(one)]
    assert len(set(seeds)) == len(seeds) == len(one.standing.moves)
    assert seeds == [mv.open(same.folder / name).meta["seed"] for name in traces(same)]
    assert seeds[0] != mv.open(other.folder / traces(other)[0]).meta["seed"]


def test_an_engine_may_have_a_seed_and_parameters_of_its_own(tmp_path: Path) -> None:
    own = SearchOptions("uct", iterations=30, seed=5, overrides={"c": 0.25})
    firsts = [match(tmp_path / str(seed), own, None, seed=seed).plan() for seed in (1, 2)]
    assert firsts[0].seed == firsts[1].seed
    assert firsts[0].policies.c == 0.25
    assert own.title == "uct, c = 0.25"


def test_an_illegal_move_is_refused_with_the_legal_ones(tmp_path: Path) -> None:
    played = match(tmp_path / "a", None, None, start=["b2", "a1"])
    before = played.standing
    legal = "legal here: a3, b3, c3, a2, c2, b1, c1"
    for move in ("b2", "z9", 4, -1, "", 10**30):
        with pytest.raises(mv.GameError, match=legal):
            played.play(move)
    assert played.standing == before
    assert document(played)["moves"] == []


def test_nobody_moves_out_of_turn_or_after_the_end(tmp_path: Path) -> None:
    played = match(tmp_path / "a", UCT, None, start=["a1", "a2", "b1", "b2"])
    with pytest.raises(mv.GameError, match="turn of X, which an engine plays"):
        played.play("c1")
    assert played.think().name == "c1"
    assert played.result == "X wins"
    assert played.standing.to_move is None
    assert played.standing.legal == ()
    with pytest.raises(mv.GameError, match=r"the game is over \(X wins\): 'c2' cannot be played"):
        played.play("c2")
    with pytest.raises(mv.GameError, match="no engine is to move here"):
        played.think()


def test_a_stopped_engine_plays_its_best_move_so_far(tmp_path: Path) -> None:
    played = match(tmp_path / "a", SearchOptions("uct", seconds=600), None)
    told: list[tuple[int, int, str]] = []
    move = played.think(lambda *news: told.append(news), lambda: True)
    assert move.search is not None
    assert move.search.stopped
    assert 1 <= move.search.iterations < 10_000  # a chunk at least
    assert told[-1] == (move.search.iterations, move.search.nodes, move.name)
    trace = mv.open(played.folder / str(move.trace))
    assert trace.complete
    assert trace.best_action == move.action


def test_undo_takes_one_move_and_keeps_its_trace(tmp_path: Path) -> None:
    played = match(tmp_path / "a", None, UCT)
    played.play("a1")
    move = played.think()
    assert played.undo() == move
    assert played.standing.actions == (6,)
    assert played.standing.to_move == 1
    assert played.standing.taken_back == (move,)
    again = played.think()
    assert again.action == move.action  # the same seed, the same search
    assert again.trace == str(move.trace).replace(".mcts", "-2.mcts")
    assert len(traces(played)) == 2
    assert document(played)["taken_back"][0]["trace"] == move.trace


def test_taking_back_goes_to_the_persons_own_turn(tmp_path: Path) -> None:
    played = match(tmp_path / "a", UCT, None)
    with pytest.raises(mv.GameError, match="no move to take back"):
        played.undo()
    first = played.think()
    with pytest.raises(mv.GameError, match="no move of yours"):
        played.take_back()
    mine = played.play(played.standing.legal[0])
    reply = played.think()
    assert played.take_back() == [reply, mine]
    assert played.standing.moves == (first,)
    both = match(tmp_path / "b", UCT, UCT)
    both.think()
    both.think()
    assert [move.number for move in both.take_back()] == [2]


def test_a_new_match_begins_anywhere(tmp_path: Path) -> None:
    played = match(tmp_path / "a", UCT, UCT, game="connect_four", start=["column 4"])
    played.think()
    same = played.again(tmp_path / "b")
    assert same.standing.actions == (3,)
    assert same.sides == played.sides
    assert same.seed != played.seed
    other = played.again(tmp_path / "c", start=played.standing.actions)
    assert other.standing.actions == played.standing.actions
    assert other.standing.moves == ()


@in_memory
def test_the_folder_tells_the_whole_game(tmp_path: Path) -> None:
    played = match(tmp_path / "a", UCT, MCTSPY, start=["b2"], seed=3)
    begun = document(played)
    assert (begun["moves"], begun["result"], begun["outcome"]) == ([], None, None)
    assert begun["kind"] == "match"
    assert begun["game"] == {"name": "tic_tac_toe", "title": "Tic-Tac-Toe"}
    assert begun["start"] == [{"action": 4, "name": "b2"}]
    assert begun["seed"] == 3
    assert [(side["player"], side["preset"], side["iterations"]) for side in begun["sides"]] == [
        ("X", "uct", 60),
        ("O", "mctspy", 40),
    ]
    play_out(played)
    told = document(played)
    assert [move["action"] for move in told["moves"]] == [
        move.action for move in played.standing.moves
    ]
    assert sorted(move["trace"] for move in told["moves"]) == traces(played)
    assert {path.name for path in played.folder.iterdir()} == {"game.json", *traces(played)}
    for move in told["moves"]:
        trace = mv.open(played.folder / move["trace"])
        assert trace.best_action == move["action"]
        assert trace.meta["policies"]["preset"] == ("mctspy" if move["player"] == "O" else "uct")
        assert move["search"]["iterations"] == trace.n_iterations
    assert told["result"] == played.result
    assert told["outcome"] in (-1.0, 0.0, 1.0)


def test_the_specification_names_every_key_of_the_document(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/match-folder.md").read_text(encoding="utf-8")
    played = match(tmp_path / "a", UCT, None)
    played.think()
    told = document(played)
    (made,) = told["moves"]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(told)
    keys = {*told["sides"][0], *made, *made["search"], *told["game"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_games_with_long_names_and_many_moves_give_files_that_sort(tmp_path: Path) -> None:
    nine = match(tmp_path / "a", SearchOptions(iterations=3), None, game="ultimate_tic_tac_toe")
    assert str(nine.think().trace).startswith("01_X_board_")
    wide = match(tmp_path / "b", SearchOptions(iterations=3), None, game="mnk:15,15,5")
    assert str(wide.think().trace).startswith("001_X_")


def test_targets_are_the_cells_that_the_moves_would_take(tmp_path: Path) -> None:
    four = match(tmp_path / "a", None, None, game="connect_four", start=["column 3", "3"])
    cells = [cell for _, cell in four.targets().values()]
    assert cells == [35, 36, 23, 38, 39, 40, 41]
    assert four.targets()[2] == ("column 3", 23)
    nine = match(tmp_path / "b", None, None, game="sudo_tic_tac_toe", start=["board 5 cell 1"])
    assert nine.targets()[4] == ("board 1 cell 5", 10)
    assert {cell for _, cell in nine.targets().values()} == set(nine.board().region)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "go"}, "game 'go' is not known"),
        ({"sides": [SearchOptions("deep")]}, "1 sides: a match has two"),
        ({"sides": [None, SearchOptions("deep")]}, "engine of O: preset 'deep' is not known"),
        ({"sides": [SearchOptions(iterations=0), None]}, "engine of X: iterations = 0 is not"),
        ({"sides": [SearchOptions(overrides={"c": -1}), None]}, "engine of X: c = -1 is negative"),
        ({"sides": [SearchOptions(overrides={"d": 1}), None]}, "d: not a parameter of a search"),
        ({"sides": [SearchOptions(seed=-1), None]}, "seed = -1 is not a whole number"),
        ({"start": ["b2", "b2"]}, "move 2 of the start position, 'b2', is not legal"),
        ({"start": ["a1", "a2", "b1", "b2", "c1"]}, "the game is over at the start position"),
    ],
)
def test_nothing_is_written_for_a_match_that_cannot_be(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    wanted: dict[str, Any] = {"game": "tic_tac_toe", "sides": [None, UCT], "start": (), **changes}
    for begin in (check, lambda **asked: Match(folder=tmp_path / "a", **asked)):
        with pytest.raises(mv.MctsVizError, match=message):
            begin(**wanted)
    assert not (tmp_path / "a").exists()


def test_a_match_does_not_write_into_a_folder_in_use(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(mv.ExportError, match="not empty; name a new one"):
        match(tmp_path, None, UCT)
    with pytest.raises(mv.ExportError, match="cannot be made"):
        match(tmp_path / "mine.txt" / "a", None, UCT)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_search_that_breaks_leaves_the_match_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any, **options: Any) -> None:
        raise mv.TraceError("the disk is full")

    played = match(tmp_path / "a", UCT, None)
    before = played.standing
    monkeypatch.setattr("mcts_viz.runs.engine_move.run", full)
    with pytest.raises(mv.TraceError, match="the disk is full"):
        played.think()
    assert played.standing == before
    assert [path.name for path in played.folder.iterdir()] == ["game.json"]


def test_an_engine_goes_on_with_its_tree_where_its_preset_keeps_it(tmp_path: Path) -> None:
    engine = SearchOptions("baeldung", iterations=400, overrides={"keep_tree": True})
    match = Match("connect_four", (engine, None), tmp_path / "match", seed=3)
    first = match.think()
    before = mv.open(match.folder / str(first.trace))
    final = before.at(400)
    assert before.meta["inherited"] is None
    reply = final.principal_path[2]  # a move whose subtree is large
    match.play(int(final.action[reply]))
    second = mv.open(match.folder / str(match.think().trace))
    kept = second.at(0)
    assert second.meta["inherited"]["visits"] == kept.visits[0] == final.visits[reply] > 20
    assert kept.value_sum[0] == final.value_sum[reply]
    inside = [v for v in range(len(final)) if reply in final.path(v)]
    assert kept.visits.tolist() == final.visits[inside].tolist()
    assert kept.value_sum.tolist() == final.value_sum[inside].tolist()
    assert second.at(400).visits[0] == kept.visits[0] + 400


def test_a_line_taken_back_leaves_no_tree_behind(tmp_path: Path) -> None:
    def play(folder: str, detour: bool) -> mv.Trace:
        match = Match(
            "tic_tac_toe",
            (None, SearchOptions("rhu2001", iterations=300)),
            tmp_path / folder,
            seed=1,
        )
        match.play(0)
        match.think()
        if detour:
            match.play(match.standing.legal[0])
            match.think()
            match.take_back()
        match.play(match.standing.legal[-1])
        return mv.open(match.folder / str(match.think().trace))

    straight, again = play("straight", detour=False), play("again", detour=True)
    assert straight.meta["inherited"] == again.meta["inherited"] is not None
    t = straight.n_iterations
    assert straight.at(t).visits.tolist() == again.at(t).visits.tolist()


def test_an_engine_without_that_begins_anew(tmp_path: Path) -> None:
    engine = SearchOptions("uct", iterations=100)
    match = Match("tic_tac_toe", (engine, engine), tmp_path / "match", seed=3)
    for _ in range(3):
        trace = mv.open(match.folder / str(match.think().trace))
        assert trace.meta["inherited"] is None
        assert trace.n_iterations == trace.at(100).visits[0] == 100
