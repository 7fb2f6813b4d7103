"""GraphML and CSV, the choice of a format by suffix, and files that are whole or not there."""

from __future__ import annotations

import csv
import io
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from mcts_viz.errors import ExportError
from mcts_viz.export.destination import write_chunks
from mcts_viz.export.fields import FIELDS
from mcts_viz.export.formats import FORMATS, text_chunks, write
from mcts_viz.export.table import csv_cell
from mcts_viz.trace.meta import TraceMeta
from tests.export.trees import ABSENT, bushy, chain, tree
from tests.lazy import pandas as pd
from tests.variants import few

TEXTS = [suffix for suffix, format in FORMATS.items() if not format.is_picture]
HOSTILE = [
    "root",
    "</data>&\"'",
    "\x00\x08\x1b",
    "a\r\nb\tc",
    "]]>",
    "𝔘\ufffe",
    "\udc00",
    "",
    " x ",
]
HOSTILE_IN_XML = [
    "root", "</data>&\"'", "\ufffd\ufffd\ufffd", "a\r\nb\tc", "]]>", "𝔘\ufffd", "\ufffd", "", " x "
]  # fmt: skip


def test_networkx_reads_graphml_with_every_statistic(tmp_path: Path) -> None:
    snapshot = bushy(300)
    graph = nx.read_graphml(write(snapshot, tmp_path / "t.graphml"), node_type=int)
    assert nx.is_arborescence(graph)
    for field in (each for each in FIELDS if each.name not in ABSENT):
        if field.kind in ("number", "boolean"):
            column = getattr(snapshot, field.name)
            found = [graph.nodes[node].get(field.name, math.nan) for node in range(300)]
            assert np.array_equal(found, column.astype(float), equal_nan=True), field.name
        elif field.name in ("visits", "depth", "born"):
            found = [graph.nodes[node][field.name] for node in range(300)]
            assert found == getattr(snapshot, field.name).tolist()
    assert "action" not in graph.nodes[0]
    assert graph.edges[int(snapshot.parent[9]), 9]["action"] == snapshot.action[9]
    assert graph.graph["iteration"] == 250
    assert graph.graph["policies"].startswith('{"preset": "uct"')


def test_graphml_survives_hostile_text(tmp_path: Path) -> None:
    snapshot = tree([-1, *[0] * (len(HOSTILE) - 1)], names=HOSTILE)
    snapshot.meta = TraceMeta({**snapshot.meta, 'key "<&>': "</graphml>\x00"})
    graph = nx.read_graphml(write(snapshot, tmp_path / "t.graphml"), node_type=int)
    assert [graph.nodes[node]["label"] for node in graph] == HOSTILE_IN_XML
    assert graph.graph['key "<&>'] == "</graphml>\ufffd"


def test_a_table_has_one_row_a_node_and_every_column(tmp_path: Path) -> None:
    snapshot = bushy(300)
    table = pd.read_csv(write(snapshot, tmp_path / "t.csv"), dtype=str)
    assert list(table.columns) == [field.name for field in FIELDS]
    assert table["id"].tolist() == [str(node) for node in range(300)]
    for field in (each for each in FIELDS if each.name not in ABSENT):
        if field.kind in ("number", "boolean") or field.name in ("visits", "depth", "born"):
            found = table[field.name].replace({"true": "1", "false": "0"}).map(float)
            column = getattr(snapshot, field.name)
            assert np.array_equal(found, column, equal_nan=True), field.name


def test_no_cell_of_a_table_is_a_formula() -> None:
    names = ["root", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "a=b", 'say "x"']
    states: list[str | None] = [None, "a,b", "X\nO", "", *["-" * 9] * 5]
    snapshot = tree([-1, *[0] * 8], names=names, states=states)
    text = b"".join(text_chunks(snapshot, ".csv")).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    labels = [row["label"] for row in rows]
    assert labels == [
        "root", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "''quoted", "a=b", 'say "x"'
    ]  # fmt: skip
    assert [label.removeprefix("'") for label in labels] == names
    assert [row["state"] for row in rows][:5] == ["", "a,b", "X\nO", "", "'---------"]
    assert float(rows[1]["value_sum"]) == snapshot.value_sum[1]


def test_text_that_utf8_or_csv_cannot_hold_is_replaced() -> None:
    assert csv_cell("\ud800\0") == '"\ufffd\ufffd"'


@pytest.mark.parametrize("suffix", TEXTS)
def test_deep_trees_export_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = write(chain(10_000), tmp_path / f"deep{suffix}")
    assert path.read_bytes().count(b"\n") >= 10_000


@pytest.mark.parametrize("suffix", few(TEXTS))
def test_two_hundred_thousand_nodes_export_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = write(bushy(200_000), tmp_path / f"wide{suffix}")
    assert b"199999" in path.read_bytes()[-200:]


@pytest.mark.parametrize("suffix", TEXTS)
def test_streamed_text_is_the_file(suffix: str, tmp_path: Path) -> None:
    snapshot = bushy(100)
    streamed = b"".join(text_chunks(snapshot, suffix))
    assert write(snapshot, tmp_path / f"a{suffix.upper()}").read_bytes() == streamed
    assert write(snapshot, tmp_path / "no_suffix", suffix=suffix).read_bytes() == streamed


@pytest.mark.parametrize("name", ["tree.xlsx", "tree", ".json.bak", ""])
def test_an_unknown_suffix_is_refused_with_those_there_are(name: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"end the name in one of: \.json, \.graphml, \.csv"):
        write(bushy(3), str(tmp_path / name) if name else name)
    with pytest.raises(ExportError, match="one of"):
        text_chunks(bushy(3), name)


def test_a_failed_export_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "tree.json"
    target.write_text("old")

    def breaks() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_chunks(target, breaks())
    snapshot = bushy(3)
    snapshot.meta = TraceMeta({**snapshot.meta, "note": object()})
    with pytest.raises(ExportError):
        write(snapshot, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_and_a_folder_as_target_are_named(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"folder of .*none/t\.json does not exist; create it"):
        write(bushy(3), tmp_path / "none" / "t.json")
    (tmp_path / "d.json").mkdir()
    with pytest.raises(ExportError, match=r"d\.json is a folder; give the name of a file in it"):
        write(bushy(3), tmp_path / "d.json")
    with pytest.raises(ExportError, match="cannot write"):
        write(bushy(3), tmp_path / "a\0.json")
    with pytest.raises(ExportError, match=r"cannot write .*; nothing was changed"):
        write(bushy(3), tmp_path / f"{'x' * 300}.json")
    assert not [path for path in tmp_path.iterdir() if path.is_file()]


@pytest.mark.skipif(os.name == "nt", reason="links and modes as on Unix")
def test_a_link_is_followed_and_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write(bushy(3), link)
    assert link.is_symlink()
    assert real.read_text().startswith("id,parent")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write(bushy(3), "/dev/null", suffix=".json")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
