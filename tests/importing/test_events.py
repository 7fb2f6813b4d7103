"""Events from any language become the trace that they tell of; bad lines are named, or skipped and counted."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.errors import ImportFormatError
from mcts_viz.export.events import event_chunks
from mcts_viz.importing.formats import IMPORTERS, import_trace
from mcts_viz.trace.format import PATH_VERSION
from mcts_viz.trace.reader import TraceFile, inconsistency
from tests.trace.files import same_columns
from tests.web.recordings import record_all, record_kinds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/trace-format.md").read_text(encoding="utf-8")
EXAMPLES: list[str] = re.findall(r"```ndjson\n(.*?)```", PAGE, re.DOTALL)
HEADER = {"format_version": 2, "game": "tic_tac_toe"}


def write(path: Path, *lines: Any) -> Path:
    """Objects, or lines as they are."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., mv.Trace]:
    """The trace that lines make."""

    def run(*lines: Any, **options: Any) -> mv.Trace:
        import_trace(write(tmp_path / "in.ndjson", *lines), tmp_path / "run.mcts", **options)
        return mv.open(tmp_path / "run.mcts")

    return run


def event(parent: int, outcome: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"new_nodes": [{"parent": parent}], "outcome": outcome, **more}


# ---- the examples ------------------------------------------------------------------------------------


def test_the_smallest_stream_is_a_trace(imported: Callable[..., mv.Trace]) -> None:
    trace = imported(*EXAMPLES[0].splitlines())
    assert trace.complete
    last = trace.at(2)
    assert last.parent.tolist() == [-1, 0, 1]
    assert last.visits.tolist() == [2, 2, 1]
    assert last.to_move.tolist() == [-1, -1, -1]
    assert trace.iteration(2).path == [0, 1, 2]
    assert trace.meta["not_observed"] == ["updates", "rollout", "elapsed"]
    assert "What backpropagation added is not recorded" in trace.meta["notes"][0]


def test_a_whole_stream_is_taken_at_its_word(imported: Callable[..., mv.Trace]) -> None:
    trace = imported(*EXAMPLES[1].splitlines())
    last = trace.at(2)
    assert last.action.tolist() == [-1, 4, 0]
    assert last.value_sum.tolist() == [-1, 1, 0]
    assert last.to_move.tolist() == [0, 1, 1]
    assert last.label(1) == "b2"
    assert trace.iteration(1).rollout == [0, 1, 3, 2, 5]
    assert trace.iteration(2).elapsed == 31_000
    assert trace.meta["players"] == ["X", "O"]
    assert trace.meta["not_observed"] == []


def test_every_field_of_an_event_is_a_column_of_the_format() -> None:
    section = PAGE.split("## Events")[1]
    for name in (
        "new_nodes",
        "leaf",
        "updates",
        "outcome",
        "rollout",
        "elapsed",
        "proven",
        "changed_states",
    ):
        assert f"`{name}`" in section


# ---- there and back ----------------------------------------------------------------------------------


def test_an_exported_trace_comes_back_with_every_column_equal(tmp_path: Path) -> None:
    (tmp_path / "kinds").mkdir()
    record_all(tmp_path)
    record_kinds(tmp_path / "kinds")
    paths = [*tmp_path.glob("*.mcts"), *(tmp_path / "kinds").glob("*.mcts")]
    assert len(paths) > 7
    for path in paths:
        assert main(["export", str(path), "-o", str(tmp_path / "t.ndjson")]) == 0
        assert main(["import", str(tmp_path / "t.ndjson"), "-o", str(tmp_path / "t.back")]) == 0
        before, after = mv.open(path).meta, mv.open(tmp_path / "t.back").meta
        assert {name: after[name] for name in before} == before
        assert same_columns(mv.open(path).columns, mv.open(tmp_path / "t.back").columns), path.name
        if before["format_version"] < PATH_VERSION:  # such a file leaves updates to be understood
            assert rows_of(tmp_path / "t.back").equals(rows_of(path)), path.name


