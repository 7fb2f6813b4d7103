"""SQL over a fleet: what it gives, what it refuses, and what a query from elsewhere cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from tests.fleets.folders import N_MANY
from tests.fleets.synthetic import fleet_of


@pytest.fixture(scope="module")
def fleet(traces: Path) -> mv.Fleet:
    return mv.fleet(traces)


def test_a_query_gives_rows_arrow_and_pandas(fleet: mv.Fleet) -> None:
    query = "select run, count(*) as n from searches where error is null group by run order by run"
    counts = fleet.sql(query).fetchall()
    assert counts[1] == ("second", 3)
    assert fleet.sql(query).df()["n"].tolist() == [n for _, n in counts]
    joined = "select count(*) from moves join searches using (search_id) where file = 'a.many'"
    assert fleet.sql(joined).fetchall() == [(9 * N_MANY,)]
    assert fleet.sql('select "check", severity from findings').fetchall()
    assert fleet.sql("select check, 'offset' as told from findings").fetchall()
    (first,) = fleet.sql(
        "select file, offset from searches where offset < 5 order by offset limit 1 offset 2"
    ).fetchall()
    assert first[1] < 5


def test_tags_of_runs_can_be_asked_for(tmp_path: Path) -> None:
    made = fleet_of(tmp_path, [{}, {}])
    made.tag_run("a", ["baseline"])
    query = (
        "select count(*) from searches join runs using (run) where list_contains(tags, 'baseline')"
    )
    assert made.sql(query).fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("select mean from searches", 'column "mean" not found'),
        ("select * from search", "search does not exist"),
        ("selec 1", "syntax error"),
        ("", "the query selects nothing"),
    ],
)
def test_wrong_sql_is_told_with_the_tables_and_columns(
    fleet: mv.Fleet, query: str, words: str
) -> None:
    with pytest.raises(mv.TraceError, match=words) as told:
        fleet.sql(query)
    assert ("searches: search_id, file, offset" in str(told.value)) == (
        "select *" in query or "mean" in query
    )


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('{secret}')",
        "select * from '{secret}'",
        "select * from read_text('{secret}')",
        "copy (select 1) to '{folder}/out.csv'",
        "attach '{folder}/out.db'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "reset lock_configuration",
        "export database '{folder}/out'",
        "select * from secret",
    ],
)
def test_a_query_from_elsewhere_reads_and_writes_nothing_but_the_tables(
    fleet: mv.Fleet, tmp_path: Path, query: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"(?i)error"):
        fleet.sql(query.format(secret=secret, folder=tmp_path), safe=True).fetchall()
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]
    assert fleet.sql("select count(*) from searches", safe=True).fetchall() == [(len(fleet),)]


def test_the_command_prints_a_table(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select run, count(*) as n, avg(depth) as d from searches where error is null group by run order by run"
    assert main(["fleet", "sql", str(traces), query]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["run", "n", "d"]
    assert lines[2].startswith("second  3")
    assert main(["fleet", "sql", str(traces), query, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "run,n,d"
    assert main(["fleet", "sql", str(traces), "select 'a'::int"]) == 2
    assert "Could not convert" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["c=1.4 é%20", "it's"])
def test_a_run_may_have_any_name(tmp_path: Path, name: str) -> None:
    plain = {"game": "tic_tac_toe", "iterations": 5, "compile": False}
    (tmp_path / "runs" / name).mkdir(parents=True)
    mv.search_many([plain], tmp_path / "runs" / name / "a.many")
    fleet = mv.fleet(tmp_path / "runs")
    for safe in (False, True):
        assert fleet.sql("select run from searches", safe).fetchall() == [(name,)]
    assert fleet.searches["run"].to_pylist() == [name]
