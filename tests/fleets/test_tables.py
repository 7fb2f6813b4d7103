"""The tables of a fleet: what they say of each search, and how they stay true to the files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import mcts_viz as mv
from docs.make_fleet import PAGE, with_tables
from mcts_viz.errors import TraceError
from mcts_viz.fleets import store
from mcts_viz.fleets.columns import TABLES, VERSION_KEY
from mcts_viz.fleets.exact import share
from mcts_viz.trace.meta import TraceMeta
from tests.fleets.folders import ITERATIONS, N_MANY, copy_of
from tests.lazy import pandas as pd

CONTRACT = (
    "search_id file offset game preset seed iterations nodes best_action best_action_name root_value visit_entropy "
    "margin lead_since errors warnings error"
)


@pytest.fixture(scope="module")
def folder(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of(traces, tmp_path_factory.mktemp("tables") / "runs")


@pytest.fixture(scope="module")
def fleet(folder: Path) -> mv.Fleet:
    return mv.fleet(folder)


def row(fleet: mv.Fleet, search_id: str) -> dict[str, object]:
    rows = [each for each in fleet.searches.to_pylist() if each["search_id"] == search_id]
    assert len(rows) == 1
    return rows[0]


def test_every_search_below_the_folder_is_a_row(fleet: mv.Fleet, folder: Path) -> None:
    n_match = len(list((folder / "game").glob("*.mcts")))
    assert len(fleet) == fleet.searches.num_rows == N_MANY + 5 + n_match
    assert set(CONTRACT.split()) <= set(fleet.searches.column_names)
    assert fleet.searches["search_id"].to_pylist()[:2] == ["a.many#0", "a.many#1"]
    assert set(fleet.searches["run"].to_pylist()) == {"runs", "second"}


def test_a_row_says_what_its_trace_says(fleet: mv.Fleet) -> None:
    for search_id in ("a.many#7", "second/1.mcts#0"):
        told, trace = row(fleet, search_id), fleet.open(search_id)
        last = trace.at(trace.n_iterations)
        visits = last.visits[last.children(0)]
        shares = visits[visits > 0] / visits.sum()
        decided = trace.explain().decision
        assert told["iterations"] == trace.n_iterations
        assert told["nodes"] == trace.n_nodes
        assert told["seed"] == trace.meta.seed
        assert (told["best_action"], told["best_action_name"]) == (
            trace.best_action, trace.best_action_name,
        )  # fmt: skip
        assert told["visit_entropy"] == pytest.approx(-np.sum(shares * np.log(shares)))
        low, high = (
            trace.meta.value_range
        )  # the root's own mean is in the view of the player not to move
        assert told["root_value"] == pytest.approx(low + high - last.mean_value[0])
        assert told["margin"] == (None if decided is None else decided.margin)
        assert told["lead_changes"] is not None
        assert told["error"] is None
        assert told["complete"]


def test_moves_are_those_of_the_root(fleet: mv.Fleet) -> None:
    rows = [each for each in fleet.moves.to_pylist() if each["search_id"] == "second/1.mcts#0"]
    trace = fleet.open("second/1.mcts#0")
    last = trace.at(trace.n_iterations)
    assert {each["node"] for each in rows} == set(last.children(0))
    assert sum(each["policy"] for each in rows) == pytest.approx(1.0)
    assert all(each["legal"] for each in rows)
    assert sum(each["prior"] for each in rows) == pytest.approx(1.0, abs=1e-5)
    best = next(each for each in rows if each["action"] == trace.best_action)
    told = row(fleet, "second/1.mcts#0")
    assert told["best_prior"] == pytest.approx(best["prior"])
    assert math.isfinite(float(str(told["kl_visits_prior"])))


def test_a_torn_and_a_hostile_trace_are_a_row_each_with_their_error(fleet: mv.Fleet) -> None:
    torn, hostile = row(fleet, "second/torn.mcts#0"), row(fleet, "second/hostile.mcts#0")
    assert "complete up to iteration" in str(torn["error"]) or torn["error"]
    assert hostile["error"]
    assert hostile["iterations"] is None
    with pytest.raises(mv.MctsVizError):
        fleet.open("second/hostile.mcts#0")


def test_a_search_of_a_match_knows_its_game_and_the_result(fleet: mv.Fleet) -> None:
    rows = [each for each in fleet.searches.to_pylist() if each["game_id"] == "game"]
    assert [each["ply"] for each in rows] == list(range(len(rows)))
    results = {each["player"]: each["result"] for each in rows}
    assert results[0] == -results[1]


def test_what_is_solved_has_its_regret(traces: Path, tmp_path: Path) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    solved = mv.fleet(copy, truth=100_000).searches
    regret = [value for value in solved["regret"].to_pylist() if value is not None]
    assert len(regret) >= N_MANY
    assert set(regret) <= {0.0, 0.5, 1.0}
    first = mv.open(copy / "a.many", 0)
    assert solved["regret"][0].as_py() == first.truth().regret[-1]


def test_a_refresh_scans_what_is_new_or_changed_and_nothing_else(
    traces: Path, tmp_path: Path
) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    before = mv.fleet(copy)
    files = {path: path.stat().st_mtime_ns for path in (copy / "fleet-tables").rglob("*.parquet")}
    assert mv.fleet(copy).searches.equals(before.searches)
    assert files == {
        path: path.stat().st_mtime_ns for path in (copy / "fleet-tables").rglob("*.parquet")
    }
    mv.search("tic_tac_toe", iterations=25, seed=9, path=copy / "second/0.mcts", compile=False)
    mv.search("tic_tac_toe", iterations=26, seed=9, path=copy / "third.mcts", compile=False)
    (copy / "second/1.mcts").unlink()
    after = mv.fleet(copy)
    assert len(after) == len(before)  # one more, one less
    assert row(after, "second/0.mcts#0")["iterations"] == 25
    assert row(after, "third.mcts#0")["iterations"] == 26
    assert "second/1.mcts#0" not in after.searches["search_id"].to_pylist()
    assert after.searches.slice(0, N_MANY).equals(before.searches.slice(0, N_MANY))
    for table in (after.moves, after.findings):
        assert set(table["search_id"].to_pylist()) <= set(after.searches["search_id"].to_pylist())


@pytest.mark.parametrize(
    "wrong", [{VERSION_KEY: b"0"}, {store.REPLACES_KEY: b"["}, {store.REPLACES_KEY: b"1"}]
)
def test_tables_of_another_version_or_damaged_ones_are_built_anew(
    traces: Path, tmp_path: Path, wrong: dict[bytes, bytes]
) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    before = mv.fleet(copy).searches
    for path in (copy / "fleet-tables/searches").rglob("*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **wrong}), path)
    assert len(mv.Fleet(copy, scanned=False)) == 0
    assert mv.fleet(copy).searches.equals(before)


def test_a_search_that_two_parts_have_is_there_once(traces: Path, tmp_path: Path) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    before = mv.fleet(copy).searches
    files = store.PartFiles(store.Folder(str(copy)))
    part = files.parts()[0]
    files.write(store.Part(part.run, "twice"), {name: files.read(name, [part]) for name in TABLES})
    assert len(mv.Fleet(copy, scanned=False)) > before.num_rows
    assert mv.fleet(copy).searches.equals(before)


def test_compaction_makes_one_part_a_run_and_keeps_every_row(
    traces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    monkeypatch.setattr("mcts_viz.fleets.scan.TASK_BYTES", 20_000)
    fleet = mv.fleet(copy)
    before = fleet.searches
    moves, findings = fleet.moves, fleet.findings
    many, few = fleet.compact()
    assert many > 8
    assert few == 2
    for each in (fleet, mv.fleet(copy)):
        assert each.searches.equals(before)
        assert each.moves.equals(moves)
        assert each.findings.num_rows == findings.num_rows
    # a crash between writing the new part and deleting the old ones
    files = store.PartFiles(store.Folder(str(copy)))
    old, new = files.parts()
    tables = {name: files.read(name, [new]) for name in TABLES}
    files.write(store.Part(new.run, "newer"), tables, [new.name])
    assert [part.name for part in files.parts()] != [old.name, new.name]
    assert mv.fleet(copy).searches.equals(before)


def test_runs_have_tags_and_can_be_deleted(traces: Path, tmp_path: Path) -> None:
    copy = copy_of(traces, tmp_path / "runs")
    fleet = mv.fleet(copy)
    fleet.tag_run("second", ["c = 1.4", "baseline"])
    assert mv.fleet(copy).tags == {"second": ["c = 1.4", "baseline"]}
    with pytest.raises(TraceError, match="there is no run 'third'; there are runs, second"):
        fleet.tag_run("third", ["x"])
    fleet.delete_run("second")
    assert set(fleet.searches["run"].to_pylist()) == {"runs"}
    assert not list((copy / "second").glob("*.mcts"))
    assert fleet.tags == {}
    assert mv.fleet(copy).searches.equals(fleet.searches)


def test_the_tables_open_as_they_are(fleet: mv.Fleet, folder: Path) -> None:
    path = folder / "fleet-tables" / "searches"
    assert len(pd.read_parquet(path)) == len(fleet)
    schema = pq.read_schema(next(path.rglob("*.parquet")))
    assert schema.field("visit_entropy").metadata[b"unit"] == b"nats"
    assert b"player to move" in schema.field("root_value").metadata[b"view"]


def test_an_empty_folder_and_one_that_is_not_there(tmp_path: Path) -> None:
    assert len(mv.fleet(tmp_path)) == 0
    assert mv.fleet(tmp_path).searches.num_rows == 0
    with pytest.raises(TraceError, match="there is no such folder"):
        mv.fleet(tmp_path / "none")
    with pytest.raises(TraceError, match="backend 'slurm': choose one of loky, dask, ray"):
        mv.fleet(tmp_path, backend="slurm")
    with pytest.raises(TraceError, match="jobs=0 is no number of processes"):
        mv.fleet(tmp_path, jobs=0)


def test_ids_that_there_are_not_are_refused(fleet: mv.Fleet) -> None:
    with pytest.raises(
        TraceError, match=r"is no id of a search here; take one .* such as 'a.many#0'"
    ):
        fleet.open("a.many")
    with pytest.raises(TraceError, match="is no id of a search"):
        fleet.open("../runs/a.many#0")


def test_what_a_program_tells_of_a_search_is_in_its_row(tmp_path: Path) -> None:
    trace = mv.search("tic_tac_toe", iterations=30, seed=1, start=[0], compile=False)
    with mv.ManyWriter(tmp_path / "own.many") as many:
        many.append(trace, game_id="17", ply=1, result=1, slot=2, commit="4f2a")
    told = row(mv.fleet(tmp_path), "own.many#0")
    assert (told["game_id"], told["ply"], told["slot"], told["commit"]) == ("17", 1, 2, "4f2a")
    assert told["result"] == -1.0  # player 0 wins, and player 1 is to move


def test_the_page_of_docs_has_every_column() -> None:
    """`python -m docs.make_fleet` writes them."""
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
    assert text.count("| `search_id` |") == len(TABLES)
    assert ITERATIONS


def test_a_draw_is_zero_in_either_view_without_a_sign() -> None:
    for to_move in (0, 1):
        meta = TraceMeta({"format_version": 2, "players": ["a", "b"], "root": {"to_move": to_move}})
        assert str(share(meta, 0.0)) == "0.0"
        assert share(meta, 1.0) == 1.0 - 2.0 * to_move