def rows_of(path: Path) -> pa.Table:
    """All rows as Arrow has them, in one piece, without the metadata, whose times may differ."""
    batches = []
    with pa.ipc.open_stream(path) as stream:
        try:
            while True:
                batches.append(stream.read_next_batch())
        except (StopIteration, OSError, pa.ArrowInvalid):
            pass
    return pa.Table.from_batches(batches).replace_schema_metadata(None).combine_chunks()


def test_an_export_can_end_early(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=50, seed=1, path=tmp_path / "a.mcts")
    assert (
        main(["export", str(tmp_path / "a.mcts"), "--at", "20", "-o", str(tmp_path / "a.ndjson")])
        == 0
    )
    import_trace(tmp_path / "a.ndjson", tmp_path / "b.mcts")
    assert mv.open(tmp_path / "b.mcts").at(20).visits.tolist() == trace.at(20).visits.tolist()
    assert (
        main(["export", str(tmp_path / "a.mcts"), "--at", "51", "-o", str(tmp_path / "a.ndjson")])
        == 2
    )


# ---- what is left out --------------------------------------------------------------------------------


def test_outcomes_are_scaled_into_the_range_of_values(imported: Callable[..., mv.Trace]) -> None:
    trace = imported(
        {**HEADER, "value_range": [0, 1]}, event(0, 1.0), event(1, 0.0), event(1, -1.0)
    )
    assert trace.iteration(1).updates == [(0, 1, 0.0), (1, 1, 1.0)]
    assert trace.iteration(2).updates == [(0, 1, 0.5), (1, 1, 0.5), (2, 1, 0.5)]
    assert trace.iteration(3).updates == [(0, 1, 1.0), (1, 1, 0.0), (3, 1, 1.0)]


def test_an_action_is_the_place_among_the_siblings(imported: Callable[..., mv.Trace]) -> None:
    trace = imported(event(0), event(0), event(1), event(0))
    assert trace.at(4).action.tolist() == [-1, 0, 1, 0, 2]


def test_the_leaf_is_the_last_node_updated_otherwise_the_last_new_one(
    imported: Callable[..., mv.Trace],
) -> None:
    node = {"parent": 0}
    trace = imported(
        {"new_nodes": [node], "updates": []},
        {"new_nodes": [node], **UPDATES},
        {"new_nodes": [node, node], "updates": []},
    )
    assert [trace.iteration(t).leaf for t in (1, 2, 3)] == [1, 0, 4]


def test_what_nobody_could_guess_is_asked_for(imported: Callable[..., mv.Trace]) -> None:
    for line, told in (
        ({"new_nodes": [{"parent": 0}]}, "updates: missing, and there is no outcome"),
        ({"updates": []}, "leaf: missing; write the id of the node that was evaluated"),
    ):
        with pytest.raises(ImportFormatError, match=told):
            imported(line)


def test_children_with_told_actions_count_for_a_place(imported: Callable[..., mv.Trace]) -> None:
    nodes = [{"parent": 0, "action": 0}, {"parent": 0}, {"parent": 1}, {"parent": 0}]
    lines = [{"new_nodes": [node], "outcome": 0} for node in nodes]
    assert imported(*lines).at(4).action.tolist() == [-1, 0, 1, 0, 2]
    assert imported({"new_nodes": nodes, "outcome": 0}).at(1).action.tolist() == [-1, 0, 1, 0, 2]


def test_children_of_skipped_lines_keep_their_place(imported: Callable[..., mv.Trace]) -> None:
    bad = {"new_nodes": [{"parent": 0}, {"parent": 0}, {"parent": 2}], "outcome": "?"}
    trace = imported(bad, event(0), bad, event(0), lenient=True)
    assert trace.at(2).action.tolist() == [-1, 2, 5]


