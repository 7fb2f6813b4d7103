"""docs/trace-format.md says what the files hold, and its examples run."""

import json
import re
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import mcts_viz as mv
from mcts_viz.trace.format import (
    BATCH_ITERATIONS,
    MAY_LACK,
    NEWEST_VERSION,
    SCHEMAS,
    NodeRows,
    PlayerRows,
    Rows,
    UpdateRows,
)
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.writer import TraceWriter
from tests.trace.files import END_MARK, messages, record

PAGE = (Path(__file__).parent.parent.parent / "docs/trace-format.md").read_text(encoding="utf-8")
EXAMPLES: list[str] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> mv.Trace:
    return record(tmp_path_factory.mktemp("documentation") / "run.mcts")


def section(title: str) -> str:
    """The part of the page below a heading, up to the next one."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def run_example(number: int, trace: mv.Trace, result: str) -> Any:
    """The value of `result` after an example, run where our package cannot be imported."""
    assert trace.path is not None
    code = "import sys\nsys.modules['mcts_viz'] = None\n"
    code += f"{EXAMPLES[number]}\nprint(__import__('json').dumps({result}))"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=trace.path.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_pyarrow_alone_reads_a_trace(trace: mv.Trace) -> None:
    meta, leaf, visits = run_example(0, trace, "[meta, leaf.tolist(), visits]")
    assert meta == trace.meta
    assert leaf == trace.columns.leaf.tolist()
    assert visits == trace.at(trace.n_iterations).visits.tolist()


def test_pandas_alone_reads_a_trace(trace: mv.Trace) -> None:
    outcome, longest, node, moves = run_example(
        1,
        trace,
        "[float(mean_outcome), int(longest_rollout), int(most_often_the_leaf), moves_from_the_root.tolist()]",
    )
    assert outcome == pytest.approx(float(trace.columns.outcome.mean()), abs=1e-6)
    rollout_offset = trace.columns.rollout.offset
    assert rollout_offset is not None
    assert longest == int(np.diff(rollout_offset).max())
    times = np.bincount(trace.columns.leaf)
    assert times[node] == times.max()
    nodes = trace.columns.nodes
    assert moves == nodes.action[nodes.parent == 0].tolist()


def test_every_column_and_field_is_described_with_its_type() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| ([^|]+) \|", section("Columns"), re.MULTILINE))
    arrow_names = {"float": "float32", "double": "float64"}

    def described(field: pa.Field) -> str:
        text = arrow_names.get(str(field.type), str(field.type))
        if text.startswith("list"):
            item = field.type.value_type
            inner = "struct" if pa.types.is_struct(item) else arrow_names.get(str(item), str(item))
            text = f"list&lt;{inner}&gt;"
        return text + ("?" if field.nullable else "")

    schema = SCHEMAS[NEWEST_VERSION]
    for field in schema:
        assert rows[field.name] == described(field)
    for column, prefix in (("new_nodes", ""), ("updates", ""), ("proven", "proven.")):
        for field in schema.field(column).type.value_type:
            assert rows[prefix + field.name] == described(field)


def test_a_file_may_lack_what_the_page_says() -> None:
    assert "may lack any of them that may\nbe null, but `outcome`;" in section("Columns")

    def nullable(fields: Iterable[pa.Field]) -> Iterator[str]:
        for field in fields:
            if field.nullable:
                yield field.name
            if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
                yield from nullable(field.type.value_type)

    assert {*nullable(SCHEMAS[NEWEST_VERSION])} - {"outcome"} == set(MAY_LACK)


def test_every_key_of_the_metadata_is_described(trace: mv.Trace) -> None:
    described = set(re.findall(r"^\| \**`(\w+)`\** \|", section("Metadata"), re.MULTILINE))
    only_of_others = {
        "discount",
        "step_rewards",
        "player_values",
        "snapshot_iterations",
        "state_format",
        "shared",
    }  # foreign searches
    assert described - only_of_others == set(trace.meta)
    example = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
    assert example == trace.meta["policies"]


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    assert PAGE.startswith(f"# The trace format, version {NEWEST_VERSION}\n")
    assert f"{BATCH_ITERATIONS:,} iterations" in PAGE
    assert " ".join(f"{byte:02x}" for byte in END_MARK) in PAGE


def test_the_checksum_is_as_specified(trace: mv.Trace) -> None:
    """Computed here from the page's words, with pyarrow alone."""
    assert trace.path is not None
    with pa.ipc.open_stream(trace.path) as stream:
        for _ in range(5):
            batch, custom = stream.read_next_batch_with_custom_metadata()
            content = b""
            for name, fields in (
                ("new_nodes", ("parent", "action", "to_move", None, "outcome")),
                ("leaf", ()),
                ("updates", ("node", "visits", "value")),
                ("outcome", ()),
                ("elapsed", ()),
                ("rollout", None),
                ("path_value_0", ()),
                ("path_value_1", ()),
            ):
                column = batch.column(name)
                if fields == ():
                    content += column.to_numpy(zero_copy_only=False).tobytes()
                    continue
                content += column.offsets.to_numpy().tobytes()
                if fields is None:
                    content += column.values.to_numpy(zero_copy_only=False).tobytes()
                for field in fields or ():
                    if field is None:  # no prior: nan for each node
                        content += b"\0\0\xc0\x7f" * len(column.values)
                        continue
                    content += column.values.field(field).to_numpy(zero_copy_only=False).tobytes()
            assert custom[b"mcts_viz.crc32"] == b"%08x" % zlib.crc32(content)


