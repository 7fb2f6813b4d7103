"""OpenSpiel's Python bot moves as if alone, and a trace has the numbers of its own tree."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.recording.libraries.open_spiel import check_game
from mcts_viz.trace.players import CHANCE
from tests.lazy import open_spiel_mcts as mcts
from tests.lazy import pyspiel

GAMES = ("tic_tac_toe", "connect_four", "pig(players=2)", "blackjack")


@functools.cache
def remembering_bot() -> Any:
    """A bot that keeps the roots of its searches, to compare with."""

    class RememberingBot(mcts.MCTSBot):  # type: ignore[misc, name-defined]
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            self.roots: list[Any] = []

        def mcts_search(self, state: Any) -> Any:
            self.roots.append(super().mcts_search(state))
            return self.roots[-1]

    return RememberingBot


def bot_and_state(name: str, seed: int, solve: bool = True, formula: str = "uct_value") -> Any:
    game = pyspiel.load_game(name)
    random = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = remembering_bot()(
        game, 2.0, 120, evaluator, solve=solve, random_state=random,
        child_selection_fn=getattr(mcts.SearchNode, formula),
    )  # fmt: skip
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return bot, state


Tree = dict[tuple[int, ...], tuple[int, float]]  # actions -> visits, sum


def tree_of(root: Any) -> Tree:
    found: Tree = {}
    nodes: list[tuple[tuple[int, ...], Any]] = [((), root)]
    while nodes:
        actions, node = nodes.pop()
        found[actions] = (node.explore_count, node.total_reward)
        nodes += [((*actions, child.action), child) for child in node.children]
    return found


def told(snapshot: mv.Snapshot) -> Tree:
    actions: list[tuple[int, ...]] = [()]
    for parent, action in zip(snapshot.parent[1:].tolist(), snapshot.action[1:].tolist()):
        actions.append((*actions[parent], action))
    return dict(zip(actions, zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())))


def with_root_turned(tree: Tree, name: str) -> Tree:
    """Where two play, the bot keeps its root's value in the view of the player to move, who is the
    other one in a trace."""
    visits, total = tree[()]
    return tree if name == "blackjack" else {**tree, (): (visits, -total)}


def test_the_roots_value_is_that_of_its_children_for_the_other_player() -> None:
    bot, state = bot_and_state("tic_tac_toe", 2)
    with mv.watch_open_spiel(bot) as watched:
        bot.step(state)
    columns = watched.trace.columns
    last = watched.trace.at(watched.trace.n_iterations)
    assert last.value_sum[0] == -columns.outcome.sum() != 0.0  # view of player 0, who is to move
    own = columns.outcome[columns.leaf == 0].sum()
    assert last.value_sum[0] == -last.value_sum[last.children(0)].sum() - own


def test_two_may_listen_to_one_bot() -> None:
    bot, state = bot_and_state("tic_tac_toe", 2)
    own = bot.mcts_search
    bot.mcts_search = lambda state: own(state)
    mine = bot.mcts_search
    with mv.watch_open_spiel(bot) as outer:
        with mv.watch_open_spiel(bot) as inner:
            bot.step(state)
        bot.step(state)
    bot.step(state)
    assert (len(outer.traces), len(inner.traces)) == (2, 1)
    assert bot.mcts_search is mine
    assert len(bot.roots) == 3


@pytest.mark.parametrize("name", GAMES)
def test_the_bot_moves_as_if_alone_and_its_tree_is_in_the_trace(name: str, tmp_path: Path) -> None:
    alone, state = bot_and_state(name, 7)
    expected = alone.step(state)
    bot, state = bot_and_state(name, 7)
    with mv.watch_open_spiel(bot, tmp_path / "run.mcts") as watched:
        assert bot.step(state) == expected
    assert tree_of(bot.roots[0]) == tree_of(alone.roots[0])
    for trace in (watched.trace, mv.open(tmp_path / "run.mcts")):
        assert trace.complete
        assert trace.n_iterations == bot.roots[0].explore_count
        assert told(trace.at(trace.n_iterations)) == with_root_turned(tree_of(bot.roots[0]), name)
        assert set(trace.meta["not_observed"]) >= {"rollout", "terminal"}
        assert "outcome" not in trace.meta["not_observed"]
    assert bot.step(state) is not None  # no longer watched
    assert len(watched.traces) == 1


def test_every_search_is_a_trace(tmp_path: Path) -> None:
    bot, state = bot_and_state("tic_tac_toe", 1)
    with mv.watch_open_spiel(bot, tmp_path / "move.mcts") as watched:
        for _ in range(3):
            state.apply_action(bot.step(state))
    assert [trace.meta["start"] for trace in watched.traces] == [
        state.history()[:n] for n in range(3)
    ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["move-2.mcts", "move-3.mcts", "move.mcts"]


def test_nodes_of_chance_are_marked_and_values_are_the_decision_makers() -> None:
    bot, state = bot_and_state("pig(players=2)", 3)
    with mv.watch_open_spiel(bot) as watched:
        bot.step(state)
    snapshot = watched.trace.at(watched.trace.n_iterations)
    by_chance = snapshot.to_move == CHANCE
    assert by_chance.any()
    assert watched.trace.meta["format_version"] == 3
    event = int(np.flatnonzero(by_chance[snapshot.parent] & (snapshot.parent >= 0))[0])
    assert "for" not in str(watched.trace.explain(node=int(snapshot.parent[event])))
    assert "roll" in snapshot.label(int(snapshot.parent[event])).lower()


@pytest.mark.parametrize("solve", [True, False])
def test_whether_the_solver_carries_results_up_is_told(solve: bool) -> None:
    bot, state = bot_and_state("tic_tac_toe", 1, solve=solve)
    with mv.watch_open_spiel(bot) as watched:
        bot.step(state)
    assert watched.trace.meta.policies.backpropagation.carried is solve


def test_proven_results_are_those_of_the_solver() -> None:
    game = pyspiel.load_game("tic_tac_toe")
    random = np.random.RandomState(1)
    bot = remembering_bot()(
        game, 2.0, 2_000, mcts.RandomRolloutEvaluator(1, random), random_state=random
    )
    state = game.new_initial_state()
    for action in (0, 4, 1, 2):  # X has to stop O at 6
        state.apply_action(action)
    with mv.watch_open_spiel(bot) as watched:
        bot.step(state)
    snapshot = watched.trace.at(watched.trace.n_iterations)
    assert snapshot.proven is not None
    for child in bot.roots[0].children:
        (node,) = (v for v in snapshot.children(0) if snapshot.action[v] == child.action)
        expected = np.nan if child.outcome is None else child.outcome[0]
        assert snapshot.proven[node] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "name", ["pig(players=3)", "oh_hell(players=3)", "first_sealed_auction", "tiny_hanabi"]
)
def test_where_more_play_or_one_does_not_lose_what_the_other_wins_each_player_has_values(
    name: str,
) -> None:
    bot, state = bot_and_state(name, 3)
    with mv.watch_open_spiel(bot) as watched:
        bot.step(state)
    trace, n = watched.trace, state.num_players()
    last = trace.at(trace.n_iterations)
    assert last.player_sums is not None
    assert last.player_sums.shape == (len(last), n)
    own = {place: total for place, (_, total) in tree_of(bot.roots[0]).items() if place}
    assert {place: total for place, (_, total) in told(last).items() if place} == own
    assert last.player_sums[0, state.current_player()] == bot.roots[0].total_reward
    assert {finding.severity for finding in trace.check()} <= {"note"}
    assert str(trace.explain())


def test_games_that_no_trace_can_tell_of_are_refused() -> None:
    check_game(pyspiel.load_game("pig(players=3)"))
    with pytest.raises(mv.TraceError, match="has 17 players, and a trace up to 16"):
        check_game(Crowded())


class Crowded:
    """What the bot asks a game of."""

    def num_players(self) -> int:
        return 17

    def get_type(self) -> Any:
        return pyspiel.load_game("pig").get_type()