@pytest.mark.parametrize(
    ("told", "ids"),
    [
        (["x", 0, "y", 1, 0], [0, 2**30, 2**30 + 1, 1, 2**30]),
        ([0, "x", 1, "y", "x"], [0, 2**30, 1, 2**30 + 1, 2**30]),
        (["x", None, "y"], [0, 1, 2**30]),
        ([None, "x", None], [0, 2**30, 2]),
    ],
)
def test_texts_and_numbers_are_never_one_action(
    told: list[Any], ids: list[int], imported: Callable[..., mv.Trace]
) -> None:
    lines = [
        {"new_nodes": [{"parent": 0, "action": action}], "outcome": 0, "rollout": [place]}
        for place, action in enumerate(told)
    ]
    for line, action in zip(lines, told):
        line["rollout"] = [] if action is None else [action, -1]
    trace = imported(*lines)
    last = trace.at(len(lines))
    assert last.action.tolist() == [-1, *ids]
    for t, (action, id_) in enumerate(zip(told, ids), start=1):
        if action is not None:
            assert trace.iteration(t).rollout == [id_, -1]
            assert last.label(t) == str(action)


def test_names_of_moves_are_numbered_and_kept(imported: Callable[..., mv.Trace]) -> None:
    trace = imported(
        *(
            {"new_nodes": [{"parent": 0, "action": name}], "outcome": 0}
            for name in ("north", "south")
        )
    )
    last = trace.at(2)
    assert last.action.tolist() == [-1, 0, 1]
    assert [last.label(1), last.label(2)] == ["north", "south"]


def test_players_take_turns_unless_told(imported: Callable[..., mv.Trace]) -> None:
    nodes = [{"parent": 0}, {"parent": 1}, {"parent": 0, "to_move": 0}]
    trace = imported(
        {"format_version": 2, "root": {"to_move": 1}}, {"new_nodes": nodes, "outcome": 1}
    )
    assert trace.at(1).to_move.tolist() == [1, 0, 1, 0]


def test_javascript_numbers_and_a_byte_order_mark_are_taken(
    imported: Callable[..., mv.Trace],
) -> None:
    trace = imported(
        '\ufeff{"new_nodes": [{"parent": 0.0, "action": 3.0}], "outcome": 1}', "", "  "
    )
    assert trace.at(1).action.tolist() == [-1, 3]


def test_metadata_alone_is_an_empty_trace(imported: Callable[..., mv.Trace]) -> None:
    assert imported(HEADER).n_iterations == 0


# ---- bad lines ---------------------------------------------------------------------------------------

