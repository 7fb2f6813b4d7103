"""Events that are read many at once are the events that are read one by one: same trace, or same words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.errors import ImportFormatError
from mcts_viz.export.events import event_chunks
from mcts_viz.importing import event_blocks, sources
from mcts_viz.importing.event_blocks import EventBlocks
from mcts_viz.importing.formats import import_trace
from tests.trace.files import columns_by_name

N = 60
TRACE = mv.search("tic_tac_toe", iterations=N, seed=3)
HEADER, *LINES = b"".join(event_chunks(TRACE)).decode().splitlines()
AT = 40  # the event that is made odd
ODD = {
    "a whole number as JavaScript writes it": ('"leaf":', '"leaf":0.0,"elapsed":'),
    "a text for a number": ('"to_move":0', '"to_move":"0"'),
    "a node that is not there": ('"leaf":', '"leaf":9999,"leaf":'),
    "a field twice": ("{", '{"leaf":1,'),
    "a field that there is not": ("{", '{"leav":1,'),
    "no value": ('"value":', '"valu":'),
    "null": ("{", '{"changed_states":null,'),
    "a truth value": ('"visits":1', '"visits":true'),
    "two visits": ('"visits":1', '"visits":2'),
    "no visits told": ('"visits":1,', ""),
    "less than nothing": ('"visits":1', '"visits":-3'),
    "too many visits": ('"visits":1', '"visits":3000000000'),
    "more than 64 bits": ('"visits":1', '"visits":99999999999999999999'),
    "an infinite value": ('"value":', '"value":1e999,"valu":'),
    "a value beyond all": ('"value":0', '"value":1e400'),
    "not a number": ('"value":', '"value":NaN,"valu":'),
    "a comma too many": ("}", ",}"),
    "a number with a zero before it": ('"visits":1', '"visits":01'),
    "an exponent": ('"visits":1', '"visits":1e0'),
    "a negative zero": ('"visits":1', '"visits":-0'),
    "two objects": ("{", "{} {"),
    "nothing": ("{", ""),
    "an array": ("{", "[{"),
    "spaces": ("{", " \t{ "),
    "a carriage return": ("}", "} \r"),
    "one within": ("{", "{\r"),
    "no updates": ('"updates":', '"rollout":'),
    "escaped names": ('"leaf"', '"\\u006ceaf"'),
    "half a letter": ('"leaf"', '"le\\ud800af"'),
    "a player that there is not": ('"to_move":', '"to_move":2,"x":'),
    "chance": ('"to_move":0', '"to_move":-2'),
    "an action that there is not": ('"action":', '"action":77,"action":'),
    "a label": ('"parent":', '"label":"b2","parent":'),
    "a state": ('"parent":', '"state":"XO.","parent":'),
    "a prior": ('"parent":', '"prior":0.5,"parent":'),
    "its own id": ('"parent":', f'"node":{AT + 1},"parent":'),
    "a later parent": ('"parent":', '"parent":500,"parent":'),
    "a mark of byte order": ("{", "\ufeff{"),
    "another header": ("{", '{"format_version":2,'),
    "an earlier time": ('"elapsed":', '"elapsed":0,"elapsd":'),
    "a later time": ('"elapsed":', '"elapsed":8'),
    "no leaf": ('"leaf":', '"outcome":'),
}  # fmt: skip


def told(folder: Path, lines: list[str], blocks: bool, lenient: bool = False) -> Any:
    """What an import leaves: the file's rows, iteration by iteration, and what was said."""
    source, path = folder / "in.ndjson", folder / "run.mcts"
    source.write_bytes("\n".join([HEADER, *lines]).encode())
    with (
        mock.patch.object(event_blocks, "LEAST", 1 if blocks else 10**9),
        mock.patch.object(sources, "PIECE", 2_000),  # the first is read one by one
    ):
        try:
            report = import_trace(source, path, format="events", lenient=lenient)
            said: Any = (report.n_iterations, report.n_nodes, report.n_lines, report.skipped)
        except ImportFormatError as err:
            said = str(err)
    if not path.exists():
        return said, None
    columns = mv.open(path).columns
    rows = {
        name: None if values is None else np.asarray(values).tolist()
        for name, values in columns_by_name(columns).items()
    }
    return said, repr(rows)


