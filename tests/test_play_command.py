"""`mcts-viz play`: a game in the terminal, typed through a pipe."""

from __future__ import annotations

import io
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.cli.play import add_arguments, sides_of, thinking_words
from mcts_viz.engine.budget import Budget
from mcts_viz.runs.search import prepare

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a folder of its own to stand in, and nothing to type."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


def play(*more: str, game: str = "tic_tac_toe") -> int:
    return cli.main(["play", game, "--iterations", "50", "--seed", "1", *more])


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def document(name: str = "g") -> dict[str, Any]:
    told: dict[str, Any] = json.loads((Path(name) / "game.json").read_text(encoding="utf-8"))
    return told


def moves(name: str = "g") -> list[str]:
    return [move["name"] for move in document(name)["moves"]]


def traces(name: str = "g") -> list[str]:
    return sorted(path.name for path in Path(name).glob("*.mcts"))


def test_a_person_plays_by_name_and_by_number(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typing(monkeypatch, "b2", "quit")
    assert play("-o", "g") == 0
    said, err = capfd.readouterr()
    assert err == ""
    mine, theirs = moves()
    assert mine == "b2"
    (trace,) = traces()
    assert trace == f"02_O_{theirs}.mcts"
    best = mv.open(Path("g") / trace).at(50)
    child = best.ranked_children()[0]
    told = f"{best.visits[child]} of 50 visits, mean {best.mean_value[child]:.4f}, most visits"
    assert f"O plays {theirs}: {told}; {Path('g') / trace}\n" in said
    assert "Tic-Tac-Toe. X: you, O: uct.\n" in said
    assert "2  . [X] .\n" in said
    assert said.endswith(
        "The game (not finished) is in g: game.json and 1 trace.\n"
        "Look at it: python -m mcts_viz show g\n"
    )
    typing(monkeypatch, "4")
    assert play("-o", "h") == 0
    assert moves("h") == [mine, theirs]


def test_the_end_of_what_is_typed_ends_politely(capfd: Captured) -> None:
    assert play("-o", "g") == 0
    assert capfd.readouterr().out.endswith(
        "X> \nThe game (not finished) is in g: game.json and 0 traces.\n"
    )


def test_the_second_side_is_played_with_you_o(monkeypatch: pytest.MonkeyPatch) -> None:
    typing(monkeypatch, "quit")
    assert play("--you", "o", "-o", "g") == 0
    assert len(moves()) == 1
    assert [side["by"] for side in document()["sides"]] == ["engine", "person"]


def test_what_is_no_move_is_told_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typing(monkeypatch, "b9", "", "b2", "b2", "99", "undo extra", "new b2,b2", "moves")
    assert play("-o", "g") == 0
    said = capfd.readouterr().out
    assert "tic_tac_toe has no move 'b9'" in said
    assert "'b2' is not legal here; legal here: " in said
    assert "tic_tac_toe has no move '99'" in said
    assert "move 2 of the start position, 'b2', is not legal" in said
    assert moves()[0] == "b2"
    assert len(moves()) == 2
    assert not Path("g-2").exists()


def test_bytes_that_are_no_text_do_not_end_the_game(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nb2\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", typed)
    assert play("-o", "g") == 0
    assert "has no move" in capfd.readouterr().out
    assert moves()[0] == "b2"


def test_undo_takes_the_engines_move_and_ones_own(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typing(monkeypatch, "undo", "b2", "undo", "a1")
    assert play("-o", "g") == 0
    said = capfd.readouterr().out
    assert "there is no move of yours to take back" in said
    assert "taken back: " in said
    assert moves()[0] == "a1"
    assert [move["name"] for move in document()["taken_back"]][1] == "b2"
    assert len(traces()) == 2


def test_new_begins_again_in_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typing(monkeypatch, "b2", "new", "c3", "new b2, a1", "a2")
    assert play("-o", "g") == 0
    said = capfd.readouterr().out
    assert "The game (not finished) is in g: game.json and 1 trace." in said
    assert moves("g")[0] == "b2"
    assert moves("g-2")[0] == "c3"
    assert [move["name"] for move in document("g-3")["start"]] == ["b2", "a1"]
    assert moves("g-3")[0] == "a2"


def test_after_the_end_one_may_undo_or_begin_again(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    typing(monkeypatch, "c1", "b3", "undo", "c3")
    assert play("--start", "a1,a2,b1,b2", "-o", "g") == 0
    said = capfd.readouterr().out
    assert "X wins.\n" in said
    assert "the game is over (X wins): 'b3' cannot be played any more" in said
    assert moves()[0] == "c3"


def test_two_presets_play_a_whole_game(capfd: Captured) -> None:
    assert play("--against", "mctspy", "-o", "g", game="mnk:4,4,3") == 0
    said = capfd.readouterr().out
    told = document()
    assert [side["preset"] for side in told["sides"]] == ["uct", "mctspy"]
    assert told["result"] is not None
    assert said.count(" plays ") == len(told["moves"]) == len(traces())
    assert f"The game ({told['result']}) is in g: game.json and {len(traces())} traces." in said
    assert "undo" not in said
    assert play("--against", "mctspy", "--you", "none", "-o", "h", game="mnk:4,4,3") == 0
    assert moves("h") == moves("g")


def test_without_a_name_the_folder_is_named_after_the_game(folder: Path) -> None:
    assert play("--you", "none", "--c", "0.3", game="mnk:3,3,3") == 0
    (made,) = folder.iterdir()
    assert made.name.startswith("mnk_3x3x3_")
    assert document(made.name)["sides"][1]["overrides"] == {"c": 0.3}


def test_each_engine_takes_every_parameter_of_a_search(capfd: Captured) -> None:
    options = [
        "--selection", "ucb1_double_log", "--solver", "--c", "2", "--against", "tech_io", "--against-c", "0.5",
        "--against-final-move", "highest_mean", "--no-against-solver", "--against-iterations", "60",
    ]  # fmt: skip
    assert play(*options, "-o", "g") == 0
    first, second = document()["sides"]
    assert (first["preset"], first["iterations"]) == ("uct", 50)
    assert first["overrides"] == {"selection": "ucb1_double_log", "solver": True, "c": 2}
    assert (second["preset"], second["iterations"]) == ("tech_io", 60)
    assert second["overrides"] == {
        "selection": "ucb1_double_log", "solver": False, "c": 0.5, "final_move": "highest_mean",
    }  # fmt: skip
    for trace in traces():
        told = mv.open(Path("g") / trace).meta["policies"]
        assert told["selection"]["c"] == (2 if "_X_" in trace else 0.5)
        assert told["backpropagation"]["solver"] is ("_X_" in trace)
    assert "O: tech_io, " in capfd.readouterr().out


@pytest.mark.parametrize(
    ("first", "second", "budget", "level"),
    [
        ("--preset baeldung --level 2", "--against uct --against-iterations 20", 20, None),
        ("--preset baeldung --level 2", "--against uct", None, None),
        ("--preset baeldung --level 2", "--against-iterations 20", 20, None),
        ("--preset baeldung --level 2", "--against baeldung", None, 2),
        ("--preset baeldung --level 2", "--against-level none", None, None),
        ("--preset uct --iterations 20", "--against baeldung --against-level 1", None, 1),
        ("--preset baeldung --iterations 20", "--against-level none", 20, None),
    ],
)
def test_a_level_is_a_budget_of_one_engine(
    first: str, second: str, budget: int | None, level: int | None
) -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args(["tic_tac_toe", "--you", "none", *first.split(), *second.split()])
    given = [side for side in sides_of(options, "XO", "X") if side is not None]
    searches = [prepare("tic_tac_toe", side) for side in given]
    assert searches[0].policies.level == (2 if "--level" in first else None)
    assert given[1].iterations == budget
    assert searches[1].policies.level == level
    if budget is not None:
        assert searches[1].budget.iterations == budget


def test_what_is_told_while_an_engine_thinks() -> None:
    told = thinking_words(Budget(2_000, None), 3.0, 500, 1_234, "b2")
    assert told == "500 of 2,000 iterations, 1,234 nodes; best: b2; about 9.0 s left"
    told = thinking_words(Budget(None, 8.0), 2.0, 500, 1_234, "b2")
    assert told == "500 iterations, 1,234 nodes; best: b2; about 6.0 s left"
    assert thinking_words(Budget(10, None), 3.0, 10, 11, "").endswith("11 nodes; best: none yet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["go"], "game 'go' is not known"),
        (["tic_tac_toe", "--preset", "deep"], "preset 'deep' is not known; choose one of: "),
        (["tic_tac_toe", "--you", "Z"], "--you Z: no such side here; choose one of: X, O, none"),
        (
            ["tic_tac_toe", "--against", "uct", "--you", "X"],
            "--against uct names a second engine, but --you X takes its side; leave one out",
        ),
        (
            ["tic_tac_toe", "--against-c", "1"],
            "--against-c is for a second engine, and you take its side; leave it out",
        ),
        (
            ["tic_tac_toe", "--against-n-rollouts", "0", "--you", "none"],
            "engine of O: n_rollouts = 0 is not a whole number from 1",
        ),
        (["tic_tac_toe", "--iterations", "0"], "engine of O: iterations = 0 is not"),
        (["tic_tac_toe", "--start", "b2,b2"], "'b2', is not legal"),
        (["tic_tac_toe", "-o", "."], "this folder is not empty"),
    ],
)
def test_a_game_that_cannot_begin_is_one_line_and_code_2(
    arguments: list[str], message: str, folder: Path, capfd: Captured
) -> None:
    (folder / "mine.txt").write_text("precious")
    assert cli.main(["play", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("mcts-viz: ")
    assert message in err
    assert err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_o_begins_where_it_is_said(capfd: Captured) -> None:
    assert play("--begins", "O", "--you", "none", "-o", "g") == 0
    assert document()["sides"][0]["player"] == "O"
    assert traces()[0].startswith("01_O_")
    said = capfd.readouterr().out
    assert said.index("O plays") < said.index("X plays")
    trace = mv.open(Path("g") / traces()[2])
    assert trace.meta.players == ("O", "X")
    board = trace.at(0).state(0)
    assert board is not None
    assert (board.count("O"), board.count("X")) == (1, 1)
    first = mv.open(Path("g") / traces()[1]).at(0).state(0)
    assert first is not None
    assert (first.count("O"), first.count("X")) == (1, 0)
    assert trace.rerun().meta.players == ("O", "X")


def test_a_person_with_x_answers_an_engine_that_begins_with_o(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typing(monkeypatch, "quit")
    assert play("--begins", "o", "-o", "g") == 0
    assert [move["player"] for move in document()["moves"]] == ["O"]


def test_who_begins_is_drawn_by_the_seed_and_another_symbol_is_refused() -> None:
    begun = [
        mv.search("tic_tac_toe", iterations=2, seed=seed, begins="random").meta.players[0]
        for seed in range(12)
    ]
    assert set(begun) == {"X", "O"}
    with pytest.raises(mv.GameError, match="begins = 'Z': no such side here; choose one of: X, O"):
        mv.search("tic_tac_toe", begins="Z")