GOOD = {
    "new_nodes": [{"parent": 0}],
    "leaf": 1,
    "outcome": 1.0,
    "updates": [{"node": 0, "value": 1}],
}
UPDATES = {"updates": [{"node": 0, "value": 1}]}
BAD: list[tuple[Any, str]] = [
    ('{"leaf": 0', "not JSON: "),
    ('{"leaf": NaN}', "not JSON: "),
    ([1], "the JSON: [1] is not an object"),
    ({**UPDATES, "update": []}, "the JSON: there is no field 'update'; did you mean 'updates'?"),
    ({"leaf": 1}, "updates: missing, but the first line has it; write []"),
    ({**UPDATES, "leaf": 7}, "leaf: there is no node 7 yet, only 0 to 1; make it in new_nodes first"),
    ({**UPDATES, "leaf": "x"}, 'leaf: "x" is not a whole number, or null; write the id of a node'),
    ({"updates": [{"node": 0}]}, "updates[0].value: missing; write what was added in this iteration"),
    ({"updates": [{"value": 0}]}, "updates[0].node: missing"),
    ({"updates": [{"node": 0, "value": True}]}, "updates[0].value: true is not a number"),
    ({"updates": [{"node": 0, "value": 1, "visit": 2}]}, "updates[0]: there is no field 'visit'; did you"),
    ({"updates": [{"node": 0, "value": 1, "visits": 0.5}]}, "updates[0].visits: 0.5 is not a whole number"),
    ({"updates": [{"node": 0, "value": 1, "visits": True}]}, "updates[0].visits: true is not a whole number"),
    ({"updates": [{"node": 0, "value": 1, "visits": 1, "visit": 2}]}, "updates[0]: there is no field 'visit'; did you"),
    ({"updates": [{"node": 0, "value": 1}, {"node": 0, "value": 1, "visits": 2**40}]}, "updates[1].visits: 10995"),
    ({"updates": [{"node": 0, "value": 1}, {"node": 5, "value": 1}]}, "updates[1].node: there is no node 5"),
    ({"updates": [{"node": 0, "value": 1}, {"node": 0, "value": "1"}]}, 'updates[1].value: "1" is not a number'),
    ({"updates": [{"node": 0, "value": 1, "visits": None}]}, "updates[0].visits: null is not"),
    ({"updates": ["abc", "def"]}, 'updates[0]: "abc" is not an object'),
    ({"updates": [{"node": -1, "value": 1}]}, "updates[0].node: -1 is not a whole number >= 0; write the id of a node"),
    ({"updates": {"node": 0}}, 'updates: {"node": 0} is not a list'),
    ({**UPDATES, "new_nodes": [{"action": 1}]}, 'new_nodes[0].parent: missing; write the id of an older node'),
    ({**UPDATES, "new_nodes": [{"parent": 2}]}, "new_nodes[0].parent: there is no node 2 yet"),
    ({**UPDATES, "new_nodes": [{"parent": 0, "to_move": 2}]}, "new_nodes[0].to_move: 2 is not a whole number <= 1"),
    ({**UPDATES, "new_nodes": [{"parent": 0, "prior": "x"}]}, 'new_nodes[0].prior: "x" is not a number'),
    ({**UPDATES, "new_nodes": [{"parent": 0, "label": 3}]}, "new_nodes[0].label: 3 is not text in quotes"),
    ({**UPDATES, "new_nodes": [{"parent": 0, "node": 5}]}, "new_nodes[0].node: 5, but the next id is 2"),
    ({**UPDATES, "new_nodes": 3}, "new_nodes: 3 is not a list"),
    ({**UPDATES, "rollout": [1]}, "rollout: the first line has none"),
    ({**UPDATES, "outcome": 1e300}, "outcome: 1e+300 is not a number <= 3.4028"),
    ({**UPDATES, "proven": [{"node": 0}]}, "proven[0].outcome: missing; write the result"),
    ({**UPDATES, "changed_states": [{"node": 0, "state": 3}]}, "changed_states[0].state: 3 is not text"),
    ('{"updates": ' + "[" * 100_000, "updates[0]: the value there is not an object"),
    ('{"leaf": \xff}', "not JSON: "),
    ({**UPDATES, "format_version": 2}, "format_version: metadata can only stand in the first line"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "told"), BAD, ids=[told[:30] for _, told in BAD])
def test_a_bad_line_is_named_and_what_came_before_it_is_kept(
    line: Any, told: str, tmp_path: Path
) -> None:
    source = write(tmp_path / "in.ndjson", GOOD, line, GOOD)
    with pytest.raises(ImportFormatError) as caught:
        import_trace(source, tmp_path / "run.mcts")
    said = str(caught.value)
    assert said.startswith(f"{source}, line 2: {told}"), said
    assert "holds the 1 iteration before it (`mcts-viz import --lenient` skips such lines)" in said
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.n_nodes, trace.complete) == (1, 2, False)
    report = import_trace(source, tmp_path / "run.mcts", lenient=True)
    assert report.n_skipped == 1
    assert told in report.skipped[0]
    check_rows(tmp_path / "run.mcts")


