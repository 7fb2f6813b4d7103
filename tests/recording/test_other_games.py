"""Searches that are no two-player games taking turns: alone, with chance, with extra moves, with a root
that is replaced."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.trace.players import CHANCE
from samples import beyond_two_players
from samples.own_game import Kalah
from tests.complaints import complaints
from tests.recording.searches import PlainUCT

FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "wins", "action": "move"}  # fmt: skip


def node(visits: int = 0, value: float = 0.0, *children: Any, **more: Any) -> Any:
    return SimpleNamespace(visits=visits, wins=value, children=list(children), move=0, **more)


@pytest.mark.parametrize("view", ["mover", "to_move", "root", "player0"])
def test_who_plays_alone_has_all_values(view: str, tmp_path: Path) -> None:
    root = node(2, 5.0, node(1, 3.0, node(1, 2.0)))
    path = tmp_path / "alone.mcts"
    with mv.record(path, root=root, **FIELDS, players=("me",), value_view=view,
                   value_range=(0, 9)) as rec:  # fmt: skip
        rec.iteration()
    for snapshot in (rec.trace.at(1), mv.open(path).at(1)):
        assert snapshot.value_sum.tolist() == [5.0, 3.0, 2.0]
        assert snapshot.to_move.tolist() == [0, 0, 0]
        assert snapshot.meta["reward_range"] == [0.0, 9.0]


def test_values_below_chance_are_those_of_who_moved_before_it() -> None:
    """Player 1 moves, the die falls, player 0 is next; values in the view of player 0 throughout."""
    event = node(1, 0.25, player=0, chance=False)
    die = node(1, 0.25, event, player=0, chance=True)
    root = node(1, 0.25, die, player=1, chance=False)
    with mv.record(root=root, **FIELDS, to_move="player", chance="chance", value_view="player0",
                   value_range=(0, 1)) as rec:  # fmt: skip
        rec.iteration()
    snapshot = rec.trace.at(1)
    assert snapshot.to_move.tolist() == [1, CHANCE, 0]
    assert snapshot.value_sum.tolist() == [0.25, 0.75, 0.75]


@pytest.mark.parametrize(("thrower", "kept"), [(0, 0.75), (1, 0.25), (None, 0.25), (-1, 0.25)])
def test_values_of_a_node_of_chance_are_those_of_who_is_told_to_throw(
    thrower: int | None, kept: float
) -> None:
    """In the view of the player to move. Player 1 moves, somebody throws the dice, player 0 is next."""
    event = node(1, 0.75, player=0, chance=False)
    die = node(1, 0.25, event, player=thrower, chance=True)
    root = node(1, 0.25, die, player=1, chance=False)
    with mv.record(root=root, **FIELDS, to_move="player", chance="chance", value_view="to_move",
                   value_range=(0, 1)) as rec:  # fmt: skip
        rec.iteration()
    snapshot = rec.trace.at(1)
    assert snapshot.to_move.tolist() == [1, CHANCE, 0]
    assert snapshot.value_sum.tolist()[1:] == [kept, 0.25]


def test_a_player_who_moves_again_keeps_the_view() -> None:
    again = node(1, 0.75, player=0)
    root = node(1, 0.75, again, player=0)
    with mv.record(root=root, **FIELDS, to_move="player", value_view="to_move",
                   value_range=(0, 1)) as rec:  # fmt: skip
        rec.iteration()
    assert rec.trace.at(1).value_sum.tolist() == [0.25, 0.75]


def test_a_game_of_your_own_is_asked_who_moves_and_for_texts() -> None:
    game = Kalah()
    first = game.initial_state()
    again = next(a for a in game.legal_actions(first) if game.to_move(game.play(first, a)) == 0)
    root = node(2, 1.0, node(1, 1.0))
    root.children[0].move = again
    with mv.record(root=root, **FIELDS, game=game) as rec:
        root.visits += 1
        rec.iteration()
    snapshot = rec.trace.at(1)
    assert snapshot.to_move.tolist() == [0, 0]  # an extra move
    assert snapshot.state(0) == str(first)
    assert snapshot.state(1) == str(game.play(first, again))
    assert snapshot.label(1) == game.action_name(again)
    root.children[0].move = 10**6
    with (
        pytest.raises(mv.TraceError, match="has no move"),
        mv.record(root=root, **FIELDS, game=game) as rec,
    ):
        rec.iteration()


def test_an_illegal_move_is_recorded_without_a_position() -> None:
    game = Kalah()
    first = game.initial_state()
    again = next(a for a in game.legal_actions(first) if game.to_move(game.play(first, a)) == 0)
    root = node(2, 1.0, node(1, 1.0, node(1, 1.0)))
    root.children[0].move = root.children[0].children[0].move = again  # from a pit just emptied
    with mv.record(root=root, **FIELDS, game=game) as rec:
        rec.iteration()
    assert (rec.trace.at(1).state(2), rec.trace.at(1).to_move[2]) == (None, -1)
    assert "expansion-illegal" in [finding.check for finding in rec.trace.check(game=game)]


def test_the_next_trace_begins_where_the_root_is_replaced(tmp_path: Path) -> None:
    search = PlainUCT()
    fields = {**FIELDS, "game": "tic_tac_toe", "value_range": (0, 1)}
    with mv.record(tmp_path / "move.mcts", root=lambda: search.root, **fields) as rec:
        for _ in rec.steps(search.step, 40):
            pass
        search.root = max(search.root.children, key=lambda child: child.visits)
        search.root.parent = None
        kept = search.root.visits
        for _ in rec.steps(search.step, 30):
            pass
        assert rec.n_iterations == 30
    assert [trace.n_iterations for trace in rec.traces] == [40, 30]
    for number, name in enumerate(("move.mcts", "move-2.mcts")):
        opened = mv.open(tmp_path / name)
        assert opened.complete
        assert opened.meta["start"] == ([], [search.root.move])[number]
    second = rec.traces[1]
    assert second.at(1).visits[0] == kept + 1
    assert second.at(30).visits[0] == search.root.visits
    assert second.at(30).to_move[0] == 1
    assert complaints(second) == []


@pytest.mark.parametrize("by_steps", [True, False])
def test_the_visits_of_a_root_before_are_those_without_its_first_iteration(by_steps: bool) -> None:
    """However the iterations are told: a root that is replaced between two of them is seen after the second one."""
    search = PlainUCT()
    with mv.record(root=lambda: search.root, **FIELDS) as rec:
        for _ in rec.steps(search.step, 40):
            pass
        search.root = max(search.root.children, key=lambda child: child.visits)
        search.root.parent = None
        kept = search.root.visits
        for _ in rec.steps(search.step, 3) if by_steps else range(3):
            if not by_steps:
                search.step()
                rec.iteration()
    trace = rec.traces[1]
    assert trace.meta.watched.visits_before == kept
    assert any(f"had {kept} visits before" in note for note in trace.meta.notes)
    assert trace.at(1).visits[0] == kept + 1


def test_a_root_that_is_replaced_before_the_first_iteration_leaves_no_trace(tmp_path: Path) -> None:
    search = SimpleNamespace(root=node())  # a default, as in a class whose search makes its own
    with mv.record(tmp_path / "run.mcts", root=lambda: search.root, **FIELDS) as rec:
        search.root = node(1, 1.0, node(1, 1.0))
        rec.iteration()
    assert [trace.n_iterations for trace in rec.traces] == [1]
    assert [path.name for path in tmp_path.glob("*.mcts")] == ["run.mcts"]
    assert mv.open(tmp_path / "run.mcts").at(1).visits.tolist() == [1, 1]


def test_the_samples_beyond_two_players_say_what_they_are() -> None:
    planning, dice, words = (record(None) for record in beyond_two_players.RECORDS.values())
    assert (planning.meta["players"], planning.meta["discount"]) == (["robot"], 0.95)
    assert (dice.at(500).to_move == CHANCE).any()
    assert max(len(text or "") for text in words.columns.nodes.state) > 200
    for trace in (planning, dice, words):
        assert "good for" not in str(trace.explain())


@pytest.mark.parametrize("discount", [0, 1.5, "much", True, float("nan")])
def test_a_discount_that_is_none_is_refused(discount: Any) -> None:
    with pytest.raises(mv.SearchError, match=r"discount=.*above 0 and up to 1"):
        mv.record(root=node(), **FIELDS, discount=discount)
