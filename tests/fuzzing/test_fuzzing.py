"""Inputs that lie, from seeds: each is taken, or refused in the package's own words; none hangs, none takes memory
without bound.

A seed that found a mistake goes into `FOUND`, and stays. `make test-thorough` feeds a million.
"""

from __future__ import annotations

import json
import time
import zlib
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import mcts_viz as mv
from benchmarks.figures import forget_peak, resident_megabytes
from mcts_viz.importing.formats import import_trace
from mcts_viz.trace.format import META_CRC_KEY, META_KEY, NEWEST_VERSION, SCHEMAS
from tests.fuzzing.mutation import as_json
from tests.fuzzing.targets import TARGETS, Fuzzed, fuzz
from tests.variants import each

SHORT = 40  # inputs of a target
SLOW = {"rows": 10, "metadata": 20, "fleet": 8}  # those of which much is asked
# inputs of each target in make test-thorough: a million
MANY = {
    "trace_bytes": 200_000, "unknown": 200_000,
    "agent_logs": 40_000, "documents": 20_000, "many": 10_000, "fleet": 4_000, "index": 6_000,
    "snapshot": 120_000, "notes": 120_000, "notes_file": 80_000,
    "events": 50_000, "snapshots": 40_000, "uploads": 30_000, "routes": 20_000, "llm_reasoners": 10_000,
    "callbacks": 40_000,
    "metadata": 6_000, "rows": 4_000,
}  # fmt: skip
BLOCK = 2_000  # inputs of a test
LONGEST = 10.0  # seconds of an input, on a machine that does other things as well
MOST_MEMORY = 300  # megabytes that an input may take beyond what was there
# (target, seed): each was a mistake once
FOUND = [
    ("callbacks", 2), ("callbacks", 3), ("callbacks", 92), ("callbacks", 123),
    ("agent_logs", 112), ("agent_logs", 197), ("agent_logs", 249), ("many", 358), ("fleet", 125),
    ("fleet", 7_000_057), ("agent_logs", 7_003_831), ("fleet", 20_000_019), ("fleet", 3_887),
]  # fmt: skip


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Fuzzed:
    return Fuzzed(tmp_path_factory.mktemp("fuzzing"))


def feed(fuzzed: Fuzzed, target: str, seeds: range) -> int:
    """Feed the inputs of these seeds; how many were taken."""
    forget_peak()
    before, _ = resident_megabytes()
    taken = 0
    for seed in seeds:
        began = time.monotonic()
        taken += fuzz(fuzzed, target, seed)
        assert time.monotonic() - began < LONGEST, f"seed {seed} of {target} took too long"
    _, most = resident_megabytes()
    assert most - before < MOST_MEMORY, f"{most - before:,.0f} MB"
    return taken


@pytest.mark.parametrize("target", each(2, TARGETS))
def test_inputs_that_lie_are_taken_or_refused(target: str, fuzzed: Fuzzed) -> None:
    n = SLOW.get(target, SHORT)
    assert 0 < feed(fuzzed, target, range(n)) < n


@pytest.mark.parametrize(("target", "seed"), FOUND)
def test_what_was_found_once_does_not_come_back(target: str, seed: int, fuzzed: Fuzzed) -> None:
    fuzz(fuzzed, target, seed)


def test_a_million_are_fed() -> None:
    assert set(MANY) == set(TARGETS)
    assert sum(MANY.values()) == 1_000_000


BLOCKS = [
    (target, range(start, min(start + BLOCK, n)))
    for target, n in MANY.items()
    for start in range(0, n, BLOCK)
]


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "seeds"), BLOCKS)
def test_a_million_inputs_are_taken_or_refused(target: str, seeds: range, fuzzed: Fuzzed) -> None:
    feed(fuzzed, target, seeds)


# what shrinks to the least example; without its database the same examples every time
QUICK = settings(
    max_examples=60, deadline=None, derandomize=True, database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8) | st.sampled_from(["game", "name", "root", "players"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["game", "start", "root", "players", "policies", "reward_range", "value_range", "action_labels", "budget", "seed",
     "inherited", "notes", "not_observed", "state_format", "discount", "root_actions", "software", "resumed"]
)  # fmt: skip


def own(work: Any) -> Any:
    try:
        return work()
    except mv.MctsVizError as err:
        assert str(err)  # noqa: PT017 (others go on)
        return None


@QUICK
@given(
    content=st.binary(max_size=400),
    begins=st.sampled_from([b"", b"\xff\xff\xff\xff", b"{", b'{"logs":']),
)
def test_any_bytes_are_refused_in_words(content: bytes, begins: bytes, fuzzed: Fuzzed) -> None:
    path = fuzzed.folder / "any"
    path.write_bytes(begins + content)
    assert own(lambda: mv.open(path)) is None
    assert own(lambda: import_trace(path, fuzzed.folder / "any.mcts")) is None


@QUICK
@given(more=st.dictionaries(KEYS, JSON, max_size=3))
def test_any_metadata_are_refused_or_have_answers(more: dict[str, Any], fuzzed: Fuzzed) -> None:
    document = as_json(
        {"kind": "trace", "format_version": NEWEST_VERSION, "root": {"to_move": 0}, **more}
    )
    path = fuzzed.folder / "metadata.mcts"
    said = {META_KEY: document, META_CRC_KEY: b"%08x" % zlib.crc32(document)}
    with pa.ipc.new_stream(path, SCHEMAS[NEWEST_VERSION].with_metadata(said)):
        pass
    trace = own(lambda: mv.open(path))
    if trace is not None:
        own(lambda: trace.at(0).to_json())
        own(trace.check)
        own(trace.explain)


@QUICK
@given(
    header=st.dictionaries(KEYS, JSON, max_size=3),
    event=st.dictionaries(st.text(max_size=8), JSON, max_size=2),
)
def test_any_header_and_event_are_refused_or_make_a_trace(
    header: dict[str, Any], event: dict[str, Any], fuzzed: Fuzzed
) -> None:
    good: dict[str, Any] = {"new_nodes": [{"parent": 0, "action": 1}], "leaf": 1, "outcome": 1.0}
    lines = [{"format_version": NEWEST_VERSION, **header}, good, {**good, **event}]
    path, target = fuzzed.folder / "any.ndjson", fuzzed.folder / "any.mcts"
    path.write_bytes(b"\n".join(map(as_json, lines)))
    if own(lambda: import_trace(path, target, format="events")) is not None:
        own(mv.open(target).check)


@QUICK
@given(
    note=st.dictionaries(
        st.sampled_from(["iteration", "node", "text", "revision", "created"]), JSON, max_size=5
    )
)
def test_any_note_is_kept_or_refused(note: dict[str, Any], fuzzed: Fuzzed) -> None:
    client, key = fuzzed.client()
    answer = client.put(
        f"/api/trace/{key}/notes/0123456789abcdef",
        data=json.dumps(note),
        content_type="application/json",
    )
    assert answer.status_code in (200, 400), answer.get_data()