BAD_HEADERS: list[tuple[dict[str, Any], str]] = [
    ({"format_version": 9}, "format_version: 9, and this version of mcts_viz reads up to 6; update"),
    ({**HEADER, "players": "X"}, 'players: "X" is not a list'),
    ({**HEADER, "value_range": [1, 0]}, "value_range: [1, 0] is not a range [least, greatest]"),
    ({**HEADER, "root": {"to_move": 3}}, "root.to_move: 3 is not a whole number <= 1"),
    ({**HEADER, "start": ["z9"]}, "start: "),
    ({**HEADER, "state_format": "html"}, "state_format: 'html' is not known; write one of: text, markdown, grid"),
    ({**HEADER, "game": 3}, "game: 3 is not an object"),
    ({**HEADER, "policies": {"selection": {"name": "ucb1"}}}, "policies.selection.c: None; write"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "told"), BAD_HEADERS, ids=[told[:20] for _, told in BAD_HEADERS]
)
@pytest.mark.parametrize("lenient", [False, True])
def test_bad_metadata_are_refused_before_a_file_is_made(
    header: dict[str, Any], told: str, lenient: bool, tmp_path: Path
) -> None:
    source = write(tmp_path / "in.ndjson", header, GOOD)
    with pytest.raises(ImportFormatError, match="line 1: ") as caught:
        import_trace(source, tmp_path / "run.mcts", lenient=lenient)
    assert str(caught.value).startswith(f"{source}, line 1: {told}")
    assert str(caught.value).count(", line ") == 1
    assert not (tmp_path / "run.mcts").exists()


def test_an_action_that_the_game_does_not_have_is_refused(
    imported: Callable[..., mv.Trace],
) -> None:
    for action, told in (
        (9, "9, but this game's actions are 0 to 8"),
        ("z9", "there is no action 'z9' here"),
    ):
        with pytest.raises(
            ImportFormatError, match=re.escape(f"line 2: new_nodes[0].action: {told}")
        ):
            imported(HEADER, {"new_nodes": [{"parent": 0, "action": action}], "outcome": 1})


def test_time_never_decreases_and_a_node_is_proven_once(tmp_path: Path) -> None:
    def timed(elapsed: int, *proven: int) -> dict[str, Any]:
        results = [{"node": node, "outcome": 1.0} for node in proven]
        return {**GOOD, "leaf": 0, "elapsed": elapsed, "proven": results}

    lines = [timed(5), timed(5, 1), timed(4), timed(6, 2, 2), timed(7, 1), timed(7, 2), timed(6)]
    source = write(tmp_path / "in.ndjson", *lines)
    report = import_trace(source, tmp_path / "run.mcts", lenient=True)
    assert [re.sub(r".*line (\d): (.*?);.*", r"\1 \2", told) for told in report.skipped] == [
        "3 elapsed: 4, but the event before it has 5: the time since the start never decreases",
        "4 proven[1].node: node 2 was proven before",
        "5 proven[0].node: node 1 was proven before",
        # line 6 may: line 4 was skipped as a whole
        "7 elapsed: 6, but the event before it has 7: the time since the start never decreases",
    ]
    assert report.n_skipped == 4


@pytest.mark.parametrize(
    ("name", "most"),
    [("visits", 2**31 - 10_001), ("visits", -(2**31) + 10_001), ("value", 1.7e308)],
)
def test_sums_beyond_what_a_trace_holds_are_refused(tmp_path: Path, name: str, most: float) -> None:
    """And not wrapped around in silence; other nodes and sums that go down again may go on."""

    def added(*changes: tuple[int, float]) -> dict[str, Any]:
        updates = [{"node": node, "visits": 1, "value": 1.0} for node, _ in changes]
        return {"updates": [{**u, name: by} for u, (_, by) in zip(updates, changes)]}

    lines = [
        {"new_nodes": [{"parent": 0}], "updates": []},
        added((0, most)),
        added((1, most), (0, most)),
        added((1, most)),
        added((0, -most), (0, most)),
        {**added((0, -most)), "leaf": 99},
        added((0, most)),
    ]
    source = write(tmp_path / "in.ndjson", *lines)
    with pytest.raises(ImportFormatError, match=rf"line 3: updates\[1\].{name}: .* goes beyond"):
        import_trace(source, tmp_path / "run.mcts")
    report = import_trace(source, tmp_path / "run.mcts", lenient=True)
    assert [told.split(", line ")[1][:2] for told in report.skipped] == ["3:", "6:", "7:"]
    last = mv.open(tmp_path / "run.mcts").at(report.n_iterations)
    column = last.visits if name == "visits" else last.value_sum
    assert column.tolist() == [most, most]


