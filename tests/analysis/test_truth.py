"""`trace.truth`: what it says of a search is what a plain minimax says of its positions."""

import json
from pathlib import Path

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz import cli
from mcts_viz.analysis.game_value.data import NOT_KNOWN, RIGHT, WRONG
from mcts_viz.analysis.game_value.values import MOST_NODES, GameValues
from mcts_viz.games import game
from tests.games.nim import Nim
from tests.indexed import searched
from tests.solver.reference import exact

# X . .
# . O .   O has taken the centre; whatever X plays but nonsense is a draw
# . . .
STARTS = {"tic_tac_toe": [0, 4], "mnk:4,3,3": [0, 5, 1]}


def moves_by_minimax(name: str, start: list[int], line: list[int]) -> dict[int, tuple[int, int]]:
    """Action -> (result for the player to move, plies)."""
    played = game(name)
    state, _ = played.position([*start, *line])
    found = {}
    for action in played.legal(state):
        result, plies = exact(played, played.position([*start, *line, action])[0], {})
        found[action] = (-result, plies + 1)
    return found


@pytest.mark.parametrize("name", STARTS)
def test_results_of_moves_and_nodes_are_those_of_minimax(name: str) -> None:
    start = STARTS[name]
    trace = mv.search(name, iterations=300, seed=1, start=start, compile=False)
    told = trace.truth()
    expected = moves_by_minimax(name, start, [])
    assert {each.action: each.result for each in told.moves} == {
        action: result for action, (result, _) in expected.items()
    }
    for each in told.moves:
        assert each.plies == (expected[each.action][1] if each.result else None)
    assert told.result == max(result for result, _ in expected.values())
    last = trace.at(300)
    for node, result in list(zip(told.nodes.tolist(), told.results.tolist()))[:60]:
        line = [int(last.action[v]) for v in last.path(node)[1:]]
        played = game(name)
        state, _ = played.position([*start, *line])
        mine, _ = exact(played, state, {})
        assert result == (mine if played.rules.to_move(state) == 0 else -mine)


def test_verdicts_and_regret_follow_the_leader_of_each_iteration() -> None:
    # X takes a corner, O an edge: that loses; X to move has winning and drawing moves
    trace = mv.search("tic_tac_toe", iterations=250, seed=3, start=[0, 1], compile=False)
    told = trace.truth()
    results = {action: result for action, (result, _) in
               moves_by_minimax("tic_tac_toe", [0, 1], []).items()}  # fmt: skip
    worth = {1: 1.0, 0: 0.5, -1: 0.0}
    best = max(results.values())
    assert best == 1
    for t in range(trace.n_iterations + 1):
        action = trace.at(t).best_action
        if action is None:
            assert told.verdict[t] == NOT_KNOWN
            assert np.isnan(told.regret[t])
        else:
            assert told.regret[t] == worth[best] - worth[results[action]]
            assert told.verdict[t] == (RIGHT if results[action] == best else WRONG)
    wrong = np.flatnonzero(told.verdict != RIGHT)
    assert told.right_since == (int(wrong[-1]) + 1 if told.verdict[-1] == RIGHT else None)
    assert (told.verdict == WRONG).any()
    covered = [verdict for first, last, verdict in told.stretches for _ in range(first, last + 1)]
    assert covered == told.verdict.tolist()


