"""Searches that keep tables by state and action: `record_tables` finds their own numbers again."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.origin.branches import branches
from tests.complaints import complaints
from tests.recording.table_searches import TableSearch
from tests.variants import few

PUCT: dict[str, Any] = {"selection": "puct", "c": TableSearch().c, "n": "children", "unvisited": 0}


def tables(search: TableSearch, *names: str) -> dict[str, Any]:
    """The arguments for a search, with some of its tables beside visits and values."""
    given: dict[str, Any] = {name: getattr(search, name) for name in ("Nsa", "Qsa", *names)}
    return {**given, "root": search.game.start, "next": search.game.next_board, "to_move": 0}


def watched(
    iterations: int,
    *names: str,
    search: TableSearch | None = None,
    path: Path | None = None,
    **more: Any,
) -> tuple[TableSearch, mv.Trace]:
    search = search or TableSearch()
    with mv.record_tables(path, **{**tables(search, *names), **more}) as rec:
        for _ in rec.steps(search.step, iterations):
            pass
    return search, rec.trace


class Boards:
    """The state of each row of a trace, told by the moves that lead there."""

    def __init__(self, trace: mv.Trace, search: TableSearch) -> None:
        nodes = trace.columns.nodes
        self.boards = [search.game.start]
        self.edges: list[tuple[str, int]] = [("", -1)]
        for parent, action in zip(nodes.parent[1:].tolist(), nodes.action[1:].tolist()):
            self.edges.append((self.boards[parent], action))
            self.boards.append(search.game.next_board(self.boards[parent], action))


def sums_of(search: TableSearch) -> dict[tuple[str, int], tuple[int, float]]:
    return {key: (n, search.Qsa[key]) for key, n in search.Nsa.items()}


def test_a_trace_has_the_numbers_of_the_tables_at_every_iteration(tmp_path: Path) -> None:
    search: TableSearch = TableSearch()
    seen: list[tuple[dict[tuple[str, int], tuple[int, float]], int]] = []
    with mv.record_tables(tmp_path / "az.mcts", **tables(search, "Ns", "Ps", "Es")) as rec:
        seen += [
            (sums_of(search), search.Ns[search.game.start]) for _ in rec.steps(search.step, 400)
        ]
    trace = mv.open(tmp_path / "az.mcts")
    edges = Boards(trace, search).edges
    for t, (numbers, visits_of_root) in enumerate(seen, 1):
        snapshot = trace.at(t)
        visits, means = snapshot.visits.tolist(), snapshot.mean_value.tolist()
        told = {edges[v]: (visits[v], means[v]) for v in range(1, len(visits)) if visits[v]}
        assert told == numbers
        assert visits[0] == visits_of_root
    assert rec.trace.at(400).to_json() == trace.at(400).to_json()


@pytest.mark.parametrize("names", [("Ns", "Ps", "Es"), ("Es",), ()])
@pytest.mark.parametrize("more", [{}, {"value_view": "to_move"}, {"state": str, "to_move": None}])
def test_dicts_are_read_as_any_other_mapping_is(
    names: tuple[str, ...], more: dict[str, Any]
) -> None:
    """Of dicts the numbers of siblings are read at once, of others one by one."""
    if more.get("to_move", 0) is None:
        names = tuple(name for name in names if name != "Es")
    _, quick = watched(400, *names, **more)
    search = TableSearch()
    others = {"Nsa": MappingProxyType(search.Nsa), "Qsa": MappingProxyType(search.Qsa)}
    _, slow = watched(400, *names, search=search, **{**more, **others})
    for name in ("parent", "action", "to_move", "prior", "outcome", "state", "same_as"):
        ours, theirs = (getattr(each.columns.nodes, name) for each in (quick, slow))
        np.testing.assert_array_equal(ours, theirs)
    for name in ("node", "visits", "value"):
        assert np.array_equal(
            getattr(quick.columns.updates, name), getattr(slow.columns.updates, name)
        )
    assert np.array_equal(quick.columns.leaf, slow.columns.leaf)


def test_a_dict_whose_numbers_are_none_is_refused() -> None:
    search = TableSearch()
    with mv.record_tables(None, **tables(search, "Ns", "Ps")) as rec:
        for _ in rec.steps(search.step, 20):
            pass
        search.Nsa[next(iter(search.Nsa))] = np.zeros(2)  # type: ignore[call-overload]
        search.Ns[search.game.start] += 1
        with pytest.raises(mv.MctsVizError, match="visits"):
            rec.iteration()


def test_watching_changes_nothing() -> None:
    alone = TableSearch()
    for _ in range(300):
        alone.step()
    search, _ = watched(300, "Ns", "Ps", "Es")
    assert (search.Nsa, search.Qsa, search.Ns) == (alone.Nsa, alone.Qsa, alone.Ns)


def test_each_edge_is_one_node_and_a_state_has_its_actions_once() -> None:
    search, trace = watched(600, "Ns", "Ps")
    snapshot, known = trace.at(600), Boards(trace, search)
    assert len(set(known.edges)) == trace.n_nodes
    assert snapshot.same_as is not None
    further = np.flatnonzero(snapshot.same_as >= 0)
    assert len(further)
    for node in further.tolist():
        assert known.boards[node] == known.boards[snapshot.same_as[node]]
        assert not snapshot.children(node)
    node = int(further[0])
    assert snapshot.ways(node) == snapshot.ways(int(snapshot.same_as[node]))
    into = {edge for edge, board in zip(known.edges, known.boards) if board == known.boards[node]}
    visited = {known.edges[way] for way in snapshot.ways(node)}
    assert visited == {edge for edge in into if edge in search.Nsa}
    assert snapshot.parents(node) == [int(snapshot.parent[way]) for way in snapshot.ways(node)]


def test_a_path_goes_over_the_edges_that_the_iteration_took() -> None:
    search = TableSearch()
    paths = []
    with mv.record_tables(**tables(search, "Ps")) as rec:
        for _ in range(400):
            before = dict(search.Nsa)
            search.step()
            rec.iteration()
            taken = [key for key, n in search.Nsa.items() if n != before.get(key, 0)]
            paths.append(sorted(taken, key=lambda key: key[0].count(".")))
    edges = Boards(rec.trace, search).edges
    for t, path in enumerate(paths, 1):
        told = rec.trace.iteration(t)
        assert [edges[node] for node in told.path[1:]] == path[::-1]
        assert [update.node for update in told.updates if update.visits] == told.path[
            : len(path) + 1
        ] * bool(path)


def test_priors_make_actions_that_were_never_visited() -> None:
    search, trace = watched(50, "Ps", "Ns")
    snapshot = trace.at(50)
    assert len(snapshot.children(0)) == 9
    assert snapshot.prior[1:10].tolist() == np.float32(search.Ps[search.game.start]).tolist()
    _, bare = watched(50, "Ns")
    assert bare.n_nodes == 1 + len(search.Nsa)


def test_ends_are_outcomes_in_the_view_of_player_0() -> None:
    search, trace = watched(600, "Ps", "Es")
    boards, snapshot = Boards(trace, search).boards, trace.at(600)
    ended = [v for v in range(trace.n_nodes) if snapshot.visits[v] and search.Es.get(boards[v])]
    assert ended
    for node in ended:
        x_moves = boards[node].count(".") % 2 == 1
        result = 0.0 if search.Es[boards[node]] > 0 else (-1.0 if x_moves else 1.0)
        assert snapshot.outcome[node] == result


@pytest.mark.parametrize(
    ("rule", "names"),
    [("puct", ("Ns", "Ps", "Es")), ("puct", ("Ps",)), ("ucb1", ("Ns", "Es")), ("ucb1", ())],
)
@pytest.mark.parametrize("game", ["tic_tac_toe", None])
def test_a_correct_search_has_no_findings(
    rule: str, names: tuple[str, ...], game: str | None
) -> None:
    declared = {**PUCT, "unvisited": 0 if rule == "puct" else "first", "selection": rule}
    _, trace = watched(700, *names, search=TableSearch(rule=rule), game=game, **declared)
    assert complaints(trace) == []


def test_its_choices_are_explained_by_the_declared_formula() -> None:
    _, trace = watched(700, "Ns", "Ps", "Es", game="tic_tac_toe", **PUCT)
    said = next(found.message for found in trace.check() if found.check == "selection-rule")
    assert "PUCT (N of all children)" in said
    assert "visits" in str(trace.explain(700))


def test_a_lost_sign_is_found() -> None:
    _, trace = watched(
        700, "Ns", "Ps", "Es", search=TableSearch(fault="sign"), game="tic_tac_toe", **PUCT
    )
    assert [found for found in trace.check() if found.severity == "error"]


def test_a_wrong_choice_is_named_by_the_ends_alone() -> None:
    """Without the game's rules: `Es` says which side the values are of."""
    _, trace = watched(700, "Ns", "Ps", "Es", search=TableSearch(fault="opponent"), **PUCT)
    (found,) = (each for each in trace.check() if each.severity != "note")
    assert (found.check, found.severity) == ("selection-wrong-view", "error")
    assert "recording needs" not in str(found)