def check_rows(path: Path) -> None:
    n_nodes = 1
    for rows in TraceFile(path).rows():
        assert inconsistency(rows, n_nodes) is None
        n_nodes += len(rows.nodes)


def test_what_depends_on_a_skipped_line_is_skipped_and_the_rest_keeps_its_place(
    tmp_path: Path,
) -> None:
    bad = {"new_nodes": [{"parent": 0}, {"parent": 0}], "outcome": "?"}  # would make nodes 2 and 3
    lines = [event(0), bad, event(2), event(1), event(0, leaf=3), event(5), event(0)]
    report = import_trace(
        write(tmp_path / "in.ndjson", *lines), tmp_path / "run.mcts", lenient=True
    )
    assert (report.n_iterations, report.n_skipped, report.n_dependent) == (4, 3, 2)
    assert (
        "line 3: new_nodes[0].parent: node 2 was made in a line that was skipped"
        in report.skipped[1]
    )
    trace = mv.open(tmp_path / "run.mcts")
    # ids in the stream: 1; 2 and 3 are lost; 4 is lost with its parent; 5, 6 is lost with its leaf; 7, 8
    assert trace.at(4).parent.tolist() == [-1, 0, 1, 2, 0]
    assert trace.complete


def test_after_a_line_that_is_not_json_ids_are_known_again_where_nodes_say_theirs(
    tmp_path: Path,
) -> None:
    def numbered(node: int, parent: int) -> dict[str, Any]:
        return {"new_nodes": [{"node": node, "parent": parent}], "outcome": 1}

    lines = [
        numbered(1, 0),
        "{",
        {"leaf": 1, "outcome": 1},
        numbered(3, 1),
        numbered(4, 3),
        numbered(5, 2),
    ]
    report = import_trace(
        write(tmp_path / "in.ndjson", *lines), tmp_path / "run.mcts", lenient=True
    )
    assert (report.n_iterations, report.n_skipped, report.given_up) == (4, 2, "")
    assert mv.open(tmp_path / "run.mcts").at(4).parent.tolist() == [-1, 0, 1, 2]


def test_after_a_line_that_is_not_json_reading_ends_where_nodes_say_no_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "in.ndjson", event(0), event(0), "oh", event(1), event(1))
    assert main(["import", str(source), "-o", str(tmp_path / "run.mcts"), "--lenient"]) == 0
    said = capsys.readouterr().err
    assert "line 3: not JSON" in said
    assert "skipped 1 of 3 lines" in said
    assert "the ids of all lines after it are uncertain, and reading ended there" in said
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (2, False)


def test_many_bad_lines_are_counted_and_the_first_ones_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "in.ndjson", event(0), *[{"leaf": 0}] * 25, event(0))
    assert main(["import", str(source), "-o", str(tmp_path / "run.mcts"), "--lenient"]) == 0
    said = capsys.readouterr().err
    assert said.count("updates: missing, and there is no outcome") == 10
    assert "… and 15 more" in said
    assert "skipped 25 of 27 lines" in said