@pytest.mark.parametrize("t", [0, 1, 4_999, 20_000])
def test_by_its_index_the_same_is_told(
    t: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed = searched("tic_tac_toe", 20_000, tmp_path, monkeypatch)
    whole = mv.search("tic_tac_toe", iterations=20_000, seed=1, rollouts=False)
    told, expected = indexed.truth(t), whole.truth(t)
    assert told.stretches == expected.stretches
    assert told.right_since == expected.right_since
    assert len(told.nodes) == min(MOST_NODES, whole.at(t).n_nodes)
    for name in ("nodes", "results", "verdict", "regret"):
        np.testing.assert_array_equal(getattr(told, name), getattr(expected, name))


def mistaken() -> GameValues:
    """The tree after an early iteration, whose answer is wrong."""
    trace = mv.search("tic_tac_toe", iterations=250, seed=3, start=[0, 1], compile=False)
    t = int(np.flatnonzero(trace.truth().verdict == WRONG)[-1])
    return trace.truth(t)


def test_a_mistake_is_called_one_with_what_is_better() -> None:
    told = mistaken()
    assert told.mistake
    assert told.chosen is not None
    assert told.right_since is None
    text = str(told)
    assert "This is a mistake" in text
    assert told.chosen.move in text
    assert f"{told.moves[0].move} wins in {told.moves[0].plies} plies" in text


def test_a_right_move_is_called_right_and_since_when() -> None:
    trace = mv.search("tic_tac_toe", iterations=400, seed=1, start=[0, 3], compile=False)
    told = trace.truth()
    assert told.mistake is False
    assert told.right_since is not None
    text = str(told)
    assert " is right: it wins in " in text
    assert f"since iteration {told.right_since:,}." in text
    # every number in it is one that the truth carries
    assert f"{told.looked_at:,} positions of at most {told.limit:,}" in text


def test_what_is_not_solved_is_not_known_and_says_so() -> None:
    trace = mv.search("connect_four", iterations=50, seed=1, compile=False)
    told = trace.truth(limit=3_000)
    assert told.mistake is None
    assert told.result is None
    assert told.right_since is None
    assert told.looked_at <= 3_000
    assert np.isnan(told.regret).all()
    assert (told.verdict == NOT_KNOWN).all()
    assert "not known" in str(told)
    assert told.unknown == "7 of 7 moves could not be solved within the budget"


def test_a_winning_move_is_right_whatever_the_others_do() -> None:
    # both sides have three in their column; X to move wins at once. No other move is solved
    start = [3, 0, 3, 0, 3, 0]
    trace = mv.search("connect_four", iterations=200, seed=1, start=start, compile=False)
    told = trace.truth(limit=6)
    assert told.moves[0].move == "column 4"
    assert (told.moves[0].result, told.moves[0].plies) == (1, 1)
    assert any(each.result is None for each in told.moves)
    assert told.mistake is False
    assert told.unknown is not None


@pytest.mark.thorough
def test_the_same_limit_gives_the_same_answer() -> None:
    trace = mv.search("connect_four:5,5", iterations=100, seed=1, compile=False)
    first, second = trace.truth(limit=200_000), trace.truth(limit=200_000)
    assert first.as_json() == second.as_json()
    assert first.looked_at <= 200_000


def test_a_move_within_a_sentence_begins_small() -> None:
    trace = mv.search("connect_four", iterations=20, seed=1)
    assert str(trace.truth(limit=1)).startswith("Whether column ")


def test_a_limit_below_nothing_is_refused() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, compile=False)
    with pytest.raises(mv.TraceError, match="give 0 or more"):
        trace.truth(limit=-1)
    assert trace.truth(limit=0).looked_at == 0


def test_a_game_of_ones_own_is_solved_with_its_rules() -> None:
    trace = mv.search(Nim(), iterations=200, seed=1)
    assert trace.truth().unknown == f"the rules of {Nim().name} are not known here"
    assert trace.truth().moves == ()
    told = trace.truth(game=Nim(), limit=10_000_000)
    assert told.mistake is not None
    assert told.unknown is None
    assert any(each.verdict == RIGHT for each in told.moves)


def test_a_finished_game_has_nothing_to_choose() -> None:
    trace = mv.search("tic_tac_toe", iterations=400, seed=1, start=[0, 3, 1, 4], compile=False)
    last = trace.at(400)
    won = next(v for v in last.children() if last.terminal[v])
    told = trace.truth(node=won)
    assert told.over
    assert str(told).startswith(f"Game-theoretic value at node {won}: the game is over.")


def test_the_command_prints_words_or_data(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcts"
    trace = mv.search("tic_tac_toe", iterations=200, seed=1, compile=False, path=path)
    assert cli.main(["truth", str(path), "--at", "150", "--limit", "100000"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert said == " ".join(str(trace.truth(150, limit=100_000)).split())
    assert cli.main(["truth", str(path), "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data == json.loads(json.dumps(trace.truth().as_json()))
    assert data["result"] == 0
    assert len(data["regret"]) == 201