def test_a_search_is_read_so_and_is_the_same(tmp_path: Path) -> None:
    found: list[bool] = []
    rows = EventBlocks.rows

    def counted(self: EventBlocks, *given: Any) -> Any:
        made = rows(self, *given)
        found.append(made is not None)
        return made

    for name, options in (
        ("tic_tac_toe", {}),
        ("connect_four", {"rollouts": False}),
        ("connect_four", {"preset": "tech_io"}),
    ):
        trace = mv.search(name, iterations=300, seed=1, **options)
        (tmp_path / "in.ndjson").write_bytes(b"".join(event_chunks(trace)))
        with (
            mock.patch.object(EventBlocks, "rows", counted),
            mock.patch.object(sources, "PIECE", 20_000),
        ):
            import_trace(tmp_path / "in.ndjson", tmp_path / "run.mcts")
        again = mv.open(tmp_path / "run.mcts")
        for t in (1, 100, 299, 300):
            before, after = trace.at(t), again.at(t)
            assert np.array_equal(before.visits, after.visits)
            assert np.array_equal(before.value_sum, after.value_sum)
            assert np.array_equal(before.outcome, after.outcome, equal_nan=True)
            assert trace.iteration(t).path == again.iteration(t).path
            assert trace.iteration(t).rollout == again.iteration(t).rollout
    assert found.count(True) > 5
    assert all(found)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_line_is_the_same_or_refused_in_the_same_words(
    tmp_path: Path, odd: str, lenient: bool
) -> None:
    before, after = ODD[odd]
    line = next((line for line in LINES[AT:] if before in line), LINES[AT])
    lines = LINES.copy()
    lines[lines.index(line)] = line.replace(before, after, 1)
    assert lines != LINES
    assert told(tmp_path, lines, True, lenient) == told(tmp_path, lines, False, lenient)


@pytest.mark.parametrize("first", ["texts", "numbers"])
def test_texts_beside_numbers_get_the_same_ids(tmp_path: Path, first: str) -> None:
    def event(action: str) -> str:
        return f'{{"new_nodes":[{{"parent":0{action},"to_move":0}}],"updates":[{{"node":0,"value":1}}]}}'

    header = '{"format_version":2}'
    numbers, texts = [event(f',"action":{i}') for i in range(50)], [event(',"action":"x"')]
    lines = (
        [*texts, *numbers, *texts] if first == "texts" else [*numbers, *texts, event(""), *numbers]
    )
    with mock.patch(f"{__name__}.HEADER", header):
        (count, *_), _ = found = told(tmp_path, lines, True)
        assert count == len(lines)
        assert found == told(tmp_path, lines, False)


@pytest.mark.parametrize("great", ['"visits":1900000000,"value":1', '"visits":1,"value":1.7e308'])
@pytest.mark.parametrize("lenient", [False, True])
def test_sums_too_great_are_refused_in_the_same_words(
    tmp_path: Path, great: str, lenient: bool
) -> None:
    lines = LINES.copy()
    for at in (AT, AT + 9):
        lines[at] = re.sub(r'"visits":1,"value":[^}]+', great, lines[at], count=1)
    said, _ = found = told(tmp_path, lines, True, lenient)
    assert f"line {AT + 9 + 2}: updates[0]." in str(said)
    assert found == told(tmp_path, lines, False, lenient)


@pytest.mark.parametrize("at", [AT, N - 1])
def test_time_that_runs_back_is_refused_in_the_same_words(tmp_path: Path, at: int) -> None:
    lines = LINES.copy()
    lines[at] = re.sub(r'"elapsed":\d+', '"elapsed":1', lines[at])
    said, _ = found = told(tmp_path, lines, True)
    assert f"line {at + 2}: elapsed: 1, but the event before it has " in said
    assert found == told(tmp_path, lines, False)


@pytest.mark.parametrize("more", ['"new_nodes":[],', ""])
def test_events_that_make_no_node(tmp_path: Path, more: str) -> None:
    event = (
        f'{{{more}"updates":[{{"node":0,"value":1}},{{"node":3,"value":0.5}}],'
        '"elapsed":9999999999,"rollout":[]}'
    )
    lines = LINES + [event] * 100
    (count, *_), _ = found = told(tmp_path, lines, True)
    assert count == len(lines)
    assert found == told(tmp_path, lines, False)


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 70), st.integers(), st.floats(), st.text(max_size=3),
    st.lists(st.integers(-2, 9), max_size=3), st.just({}),
)  # fmt: skip


PLACES = ("new_nodes", "updates", "")  # the last element of these; the event itself
NAMES = (
    "leaf", "outcome", "elapsed", "rollout", "parent", "action", "to_move", "node", "visits", "value", "updates",
    "new_nodes",
)  # fmt: skip


@given(
    st.integers(20, N - 1), st.sampled_from(PLACES), st.sampled_from(NAMES), ANYTHING, st.booleans()
)
def test_whatever_a_field_holds(
    tmp_path_factory: pytest.TempPathFactory, at: int, where: str, name: str, value: Any, gone: bool
) -> None:
    event = json.loads(LINES[at])
    inner = event.get(where) if where else None
    target = inner[-1] if inner else event
    if gone:
        target.pop(name, None)
    else:
        target[name] = value
    lines = [*LINES[:at], json.dumps(event), *LINES[at + 1 :]]
    folder = tmp_path_factory.mktemp("odd")
    assert told(folder, lines, True) == told(folder, lines, False)