def test_a_bad_first_event_does_not_settle_what_all_others_have(tmp_path: Path) -> None:
    first = {"new_nodes": [{"parent": 0, "action": "x"}], "outcome": "?", "elapsed": 3}
    lines = [{"leaf": 9, **UPDATES}, first, event(0), event(2)]
    source = write(tmp_path / "in.ndjson", *lines)
    report = import_trace(source, tmp_path / "run.mcts", lenient=True)
    assert (report.n_iterations, report.n_skipped) == (2, 2)
    trace = mv.open(tmp_path / "run.mcts")
    assert trace.at(2).parent.tolist() == [-1, 0, 1]  # node 1 of the stream is lost
    assert trace.meta["not_observed"] == ["updates", "rollout", "elapsed"]


BANNER = ["hello", "seed = 3", "[1]", ""]


@pytest.mark.parametrize("format", [None, "events"])
def test_a_banner_before_the_metadata_is_skipped_and_they_are_taken(
    tmp_path: Path, format: str | None
) -> None:
    source = write(tmp_path / "in.ndjson", *BANNER, HEADER, event(0), event(1))
    report = import_trace(source, tmp_path / "run.mcts", format=format, lenient=True)
    assert (report.n_lines, report.n_skipped, report.n_iterations) == (6, 3, 2)
    trace = mv.open(tmp_path / "run.mcts")
    assert trace.meta["game"]["name"] == "tic_tac_toe"
    assert trace.at(2).parent.tolist() == [-1, 0, 1]
    assert trace.complete


def test_a_banner_makes_no_nodes(tmp_path: Path) -> None:
    source = write(tmp_path / "in.ndjson", *BANNER, event(0), event(1))
    report = import_trace(source, tmp_path / "run.mcts", lenient=True)
    assert (report.n_skipped, report.n_iterations, report.given_up) == (3, 2, "")
    for lenient, lines in ((True, []), (False, [HEADER])):
        write(source, *BANNER, *lines)
        with pytest.raises(ImportFormatError, match="not a format that is known"):
            import_trace(source, tmp_path / "run.mcts", lenient=lenient)
    with pytest.raises(ImportFormatError, match=r"line 1: not JSON: .*--lenient` skips such lines"):
        import_trace(source, tmp_path / "run.mcts", format="events")
    import_trace(source, tmp_path / "run.mcts", lenient=True)  # metadata alone, after the banner
    assert mv.open(tmp_path / "run.mcts").complete


def test_a_banner_may_come_by_a_pipe(tmp_path: Path) -> None:
    process = importing(tmp_path / "run.mcts", "--lenient")
    assert process.stdin is not None
    process.stdin.write(b"hello\n")
    process.stdin.flush()
    said, told = process.communicate(f"{json.dumps(HEADER)}\n{json.dumps(event(0))}\n".encode(), 60)
    assert b"1 iteration, 2 nodes" in said
    assert b"skipped 1 of 3 lines" in told


# ---- where it comes from -----------------------------------------------------------------------------


def test_an_unknown_format_names_those_there_are(tmp_path: Path) -> None:
    source = write(tmp_path / "in.txt", "hello")
    with pytest.raises(ImportFormatError, match=r"These can be read: events: "):
        import_trace(source, tmp_path / "run.mcts")
    with pytest.raises(ImportFormatError, match="line 1: not JSON"):
        import_trace(source, tmp_path / "run.mcts", format="events")
    with pytest.raises(ImportFormatError, match="there is no format 'x'; choose one of: events"):
        import_trace(source, tmp_path / "run.mcts", format="x")
    assert "events" in IMPORTERS


def test_a_source_that_is_not_there_empty_or_the_target_itself_is_refused(tmp_path: Path) -> None:
    for name, told in (
        ("none", "cannot be read: No such file"),
        ("", "a folder"),
        ("empty", "empty, so there is nothing to import"),
    ):
        (tmp_path / "empty").touch()
        with pytest.raises(ImportFormatError, match=told):
            import_trace(tmp_path / name, tmp_path / "run.mcts")
    same = write(tmp_path / "a.mcts", event(0))
    with pytest.raises(ImportFormatError, match="read and written at once"):
        import_trace(same, same)