def test_the_checksum_of_columns_that_are_rare_is_as_specified(tmp_path: Path) -> None:
    """Each in its place: by the version that brought it."""
    n = 2
    rows = Rows(
        nodes=NodeRows(
            np.array([0, 1, 1], np.int32),
            parent=np.zeros(1, np.int32),
            action=np.zeros(1, np.int32),
            to_move=np.ones(1, np.int8),
        ),
        leaf=np.zeros(n, np.int32),
        updates=UpdateRows(
            np.array([0, 1, 2], np.int32),
            node=np.zeros(2, np.int32),
            visits=np.ones(2, np.int32),
            value=np.array([0.5, 1.0]),
        ),
        elapsed=np.array([1, 2], np.int64),
        worker=np.array([0, -1], np.int32),
        player_sums=PlayerRows(np.array([0, 2, 4], np.int32), value=np.array([0.5, 0.5, 1.5, 0.5])),
        player_outcomes=PlayerRows(np.array([0, 2, 2], np.int32), value=np.array([0.5, 1.0])),
    )
    meta = {"kind": "trace", "format_version": 6, "root": {"to_move": 0}, "players": ["A", "B"]}
    with TraceWriter(tmp_path / "a.mcts", TraceMeta(meta)) as writer:
        writer.append(rows)
    with pa.ipc.open_stream(tmp_path / "a.mcts") as stream:
        batch, custom = stream.read_next_batch_with_custom_metadata()
    nodes = batch["new_nodes"].values
    content = batch["new_nodes"].offsets.to_numpy().tobytes()
    content += b"".join(nodes.field(each).to_numpy().tobytes() for each in nodes.type.names[:3])
    content += b"\0\0\xc0\x7f" * 2 + batch["leaf"].to_numpy().tobytes()  # neither prior nor outcome
    content += batch["updates"].offsets.to_numpy().tobytes()
    for name in ("node", "visits", "value"):
        content += batch["updates"].values.field(name).to_numpy().tobytes()
    content += b"\0\0\xc0\x7f" * n + batch["elapsed"].to_numpy().tobytes()
    content += batch["worker"].fill_null(-1).to_numpy().tobytes()
    for name in ("player_sums", "player_outcomes"):
        content += (
            batch[name].offsets.to_numpy().tobytes() + batch[name].values.to_numpy().tobytes()
        )
    assert custom[b"mcts_viz.crc32"] == b"%08x" % zlib.crc32(content)


def test_a_reader_without_us_gets_the_whole_batches_of_an_interrupted_trace(
    trace: mv.Trace, tmp_path: Path
) -> None:
    assert trace.path is not None
    content = b"".join(messages(trace.path.read_bytes())[:4])
    (tmp_path / "a.mcts").write_bytes(content + b"\xff\xff\xff\xff\x10")
    with pa.ipc.open_stream(tmp_path / "a.mcts") as stream:
        assert [stream.read_next_batch().num_rows for _ in range(3)] == [100] * 3
        with pytest.raises((OSError, pa.ArrowInvalid, StopIteration)):
            stream.read_next_batch()