@pytest.mark.thorough
# of PUCT the check tries every formula, which takes many seconds
@pytest.mark.parametrize(
    ("iterations", "told"), few([(150, {"selection": "ucb1", "c": 1.0}), (700, PUCT)])
)
def test_a_greedy_search_is_not_taken_for_another_mistake(
    iterations: int, told: dict[str, Any]
) -> None:
    _, trace = watched(iterations, "Ns", "Ps", "Es", search=TableSearch(fault="greedy"), **told)
    found = {each.check for each in trace.check() if each.severity != "note"}
    assert found <= {"selection-not-declared", "selection-greedy"}


def nested(search: TableSearch, make: Callable[[], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables by state, then by action."""
    visits: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for (board, action), n in search.Nsa.items():
        visits.setdefault(board, make())[action] = n
        values.setdefault(board, make())[action] = search.Qsa[board, action]
    return visits, values


@pytest.mark.parametrize("names", [(), ("Ns",), ("Ns", "Ps")], ids=str)
@pytest.mark.parametrize("make", [dict, lambda: np.zeros(9), lambda: [0.0] * 9])
def test_tables_may_be_nested_and_empty_at_first(
    make: Callable[[], Any], names: tuple[str, ...]
) -> None:
    search = TableSearch()
    visits: dict[str, Any] = {}
    values: dict[str, Any] = {}
    given = {**tables(search, *names), "Nsa": visits, "Qsa": values}
    with mv.record_tables(**given) as rec:
        for _ in range(150):
            search.step()
            new_visits, new_values = nested(search, make)
            visits.update(new_visits)
            values.update(new_values)
            rec.iteration()
    _, trace = watched(150, *names)
    flat = trace.at(150)
    assert flat.n_nodes > 100
    assert rec.trace.at(150).visits.tolist() == flat.visits.tolist()
    assert rec.trace.at(150).mean_value.tolist() == pytest.approx(
        flat.mean_value.tolist(), nan_ok=True
    )


def test_reading_makes_no_keys_in_a_defaultdict() -> None:
    search = TableSearch()
    search.Nsa, search.Qsa = defaultdict(int), defaultdict(float)
    _, trace = watched(200, "Ps", search=search)
    alone, same = watched(200, "Ps")
    assert search.Nsa == alone.Nsa
    assert trace.at(200).visits.tolist() == same.at(200).visits.tolist()


def test_next_may_be_a_table_and_is_asked_once_for_an_edge() -> None:
    search = TableSearch()
    asked: list[tuple[str, int]] = []

    def next_board(board: str, move: int) -> str:
        asked.append((board, move))
        return search.game.next_board(board, move)

    _, trace = watched(200, "Ps", search=search, next=next_board)
    assert sorted(asked) == sorted(search.Nsa)
    table = {edge: search.game.next_board(*edge) for edge in asked}
    _, same = watched(200, "Ps", next=table)
    assert same.at(200).visits.tolist() == trace.at(200).visits.tolist()


def test_new_tables_begin_another_trace() -> None:
    search = TableSearch()
    given = {**tables(search), "Nsa": lambda: search.Nsa, "Qsa": lambda: search.Qsa}
    with mv.record_tables(**given) as rec:
        for _ in rec.steps(search.step, 50):
            pass
        search.__init__()  # type: ignore[misc]
        for _ in rec.steps(search.step, 70):
            pass
    assert [trace.n_iterations for trace in rec.traces] == [50, 70]


def test_another_root_begins_another_trace_with_what_is_known_of_it() -> None:
    search, board = TableSearch(), TableSearch().game.start
    with mv.record_tables(**{**tables(search, "Ns", "Ps"), "root": lambda: board}) as rec:
        for _ in rec.steps(lambda: search.step(board), 100):
            pass
        before = search.Ns[search.game.next_board(board, 4)]
        board = search.game.next_board(board, 4)
        for _ in rec.steps(lambda: search.step(board), 30):
            pass
    first, second = rec.traces
    assert (first.n_iterations, second.n_iterations, first.played) == (100, 30, 4)
    assert second.meta.root.to_move == 1
    assert int(second.at(30).visits[0]) == before + 30


def test_a_cycle_of_states_is_recorded() -> None:
    """Two states that lead to each other; each iteration goes round one step further, and ends."""
    Nsa: dict[tuple[str, int], int] = {}
    Qsa: dict[tuple[str, int], float] = {}
    with mv.record_tables(
        Nsa=Nsa, Qsa=Qsa, root="a", next=lambda s, a: "b" if s == "a" else "a"
    ) as rec:
        for t in range(1, 6):
            for key in (("a", 0), ("b", 0))[:t]:
                Nsa[key] = Nsa.get(key, 0) + 1
                Qsa[key] = 0.5
            rec.iteration()
    snapshot = rec.trace.at(5)
    assert snapshot.visits.tolist() == [5, 5, 4]
    assert snapshot.parents(0) == [1]
    assert rec.trace.iteration(5).path == [0, 1, 2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"Nsa": [1]}, "Nsa= gives [1], not a dict"),
        (
            {"Nsa": {"s": 1}},
            "record_tables: Nsa= has the entry 's': 1, and an entry is the visits of an action",
        ),
        ({"Nsa": {(): 2}}, "Its key is to be the pair, Nsa[state, action] = 3"),
        ({"next": 3}, "next=3 is no function"),
        ({"next": lambda s, a: [s]}, "next= gives no state for the state"),
        ({"next": {}}, "next= gives no state for the state"),
        ({"root": []}, "root=[] is no key of a table"),
        ({"to_move": 2}, "to_move=2 is no player"),
        ({"Es": {}, "to_move": None}, "say who that is at the root: to_move=0"),
        ({"children": "children"}, "children= is a field of nodes"),
    ],
)
def test_what_makes_no_sense_is_named_with_the_fix(more: dict[str, Any], message: str) -> None:
    search = TableSearch()
    search.step()
    search.step()

    def record() -> None:
        with mv.record_tables(**{**tables(search), **more}) as rec:
            search.step()
            rec.iteration()

    with pytest.raises(mv.TraceError, match=re.escape(message)):
        record()


class NetworkSearch(TableSearch):
    """Its network answers in arrays of one float32, as alpha-zero-general's do, and so do the tables."""

    def predict(self, board: str) -> tuple[list[float], Any]:
        priors, value = super().predict(board)
        return priors, np.array([value], np.float32)


def test_values_of_a_network_are_arrays_of_one_number_rounded_to_float32() -> None:
    search, trace = watched(1_500, "Ns", "Ps", "Es", search=NetworkSearch(), **PUCT)
    values = search.Qsa.values()
    assert any(isinstance(value, np.ndarray) and value.shape == (1,) for value in values)
    last = trace.at(1_500)
    for child in last.children(0):
        if last.visits[child]:
            own = search.Qsa[search.game.start, int(last.action[child])]
            assert last.mean_value[child] == float(np.asarray(own).item())
    assert {finding.severity for finding in trace.check()} <= {"note"}


def test_a_wrong_sign_is_seen_through_the_rounding() -> None:
    _, trace = watched(
        1_500, "Ns", "Ps", "Es", search=NetworkSearch(fault="sign"), **PUCT
    )  # fmt: skip
    assert "error" in {finding.severity for finding in trace.check()}


def test_scores_are_those_of_the_search_where_n_counts_the_children() -> None:
    search, trace = watched(150, "Ns", "Ps", "Es", **PUCT)
    root = search.game.start
    last, compared = trace.at(150), 0
    for child in last.children(0):
        action = int(last.action[child])
        visits = search.Nsa.get((root, action), 0)
        width = search.c * search.Ps[root][action] * math.sqrt(search.Ns[root]) / (1 + visits)
        assert last.uct[child] == pytest.approx(
            search.Qsa.get((root, action), 0.0) + width, rel=1e-6
        )
    for t in range(3, 151):
        for choice in trace.iteration(t).comparisons:
            if choice.chosen in choice.children:
                place = choice.children.index(choice.chosen)
                assert choice.scores[place] == pytest.approx(choice.scores.max(), rel=1e-6)
                compared += 1
    assert compared > 150
    told = str(trace.explain())
    assert "not in the trace" not in told
    assert "won" in told
    with pytest.raises(mv.TraceError, match="depends on the node's siblings"):
        trace.origin(1, "score")


def test_selections_and_rollouts_of_shared_states_count_all_ways_to_them() -> None:
    _, trace = watched(300, "Ns", "Ps", "Es", **PUCT)
    last = trace.at(300)
    assert last.same_as is not None
    shared = sorted(
        set(last.same_as[last.same_as >= 0].tolist()), key=lambda v: -int(last.node_visits[v])
    )
    chosen = trace.explain().selections
    assert chosen.total == last.visits[0]
    assert "against" not in chosen.reasons
    for node in shared[:5]:
        through = branches(trace.columns, node, np.arange(1, 301))
        assert int((through >= 0).sum()) == last.node_visits[node]
        for child in last.children(node):
            assert int((through == child).sum()) == last.visits[child]
