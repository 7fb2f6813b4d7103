"""Games of more than two players, values with an entry for each, and moves that all make at once."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice.joint_choice import joint_choice
from mcts_viz.analysis.history.sibling_history import sibling_history
from mcts_viz.analysis.origin.origin import origin
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.export.events import event_chunks
from mcts_viz.export.formats import text_chunks
from mcts_viz.trace.players import EVERYBODY, movers
from mcts_viz.web.routes.origin import origin_document
from tests.recording.player_searches import (
    FIELDS,
    JOINT_FIELDS,
    DecoupledUCT,
    JointNode,
    MaxN,
    MaxNFromParents,
    StickNode,
)


def watched(
    search: MaxN, n: int = 300, told: str = "all", path: Path | None = None, **more: Any
) -> mv.Trace:
    outcomes = {
        "all": lambda: search.outcome,
        "first": lambda: search.outcome[0],
        "none": lambda: None,
    }
    with mv.record(path, root=search.root, **{**FIELDS, **more}) as rec:
        for _ in range(n):
            search.step()
            rec.iteration(outcome=outcomes[told]())
    return rec.trace


def joint(
    n: int = 400, path: Path | None = None, same: bool = False, told: bool = True
) -> tuple[DecoupledUCT, mv.Trace]:
    search = DecoupledUCT(same=same)
    with mv.record(path, root=search.root, **JOINT_FIELDS) as rec:
        for _ in range(n):
            search.step()
            rec.iteration(outcome=search.outcome if told else None)
    return search, rec.trace


def in_order(root: StickNode, trace: mv.Trace) -> list[StickNode]:
    """The search's nodes by the trace's ids."""
    last = trace.at(trace.n_iterations)
    found = [root]
    for node in range(1, len(last)):
        above = found[int(last.parent[node])]
        found.append(next(each for each in above.children if each.move == int(last.action[node])))
    return found


def test_every_entry_of_every_node_is_the_searchs_own_at_every_iteration(tmp_path: Path) -> None:
    search, kept = MaxN(), []
    with mv.record(tmp_path / "run.mcts", root=search.root, **FIELDS) as rec:
        for _ in range(150):
            search.step()
            rec.iteration(outcome=search.outcome)
            nodes, found = [search.root], []
            while nodes:
                node = nodes.pop()
                found.append((node.visits, *node.values))
                nodes += node.children
            kept.append(sorted(found))
    trace = mv.open(tmp_path / "run.mcts")
    assert trace.meta.format_version == 5
    assert trace.meta.player_values
    for t in range(1, 151):
        snapshot = trace.at(t)
        assert snapshot.player_sums is not None
        own = np.column_stack([snapshot.visits, snapshot.player_sums]).tolist()
        assert sorted(map(tuple, own)) == kept[t - 1]
    mover = movers(snapshot.parent, snapshot.to_move, 3)
    assert (snapshot.value_sum == snapshot.player_sums[np.arange(len(mover)), mover]).all()
    outcomes = trace.columns.player_outcomes
    assert outcomes.value.reshape(-1, 3)[-1].tolist() == search.outcome
    assert {finding.severity for finding in trace.check()} <= {"note"}
    assert "for red" in str(trace.explain())


def test_a_single_number_is_that_of_who_moved_there() -> None:
    search = MaxN()
    trace = watched(search, value="value")
    last = trace.at(300)
    assert last.player_sums is None
    assert last.value_sum.tolist() == [node.value for node in in_order(search.root, trace)]
    assert Viewpoint(2).of(last, 1) == 0  # blue's own is not known
    assert {finding.severity for finding in trace.check()} <= {"note"}


def test_values_are_shown_in_the_view_of_any_player() -> None:
    search = MaxN()
    trace = watched(search)
    last, nodes = trace.at(300), in_order(search.root, trace)
    for node in (0, 1, 5, 11):
        for player in range(3):
            assert Viewpoint(player).value_sum(last, node) == nodes[node].values[player]
            assert (
                Viewpoint(player).mean(last, node)
                == nodes[node].values[player] / nodes[node].visits
            )
    green = sibling_history(trace, 1, viewpoint=Viewpoint(1))
    assert green.view == "green"
    assert green.courses[0].mean_value[-1] == Viewpoint(1).mean(last, green.courses[0].node)
    column = trace.columns.of_player(2)
    sums = np.bincount(column.updates.node, weights=column.updates.value)
    assert sums.tolist() == pytest.approx([node.values[2] for node in nodes])


def test_where_a_number_comes_from_is_told_in_the_view_of_any_player() -> None:
    trace = watched(MaxN())
    sums = [trace.at(t).player_sums for t in range(301)]
    for node in (0, 1, 5):
        for player in range(3):
            found = origin(trace, node, "value_sum", viewpoint=Viewpoint(player))
            assert found.total == sums[300][node, player]  # type: ignore[index]
            for each in found.rows():
                after, before = sums[each.iteration], sums[each.iteration - 1]
                assert after is not None
                known = 0.0 if before is None or node >= len(before) else before[node, player]
                assert each.after == after[node, player]
                assert each.value == pytest.approx(after[node, player] - known)
    mean = origin(trace, 1, "mean_value", viewpoint=Viewpoint(2))
    assert mean.total == Viewpoint(2).mean(trace.at(300), 1)
    assert origin_document(mean, view=Viewpoint(2))["view"] == "blue"
    assert origin_document(origin(trace, 1, "score", viewpoint=Viewpoint(2)))["view"] == "red"


@pytest.mark.parametrize("value", ["values", "value"])
@pytest.mark.parametrize(
    ("mistake", "told", "check", "words"),
    [
        ("first", "all", "value-same-entry", "get the result of red"),
        ("first", "none", "value-same-entry", "all players on a path get the same value"),
        ("mover", "all", "value-same-entry", "all players on a path"),
        ("mover", "first", "value-same-entry", "all players on a path"),
        ("shifted", "all", "value-wrong-player", "that red moved into that of green"),
        ("rolled", "all", "value-wrong-player", "rolled the wrong way round"),
    ],
)
def test_each_player_gets_its_own_entry(
    value: str, mistake: str, told: str, check: str, words: str
) -> None:
    found = [
        each
        for each in watched(MaxN(mistake), told=told, value=value).check()
        if each.severity != "note"
    ]
    assert [each.check for each in found] == [check]
    assert words in str(found[0])


@pytest.mark.parametrize("declared", [{}, {"selection": "ucb1", "c": 1.4}])
@pytest.mark.parametrize(
    ("mistake", "check", "words"),
    [
        ("first chooses", "selection-one-view", "all players choose what is best for red"),
        ("next chooses", "selection-wrong-view", "best for the player after it"),
    ],
)
def test_each_player_chooses_by_its_own_entry(
    declared: dict[str, Any], mistake: str, check: str, words: str
) -> None:
    found = [each for each in watched(MaxN(mistake), **declared).check() if each.severity != "note"]
    assert [each.check for each in found] == [check]
    assert words in str(found[0])


class WithoutLast(MaxN):
    """A loop over the players that ends too early."""

    def _back_up(self, leaf: StickNode, result: list[float]) -> None:
        super()._back_up(leaf, [*result[:2], 0.0])


class LosersGetNothing(MaxN):
    def _back_up(self, leaf: StickNode, result: list[float]) -> None:
        super()._back_up(leaf, [max(result[0], 0.0), max(result[1], 0.0), 0.0])


@pytest.mark.parametrize(
    ("kind", "severity"), [(WithoutLast, "warning"), (LosersGetNothing, "note")]
)
def test_a_player_whose_results_are_never_added_is_named_without_outcomes(
    kind: type[MaxN], severity: str
) -> None:
    found = watched(kind(), told="none").check()
    assert [(one.check, one.severity) for one in found if "never added" in one.message] == [
        ("value-wrong-player", severity)
    ]
    assert "the results of blue" in str(next(one for one in found if "never added" in one.message))


def test_where_all_win_and_lose_together_nothing_is_said() -> None:
    policies = {"backpropagation": {"name": "common"}}
    found = watched(MaxN("first"), told="none", policies=policies).check()
    assert {finding.severity for finding in found} <= {"note"}


def test_joint_moves_have_marginals_and_payoffs(tmp_path: Path) -> None:
    search, trace = joint(path=tmp_path / "run.mcts")
    for each in (trace, mv.open(tmp_path / "run.mcts")):
        last = each.at(400)
        assert last.to_move[0] == EVERYBODY
        found = joint_choice(last, 0)
        assert found is not None
        for player, own in enumerate(found.marginals):
            for marginal in own:
                n, total = search.root.own[player][
                    ("rock", "paper", "scissors").index(marginal.move)
                ]
                assert marginal.visits == n
                assert marginal.mean_value == pytest.approx(total / n)
        rows, columns = ([each.move for each in own] for own in found.marginals)
        for row, payoffs in zip(rows, found.payoffs):
            for column, payoff in zip(columns, payoffs):
                (child,) = [
                    c for c in search.root.children.values() if c.hands == (row, column)
                ] or [None]
                assert (payoff is None) == (child is None)
                if payoff is not None and child is not None:
                    assert (payoff.visits, payoff.values[1]) == (
                        child.visits,
                        child.values[1] / child.visits,
                    )
        assert {finding.severity for finding in each.check()} <= {"note"}
        assert "all at once" not in str(each.explain())


def test_of_joint_moves_each_player_gets_its_own_entry() -> None:
    for told, severity, words in (
        (True, "error", "get the result of row"),
        (False, "warning", "all players on a path get the same value"),
    ):
        found = [x for x in joint(same=True, told=told)[1].check() if x.severity != "note"]
        assert [(x.check, x.severity) for x in found] == [("value-same-entry", severity)]
        assert words in str(found[0])


def test_only_some_nodes_may_be_simultaneous() -> None:
    """A field in place of True; a player without a choice has None."""
    leaf = SimpleNamespace(
        children=[], visits=0, values=[0.0, 0.0], hands=("rock", None), together=False
    )
    root = SimpleNamespace(children=[leaf], visits=0, values=[0.0, 0.0], hands=None, together=True)
    with mv.record(
        root=root, **{**JOINT_FIELDS, "simultaneous": "together", "to_move": lambda node: 1}
    ) as rec:
        root.visits = leaf.visits = 1
        root.values = leaf.values = [1.0, -1.0]
        rec.iteration()
    last = rec.trace.at(1)
    assert last.to_move.tolist() == [EVERYBODY, 1]
    assert last.label(1) == "rock | –"
    assert last.value_sum.tolist() == [1.0, 1.0]  # of player 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"players": ("a", "b")}, "3 entries for 2 players"),
        ({"to_move": None}, "nobody knows who moves where"),
        ({"to_move": lambda node: 3}, "up to 2, in the order of players="),
        ({"value": lambda node: [0, 0, "x"]}, "not all of its entries are numbers"),
        ({"value": lambda node: [0, 0, float("nan")]}, "finite numbers"),
        ({"players": ("alone",), "to_move": None}, "players= names all of them"),
    ],
)
def test_what_makes_no_sense_is_said(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(mv.TraceError, match=message):
        watched(MaxN(), 5, **changed)


def test_entries_stay_what_they_were_in_the_first_iteration() -> None:
    search = MaxN()
    with mv.record(root=search.root, **FIELDS) as rec:
        search.step()
        rec.iteration(outcome=1.0)
        search.step()
        with pytest.raises(mv.TraceError, match="but not in the first one"):
            rec.iteration(outcome=search.outcome)
    with pytest.raises(mv.TraceError, match="gave an entry for each player before"):
        watched(search, 3, value=lambda node: node.values if node is search.root else node.value)
    bad = JointNode(0)
    with mv.record(root=bad, **JOINT_FIELDS) as rec:
        bad.children[0, 0] = JointNode(1, hands=("rock", "paper", "rock"))  # type: ignore[arg-type]
        bad.visits = 1
        with pytest.raises(mv.TraceError, match="a tuple with the move of each"):
            rec.iteration()


def test_events_have_the_entries_of_every_player(tmp_path: Path) -> None:
    trace = watched(MaxN(), 60)
    (tmp_path / "run.ndjson").write_bytes(b"".join(event_chunks(trace)))
    mv.import_trace(tmp_path / "run.ndjson", tmp_path / "again.mcts")
    again = mv.open(tmp_path / "again.mcts")
    assert {**again.meta, "inherited": None} == {**trace.meta, "inherited": None}
    for name in ("player_sums", "player_outcomes"):
        found, due = getattr(again.columns, name), getattr(trace.columns, name)
        assert found.recorded
        assert found.offset.tolist() == due.offset.tolist()
        assert found.value.tolist() == due.value.tolist()
    for t in (1, 30, 60):
        sums = again.at(t).player_sums
        assert sums is not None
        assert sums.tolist() == trace.at(t).player_sums.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("header", "update", "message"),
    [
        ({}, [1.0, 0.0, 0.0], 'needs "player_values": true'),
        ({"player_values": True}, None, r"player_sums: missing; write the node's sum for each"),
        ({"player_values": True}, [1.0, 0.0], "2 numbers for 3 players"),
        ({"player_values": True, "format_version": 4}, [1.0, 0.0, 0.0], "format_version to be 5"),
    ],
)
def test_events_with_wrong_entries_are_refused(
    header: dict[str, Any], update: list[float] | None, message: str, tmp_path: Path
) -> None:
    head = {"format_version": 5, "players": ["a", "b", "c"], "root": {"to_move": 0}} | header
    told = {"node": 0, "value": 1.0} | ({} if update is None else {"player_sums": update})
    lines = [head, {"leaf": 0, "updates": [told]}]
    (tmp_path / "run.ndjson").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(mv.ImportFormatError, match=message):
        mv.import_trace(tmp_path / "run.ndjson", tmp_path / "again.mcts")


def test_snapshots_have_the_entries_of_every_player(tmp_path: Path) -> None:
    trace = watched(MaxN(), 60)
    files = [tmp_path / f"{t}.json" for t in (20, 60)]
    for file, t in zip(files, (20, 60)):
        file.write_text(trace.at(t).to_json() or "", encoding="utf-8")
    together = mv.from_snapshots(files)
    for found, due in (
        (mv.open(files[1]).at(1), trace.at(60)),
        (together.at(1), trace.at(20)),
        (together.at(2), trace.at(60)),
    ):
        assert found.player_sums is not None
        assert due.player_sums is not None
        assert found.value_sum.tolist() == due.value_sum.tolist()
        assert np.allclose(found.player_sums, due.player_sums, rtol=1e-12)
    table = b"".join(text_chunks(trace.at(60), ".csv")).decode().splitlines()
    assert table[0].endswith(",player_sums")
    assert table[1].endswith(f'"{trace.at(60).player_sums[0].tolist()}"'.replace(" ", ""))  # type: ignore[index]


def test_a_snapshot_of_moves_at_the_same_time_stays_one(tmp_path: Path) -> None:
    _, trace = joint(40)
    last = trace.at(40)
    file = tmp_path / "last.json"
    file.write_text(last.to_json() or "", encoding="utf-8")
    again = mv.open(file).at(1)
    assert again.to_move.tolist() == last.to_move.tolist()
    assert EVERYBODY in again.to_move


def test_children_that_count_as_their_parent_do_so_for_the_player_who_chooses() -> None:
    told: dict[str, Any] = {"selection": "puct", "c": 1.4, "unvisited": "parent"}
    told["prior"] = MaxNFromParents.prior
    trace = watched(MaxNFromParents(), 200, **told)
    unvisited = 0
    for t in range(2, 200):
        tree = trace.at(t - 1)
        for compared in trace.iteration(t).comparisons:
            scores = compared.scores.tolist()
            assert scores == tree.uct[compared.children].tolist()
            assert scores[compared.children.index(compared.chosen)] >= max(scores) - 1e-9
            unvisited += int((tree.visits[compared.children] == 0).sum())
    assert unvisited > 20
    last = trace.at(200)
    child = last.children(0)[0]
    assert origin(trace, child, "score").total == last.uct[child]
    (rule,) = (each for each in trace.check() if each.check.startswith("selection"))
    assert "explains all" in rule.message
    # where only the value of who moved there is known, these cannot be compared
    alone = watched(MaxNFromParents(), 200, value="value", **told)
    findings = [each for each in alone.check() if each.check.startswith("selection")]
    assert [each.severity for each in findings] == ["note"]
    assert "give value= with an entry for each player" in findings[0].message
