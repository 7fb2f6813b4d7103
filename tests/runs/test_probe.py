"""A search is run from a spread of positions, and what is wrong at the end of games is found."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.games import game
from mcts_viz.health.catalogue import found
from mcts_viz.runs.probe_positions import (
    FEW_MOVES,
    MIDDLE,
    NEAR_END,
    OPENING,
    WANTED,
    ProbePosition,
    probe_positions,
)
from mcts_viz.runs.probe_report import Probed, report
from mcts_viz.solver.tactics import Tactics
from mcts_viz.testing import assert_search_healthy
from tests.games.nim import Nim
from tests.health.unusual import Rules, Search
from tests.runs.probed_searches import CORRECT, FAULTY, FIELDS, EndFlipped

TICTACTOE = game("tic_tac_toe")
# few, for tests that only look at the report: an end near by, a win at once, and a full board to come
FEW = [[0, 4, 1, 3], [0, 4, 8, 2, 6], [0, 1, 2, 4, 3]]


@pytest.mark.parametrize(
    ("moves", "task"),
    [
        ([0, 3, 1, 4], ("win in 1", {2})),  # X X . / O O . : X completes the row
        ([0, 4, 1], ("loss in 1", {2})),  # X X . : O has to stop it
        ([0, 1, 4, 2, 3], ("lost in 1", set())),  # X has two lines to complete, O none
        ([0, 5], None),
    ],
)
def test_what_is_forced_is_known(moves: list[int], task: tuple[str, set[int]] | None) -> None:
    state, _ = TICTACTOE.position(moves)
    assert Tactics(TICTACTOE, 100_000).task(state, moves=1) == task


def test_a_double_threat_is_a_win_in_two() -> None:
    task = Tactics(TICTACTOE, 100_000).task(TICTACTOE.position([0, 1, 4, 8])[0])
    assert task is not None
    assert task.kind == "win in 2"
    assert 3 in task.right  # a2 and then a3 or c2


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "mnk:4,4,3"])
def test_positions_are_spread_over_the_game(name: str) -> None:
    positions = probe_positions(game(name), False, 1)
    kinds = {position.kind for position in positions}
    assert {OPENING, MIDDLE, NEAR_END, FEW_MOVES, "win in 1", "loss in 1"} <= kinds <= set(WANTED)
    assert all(position.legal for position in positions)  # the game goes on
    assert len({str(p.flat_state) + p.kind for p in positions}) == len(positions)
    assert {p.to_move for p in positions if p.kind == "win in 1"} == {0, 1}
    again = probe_positions(game(name), False, 1)
    assert [p.moves for p in again] == [p.moves for p in positions]


def test_a_position_is_its_moves_and_more() -> None:
    position = ProbePosition(game("connect_four"), (3, 2), OPENING)
    assert list(position) == [3, 2]
    assert (len(position), position[1], position[:1]) == (2, 2, (3,))
    assert position.names == ["column 4", "column 3"]
    assert position.to_move == 0
    assert "X" in position.text
    assert position.state is not position.state
    assert str(position) == "opening, X to move after column 4, column 3"


def test_a_correct_search_is_healthy() -> None:
    found = mv.probe(CORRECT["UCT"], "tic_tac_toe", positions=FEW, iterations=200)
    assert found.findings == ()
    assert found.is_healthy
    assert "nothing is wrong" in str(found)
    assert [trace.n_iterations for trace in found.traces if trace] == [200] * 3
    assert_search_healthy(CORRECT["UCT"], "tic_tac_toe", positions=FEW, iterations=200)


def test_the_report_says_what_where_and_how_often(tmp_path: Path) -> None:
    found = mv.probe(
        FAULTY["the end is a draw"], "tic_tac_toe", positions=FEW, iterations=200, folder=tmp_path
    )
    (finding,) = (one for one in found.findings if one.check == "simulation-terminal")
    assert set(finding.positions) <= {0, 1, 2}
    assert finding.position is found.positions[finding.index]
    assert "usually:" in repr(found)
    assert f"best at position {finding.index + 1}: " in str(found)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["findings"][0]["check"] == found.findings[0].check
    assert told["positions"][0]["moves"] == FEW[0]
    kept = sorted(tmp_path.glob("*.mcts"))
    assert len(kept) == 3
    assert mv.open(kept[0]).n_iterations == 200
    with pytest.raises(AssertionError, match="simulation-terminal"):
        assert_search_healthy(
            FAULTY["the end is a draw"], "tic_tac_toe", positions=FEW, iterations=200
        )


def test_what_is_accepted_stays_and_is_healthy() -> None:
    reasons = {"simulation-terminal": "known", "tactics-win-missed": "known"}
    found = mv.probe(
        FAULTY["the end is a draw"], "tic_tac_toe", positions=FEW, iterations=200, accept=reasons
    )
    assert found.is_healthy
    assert "[accepted: known]" in str(found)
    assert str(found).splitlines()[0].endswith(f"each: {len(found.findings)} accepted")


def test_a_search_that_fails_somewhere_has_a_finding() -> None:
    def make_search(position: ProbePosition) -> Any:
        if len(position) == 5:
            raise IndexError("list index out of range")
        return CORRECT["UCT"](position)

    found = mv.probe(make_search, "tic_tac_toe", positions=FEW, iterations=20)
    (finding,) = found.findings
    assert (finding.check, finding.message) == (
        "search-fails",
        "IndexError: list index out of range",
    )
    assert finding.positions == (1, 2)
    assert found.traces[1] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "make_search=None cannot be called"),
        (lambda position: 5, "make_search gave int '5'; give the root, the function"),
        (lambda position: (1, 2, {}), "step 2, which cannot be called"),
        (lambda position: (1, print, {"child": "a"}), "the fields that make_search gave: "),
        (lambda position: 1 / 0, "fails at every position, first at your own, X to move"),
    ],
)
def test_what_is_given_wrong_is_said(given: Any, message: str) -> None:
    with pytest.raises(mv.SearchError, match=message):
        mv.probe(given, "tic_tac_toe", positions=[[0, 5]])


def test_a_step_may_tell_outcomes() -> None:
    def make_search(position: ProbePosition) -> Any:
        search = Search(Rules("tic_tac_toe", list(position)), 1)
        told = list[float]()
        evaluate = search.evaluate
        search.evaluate = lambda leaf: told.append(evaluate(leaf)) or told[-1]  # type: ignore
        return search.root, lambda: search.step() or {"outcome": told[-1]}, FIELDS  # type: ignore

    found = mv.probe(make_search, "tic_tac_toe", positions=FEW, iterations=50)
    assert found.findings == ()
    trace = found.traces[0]
    assert trace is not None
    assert trace.iteration(1).outcome in (-1, 0, 1)


class OwnRules(Rules):
    """Nim, as its own search asks for it."""

    def __init__(self, state: Any) -> None:
        self.nim, self.first = Nim(), state

    def moves(self, state: Any) -> list[int]:
        return list(self.nim.legal_actions(state))

    def play(self, state: Any, move: int) -> Any:
        return self.nim.play(state, move)

    def player(self, state: Any) -> int:
        return self.nim.to_move(state)

    def outcome(self, state: Any) -> float | None:
        return self.nim.outcome(state)


@pytest.mark.parametrize("kind", [Search, EndFlipped])
def test_a_game_of_the_users_own_is_probed(kind: type[Search]) -> None:
    """A position has the state that the game's own methods take."""

    def make_search(position: ProbePosition) -> Any:
        search = kind(OwnRules(position.state), 1)
        return search.root, search.step, FIELDS

    found = mv.probe(make_search, Nim(3, 2), positions=[[], [0]], iterations=100)
    assert bool(found.findings) == (kind is EndFlipped)
    assert {position.kind for position in mv.probe(make_search, Nim(3, 2, 2), iterations=1).positions} >= {
        OPENING, NEAR_END, "win in 1",
    }  # fmt: skip


