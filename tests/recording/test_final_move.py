"""The move that was really played: told while recording, kept in every kind of file, spoken of everywhere."""

from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.errors import TraceError
from mcts_viz.export.events import event_chunks
from mcts_viz.trace.saving import save_trace
from tests.recording.searches import Node, PlainUCT

FIELDS: dict[str, Any] = {
    "children": "children", "visits": "visits", "value": "wins", "action": "move",
    "to_move": "player", "game": "tic_tac_toe", "value_range": (0, 1),
}  # fmt: skip
N = 300


def recorded(
    path: Path | None, second: bool = True, late: bool = False, as_node: bool = False, **more: Any
) -> mv.Trace:
    """A search that plays its second best move, or the best one; late: told when all rows are in the file."""
    search = PlainUCT()
    with mv.record(path, root=search.root, **{**FIELDS, **more}) as rec:
        for _ in rec.steps(search.step, N):
            pass
        if late:
            assert rec.trace.n_iterations == N  # nothing waits in the log any more
        child = in_order(search.root)[1 if second else 0]
        rec.final_move(child if as_node else child.move)
    return rec.trace


def in_order(root: Node) -> list[Node]:
    return sorted(root.children, key=lambda child: -child.visits)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("as_node", [False, True])
def test_the_move_is_in_the_file_whenever_it_was_told(
    tmp_path: Path, late: bool, as_node: bool
) -> None:
    path = tmp_path / "run.mcts"
    trace = recorded(path, late=late, as_node=as_node)
    opened = mv.open(path)
    for each in (trace, opened):
        second = each.at(N).ranked_children(0)[1]
        assert each.played == each.at(N).played == each.at(N).action[second]
        assert each.at(N - 1).played is None
        assert (each.n_iterations, each.complete) == (N, True)
    assert opened.columns.asides.played == trace.columns.asides.played


@pytest.mark.parametrize("late", [False, True])
def test_every_other_kind_of_file_keeps_it(tmp_path: Path, late: bool) -> None:
    trace = recorded(tmp_path / "run.mcts", late=late)
    trace = mv.open(tmp_path / "run.mcts")
    save_trace(trace, tmp_path / "copy.mcts")
    (tmp_path / "run.ndjson").write_bytes(b"".join(event_chunks(trace)))
    mv.import_trace(tmp_path / "run.ndjson", tmp_path / "events.mcts")
    with mv.ManyWriter(tmp_path / "runs.many") as many:
        many.append(trace)
    again = [mv.open(tmp_path / name) for name in ("copy.mcts", "events.mcts")]
    again += mv.ManyTraces(tmp_path / "runs.many")
    assert [each.played for each in again] == [trace.played] * 3


def test_it_may_be_another_one_than_the_rule_gives_where_none_is_known() -> None:
    trace = recorded(None)
    name = trace.action_name(trace.played or 0)
    assert not [each for each in trace.check() if each.check == "choice-final-move"]
    assert f"But {name} was played, as the search told." in str(trace.explain())
    assert f"is most visited, but {name} was played" in str(trace.verdict())
    assert " was played" not in str(trace.explain(N - 1))


def test_where_the_rule_is_known_the_two_are_compared() -> None:
    findings = recorded(None, final_move="most_visits").check()
    assert "choice-final-move" in [each.check for each in findings]
    right = recorded(None, second=False, final_move="most_visits")
    assert "choice-final-move" not in [each.check for each in right.check()]
    best = right.at(N).best_action_name
    assert str(right.verdict()).lower().startswith(f"{best} was played.")


def test_a_tree_that_goes_on_below_the_move_keeps_it_too(tmp_path: Path) -> None:
    search = PlainUCT()
    with mv.record(tmp_path / "run.mcts", root=lambda: search.root, **FIELDS) as rec:
        for _ in rec.steps(search.step, N):
            pass
        search.root = in_order(search.root)[0]
        for _ in rec.steps(search.step, 10):
            pass
    first = rec.traces[0]
    assert mv.open(tmp_path / "run.mcts").played == first.played == first.at(N).best_action


def test_what_is_no_move_of_the_root_is_refused() -> None:
    search = PlainUCT()
    with mv.record(root=search.root, **FIELDS) as rec:
        with pytest.raises(TraceError, match="no iteration has been recorded yet"):
            rec.final_move(4)
        for _ in rec.steps(search.step, 3):
            pass
        for wrong in (99, "k9", object(), search.root):
            with pytest.raises(TraceError, match="the root has no such child"):
                rec.final_move(wrong)
    with pytest.raises(TraceError, match="inside the with block"):
        rec.final_move(search.root.children[0].move)


def test_events_tell_it_by_name(tmp_path: Path) -> None:
    lines = [
        '{"format_version": 2, "game": "tic_tac_toe"}',
        '{"new_nodes": [{"parent": 0, "action": "b2"}], "outcome": 1}',
        '{"new_nodes": [{"parent": 0, "action": "a1"}], "outcome": 0, "played": [{"action": "a1"}]}',
    ]
    path = tmp_path / "run.ndjson"
    path.write_text("\n".join(lines), encoding="utf-8")
    mv.import_trace(path, tmp_path / "run.mcts")
    trace = mv.open(tmp_path / "run.mcts")
    assert trace.action_name(trace.played or 0) == "a1"