def importing(path: Path, *options: str) -> subprocess.Popen[bytes]:
    """A process that imports what is written into it."""
    command = [sys.executable, "-m", "mcts_viz", "import", "-", "-o", str(path), *options]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for_iterations(path: Path, n: int) -> mv.Trace:
    """The trace once so many iterations can be read from the file."""
    for _ in range(6_000):
        if path.exists() and path.stat().st_size:
            trace = mv.open(path)
            if trace.n_iterations >= n:
                return trace
        time.sleep(0.01)
    raise AssertionError(f"{n} iterations never came")


def test_a_pipe_that_stays_open_is_written_as_it_comes(tmp_path: Path) -> None:
    process = importing(tmp_path / "run.mcts")
    assert process.stdin is not None
    for n in (1, 2):
        process.stdin.write(json.dumps(event(0)).encode() + b"\n")
        process.stdin.flush()
        trace = wait_for_iterations(tmp_path / "run.mcts", n)
        assert (trace.n_iterations, trace.complete) == (n, False)
    process.stdin.write(json.dumps(event(0)).encode())  # a last line without its end
    said, _ = process.communicate(timeout=60)
    assert b"3 iterations, 4 nodes" in said
    assert mv.open(tmp_path / "run.mcts").complete


def test_an_interrupted_import_leaves_what_had_come(tmp_path: Path) -> None:
    process = importing(tmp_path / "run.mcts")
    assert process.stdin is not None
    process.stdin.write(json.dumps(event(0)).encode() + b"\n")
    process.stdin.flush()
    wait_for_iterations(tmp_path / "run.mcts", 1)
    process.send_signal(2)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in said) == (130, False)
    assert b"holds what had been read by then" in said
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (1, False)


def test_numbers_of_a_piece_of_the_export_do_not_depend_on_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = mv.search("tic_tac_toe", "alphazero", iterations=60, seed=1, path=tmp_path / "a.mcts")
    whole = b"".join(event_chunks(trace))
    monkeypatch.setattr("mcts_viz.export.events.ITERATIONS", 7)
    assert b"".join(event_chunks(trace)) == whole


@pytest.mark.parametrize(
    "header",
    [
        {"game": None}, {"policies": {"selection": None}}, {"policies": None}, {"start": None, "root": None},
        {"game": "tic_tac_toe", "players": None, "policies": {"selection": None}}, {"game": {"name": None}},
    ],
    ids=str,
)  # fmt: skip
def test_a_header_with_nothing_in_its_fields_makes_a_trace_that_has_answers(
    header: dict[str, Any], tmp_path: Path
) -> None:
    event = '{"new_nodes": [{"parent": 0, "action": 4}], "leaf": 1, "outcome": 1.0}'
    (tmp_path / "in").write_text(json.dumps({"format_version": 2, **header}) + "\n" + event + "\n")
    mv.import_trace(tmp_path / "in", tmp_path / "out.mcts", format="events")
    trace = mv.open(tmp_path / "out.mcts")
    trace.check()
    assert str(trace.explain())
    assert trace.at(1).to_json()


@pytest.mark.parametrize(
    ("value", "told"),
    [("NaN", "invalid character"), ("-1e999", "out of range"), ("[1", "expected")],
)
def test_metadata_that_are_no_json_are_named_as_metadata(
    value: str, told: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.ndjson"
    source.write_text(
        f'{{"format_version": 1, "value_range": [{value}, 1]}}\n{{"leaf": 0, "outcome": 1}}\n'
    )
    with pytest.raises(
        ImportFormatError, match=f"a.ndjson, line 1: the metadata are no JSON: .*({told})"
    ):
        import_trace(source, tmp_path / "run.mcts", format="events")