# there are none; and the last move of Connect Four is always the other player's, for whom a draw may be a loss
NOT_TO_BE_SEEN = {
    ("tic_tac_toe", "full columns"),
    ("connect_four", "a draw on the board is a win"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("mistake", FAULTY)
def test_a_search_that_mishandles_ends_is_found(name: str, mistake: str) -> None:
    if (name, mistake) in NOT_TO_BE_SEEN:
        pytest.skip("cannot be seen there")
    assert mv.probe(FAULTY[mistake], name).findings


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("kind", CORRECT)
def test_a_correct_search_has_no_finding(name: str, kind: str) -> None:
    assert mv.probe(CORRECT[kind], name).findings == ()


def test_what_a_search_does_at_most_positions_explains_what_looks_wrong_at_few() -> None:
    def probed(*checks: str) -> Probed[mv.Trace]:
        position = ProbePosition(TICTACTOE, (), OPENING)
        return Probed(
            position, None, [found(check, None, None, "x") for check in checks], None, None
        )

    shared, spoilt = probed("visits-shared-nodes"), probed("visits-off-path", "visits-root")
    assert report("x", 1, [shared, shared, spoilt], {}).findings == ()
    alone = report("x", 1, [shared, spoilt, spoilt], {}).findings
    assert [finding.check for finding in alone] == ["visits-off-path", "visits-root"]


def test_a_finding_at_few_positions_is_a_note_beside_one_at_many() -> None:
    def probed(*checks: str) -> Probed[mv.Trace]:
        position = ProbePosition(TICTACTOE, (), OPENING)
        said = [replace(found(check, None, None, "x"), severity="error") for check in checks]
        return Probed(position, None, said, None, None)

    first, both = (
        probed("simulation-first-move"),
        probed("simulation-first-move", "simulation-flipped"),
    )
    told = report("x", 1, [first, first, first, both], {})
    assert [one.check for one in told.findings] == ["simulation-first-move"]
    (note,) = told.notes
    assert note.check == "simulation-flipped"
    assert "at 1 position alone, and simulation-first-move is found at 4" in note.message
    told = report("x", 1, [first, both, both], {})
    assert {one.check for one in told.findings} == {"simulation-first-move", "simulation-flipped"}
