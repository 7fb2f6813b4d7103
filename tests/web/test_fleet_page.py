"""The page on a fleet: rows, histograms, stored questions, boards, searches side by side; there and back."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.errors import PageError
from mcts_viz.fleets.answer import Answer
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.web.fleet_page.answers import _question
from mcts_viz.web.fleet_page.query import COLUMNS, Asked, where
from mcts_viz.web.fleet_page.source import BINS, FleetSource
from mcts_viz.web.fleet_page.table import columns
from tests.fleets.synthetic import fleet_of
from tests.web.accessibility import violations
from tests.web.screen import Site, served

N = 150
PLY = {"ply": {"filterType": "number", "type": "lessThan", "filter": 3}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fleet of rows alone: a run of each parity, results, regret at ply 4, one with an error."""
    folder = tmp_path_factory.mktemp("rows") / "numbers"
    rows = [
        {
            "ply": n % 10, "root_value": n / N, "run": "a", "game": "tic_tac_toe" if n % 2 else "connect_four",
            "regret": 0.5 if n % 10 == 4 else 0.0, "errors": int(n == 7), "position": "4" if n % 2 else "",
            "slot": n % 3, "best_action_name": None if n == 9 else f"move {n}",
        }
        for n in range(N)
    ]  # fmt: skip
    findings = [
        {"search_id": "a.many#7", "run": "a", "check": check, "severity": severity, "iteration": iteration,
         "node": node, "message": "so"}
        for check, severity, iteration, node in (
            ("values-finite", "error", 12, 5), ("low-budget", "note", 1, None),
        )
    ]  # fmt: skip
    fleet_of(folder, rows, findings=findings)
    return folder


@pytest.fixture(scope="module")
def source(made: Path) -> FleetSource:
    return FleetSource(made)


def asked(**told: object) -> Asked:
    return Asked.read(told)


# ---- what is asked of the tables ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "model", "n"),
    [
        ("ply", {"type": "lessThan", "filter": 3}, 45),
        ("ply", {"type": "inRange", "filter": 3, "filterTo": 4}, 30),
        ("ply", {"operator": "OR", "conditions": [{"type": "equals", "filter": k} for k in (1, 2)]}, 30),
        ("game", {"type": "startsWith", "filter": "TIC"}, 75),
        ("best_action_name", {"type": "blank"}, 1),
        ("best_action_name", {"type": "notContains", "filter": "move"}, 1),
        ("complete", {"type": "equals", "filter": "true"}, N),
    ],
)  # fmt: skip
def test_filters_of_the_table_are_conditions(
    source: FleetSource, column: str, model: dict[str, object], n: int
) -> None:
    assert source.count(asked(filter={column: model})) == n


@pytest.mark.parametrize(
    "told",
    [
        {"filter": {"ply; drop table x": {"type": "equals", "filter": 1}}},
        {"filter": {"ply": {"type": "1=1 or {}", "filter": 1}}},
        {"filter": {"ply": {"type": "equals", "filter": "1 or true"}}},
        {"filter": {"game": {"type": "equals", "filter": 5}}},
        {"filter": [1]},
        {"sort": [{"colId": "1", "sort": "asc"}]},
        {"columns": ["root_value, (select 1)"]},
        {"bars": ["x"]},
        {"question": "who"},
        {"question": 5, "brush": "all"},
    ],
)
def test_what_makes_no_sense_is_told(told: dict[str, object]) -> None:
    with pytest.raises(PageError):
        Asked.read(told)


@pytest.mark.parametrize("row", [{"ply": [1]}, {"1=1 --": 1}, {"root_value": 1}])
def test_a_brush_names_only_what_identifies_a_row(row: dict[str, object]) -> None:
    with pytest.raises(PageError, match="brush"):
        where(asked(question="blunders", brush=[row]))
    with pytest.raises(PageError, match="question"):
        where(asked(brush=[{"ply": 1}]))


@pytest.mark.parametrize("name", QUESTIONS)
def test_rows_of_every_answer_lead_to_their_searches(source: FleetSource, name: str) -> None:
    """Each key of a question is a column of its answer, and a condition that the tables understand."""
    answer = source.answer(name, Asked())
    keys = QUESTIONS[name].keys
    assert keys
    assert set(keys) <= set(answer.table.column_names)
    rows = [{key: row[key] for key in keys} for row in answer.rows]
    n = source.count(asked(question=name, brush=rows or [dict.fromkeys(keys)]))
    assert n > 0 if answer.rows else n == 0


def test_brushing_blunders_shows_the_searches_that_gave_something_away(source: FleetSource) -> None:
    both = asked(question="blunders", brush=[{"game": "connect_four", "ply": 4}], filter=PLY)
    assert source.count(both) == 0
    found = source.rows(both._replace(filter=()), 0, 100)
    assert [each["search_id"] for each in found] == [f"a.many#{n}" for n in range(4, N, 10)]


def test_rows_are_in_their_order_however_far_down(
    source: FleetSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = asked(sort=[{"colId": "ply", "sort": "desc"}, {"colId": "root_value", "sort": "asc"}])
    near = source.rows(down, 0, N)
    assert [(each["ply"], each["root_value"]) for each in near] == sorted(
        ((n % 10, n / N) for n in range(N)), key=lambda each: (-each[0], each[1])
    )
    monkeypatch.setattr("mcts_viz.web.fleet_page.source.MOST_ROWS", 100)
    assert source.rows(down, 100, N) == near[100:]


def test_histograms_cross_filter(source: FleetSource) -> None:
    """A bar counts what all other conditions let pass; that on its own column shows what else there is."""
    few = asked(filter=PLY)
    ply, value = source.histogram(few, "ply"), source.histogram(few, "root_value")
    assert ply.names == tuple(range(10))
    assert ply.shown == ply.everything == (15,) * 10
    assert (len(value.shown), sum(value.everything), sum(value.shown)) == (BINS, N, 45)


def test_a_file_that_is_gone_or_tables_of_somebody_else_are_not_read(source: FleetSource) -> None:
    for text in (
        "select * from read_csv('/etc/passwd')",
        "copy (select 1) to 'x.csv'",
        "set memory_limit='9GB'",
    ):
        with pytest.raises(mv.errors.TraceError):
            source._ask(text)


# ---- routes ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fleet of real searches, in folders of their own, in a file of many and in files of one."""
    folder = tmp_path_factory.mktemp("real") / "runs"
    (folder / "first" / "deep").mkdir(parents=True)
    plain = {"game": "tic_tac_toe", "iterations": 60, "compile": False}
    wanted = [{**plain, "seed": seed, "start": [4, 0][: seed % 3]} for seed in range(20)]
    mv.search_many(wanted, folder / "first" / "deep" / "s.many")
    mv.search("tic_tac_toe", iterations=120, seed=1, path=folder / "first" / "one.mcts")
    mv.fleet(folder, jobs=1)
    return folder


@pytest.fixture(scope="module")
def client(fleet: Path) -> FlaskClient:
    return pages.make_app([fleet], store=fleet).server.test_client()


def test_a_folder_with_tables_opens_as_a_fleet_and_others_as_traces(
    client: FlaskClient, fleet: Path, tmp_path: Path
) -> None:
    assert client.get("/").headers["Location"] == "fleet/"
    assert client.get("/fleet/").status_code == 200
    assert client.get("/?traces").status_code == 200  # the page of traces
    shutil.copytree(fleet, tmp_path / "plain", ignore=shutil.ignore_patterns("fleet-tables"))
    other = pages.make_app([tmp_path / "plain"], store=tmp_path).server.test_client()
    assert other.get("/").status_code == 200
    assert other.get("/fleet/").headers["Location"] == "../?traces"
    mv.fleet(tmp_path / "plain", jobs=1)  # while the page is served
    assert other.get("/").headers["Location"] == "fleet/"
    assert other.get("/fleet/").status_code == 200


def test_a_search_opens_at_the_finding_that_matters(
    made: Path, fleet: Path, client: FlaskClient
) -> None:
    (made / "a.many").write_bytes((fleet / "first" / "deep" / "s.many").read_bytes())
    numbers = pages.make_app([made], store=made).server.test_client()
    for search, check, place in (
        ("a.many#7", "", {"iteration": ["12"], "node": ["5"], "tab": ["health"]}),
        ("a.many#7", "low-budget", {"iteration": ["1"]}),
        ("a.many#3", "", {"iteration": ["400"]}),
    ):
        answer = numbers.get("/api/fleet/open", query_string={"search": search, "check": check})
        found = parse_qs(urlsplit(answer.headers["Location"]).query)
        assert re.fullmatch(rf"a-[0-9a-f]{{8}}:{search[-1]}", found.pop("trace")[0])
        assert (answer.status_code, found) == (303, place)


def test_a_search_deep_in_the_folder_opens_and_opens_again_from_its_address(
    client: FlaskClient, fleet: Path
) -> None:
    answer = client.get("/api/fleet/open", query_string={"search": "first/deep/s.many#5"})
    key = parse_qs(urlsplit(answer.headers["Location"]).query)["trace"][0]
    anew = pages.make_app(
        [fleet], store=fleet
    ).server.test_client()  # which nobody has asked for it yet
    for each in (client, anew):
        assert each.get(f"/api/trace/{key}/searches").get_json() == {"number": 5, "count": 20}


def test_pictures_of_searches(client: FlaskClient) -> None:
    for search in ("first/deep/s.many#1", "first/one.mcts#0"):
        for picture in ("board", "tree"):
            answer = client.get(
                f"/api/fleet/{picture}.svg", query_string={"search": search, "theme": "dark"}
            )
            assert answer.status_code == 200, answer.data
            assert answer.data.startswith(b"<svg")
    assert "there is no search" in client.get("/api/fleet/tree.svg?search=x").get_json()["error"]
    assert client.get("/api/fleet/board.svg?search=first/one.mcts%230&theme=x").status_code == 400


def test_rows_of_the_route_and_what_it_refuses(client: FlaskClient) -> None:
    found = client.post(
        "/api/fleet/rows", json={"first": 0, "last": 2, "asked": {"columns": ["seed"]}}
    ).get_json()
    assert (found["count"], found["all"], found["rows"][1]["seed"]) == (21, 21, 1)
    for body in (
        {},
        {"first": 0, "last": 10**6},
        {"first": 0, "last": 1, "asked": {"bars": ["x"]}},
    ):
        answer = client.post("/api/fleet/rows", json=body)
        assert answer.status_code == 400
        assert answer.get_json()["error"]


def test_both_pages_run_only_scripts_of_ours(client: FlaskClient) -> None:
    answer = client.get("/fleet/")
    assert "unsafe-eval" not in (policy := answer.headers["Content-Security-Policy"])
    assert policy == client.get("/?traces").headers["Content-Security-Policy"]


def test_the_table_offers_every_column_with_its_meaning() -> None:
    assert {each["field"] for each in columns()} == set(COLUMNS)


def test_what_is_not_there_is_right_where_rows_are_what_is_wrong(source: FleetSource) -> None:
    told = {
        name: _question(Answer(QUESTIONS[name], source.answer(name, asked()).table.slice(0, 0)))
        for name in ("unreadable", "blunders")
    }
    assert "no fault shows" in str(told["unreadable"])
    assert "no search here can answer it" in str(told["blunders"])


# ---- in a browser ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(fleet: Path, port: int) -> Iterator[Site]:
    with served(fleet, port) as site:
        yield site


# where a mark of a picture is, once it has been there for some frames
STILL = """([selector, n]) => new Promise((resolve) => {
  let last = "", frames = 0;
  const look = () => {
    const box = document.querySelectorAll(selector)[n]?.getBoundingClientRect();
    const now = box?.width ? JSON.stringify(box) : "";
    frames = now && now === last ? frames + 1 : 0;
    last = now;
    if (frames > 12) resolve([box.x + box.width / 2, box.y + box.height / 2]); else requestAnimationFrame(look);
  };
  look();
})"""


# heads of columns that the edge of the table cuts
CUT = """() => {
  const edge = document.querySelector(".ag-center-cols-viewport").getBoundingClientRect().right;
  return [...document.querySelectorAll(".ag-header-row-column .ag-header-cell")].filter((each) => {
    const {left, right} = each.getBoundingClientRect();
    return left < edge - 1 && right > edge + 1;
  }).map((each) => each.textContent);
}"""


# names of searches that their column cuts
CUT_NAMES = """() => [...document.querySelectorAll(".fleet-link")].filter((each) => {
    const cell = each.closest(".ag-cell-value");
    return cell.scrollWidth > cell.clientWidth;
}).map((each) => each.textContent)"""


def click_mark(page: Page, selector: str, n: int, words: str) -> None:
    """Until the number of searches says so: Plotly loses a click in which it draws its picture anew."""
    count = page.locator("#fleet-count")
    for _ in range(3):
        x, y = page.evaluate(STILL, [selector, n])
        page.mouse.click(x, y)
        with suppress(AssertionError):
            expect(count).to_have_text(words, timeout=15_000)
            return
    expect(count).to_have_text(words)


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


@pytest.mark.thorough
def test_filter_sort_open_and_back(page: Page, site: Site) -> None:
    page.goto(site.address)
    expect(page).to_have_url(f"{site.address}fleet/")
    expect(page.locator("#fleet-count")).to_have_text("21 searches")
    expect(page.locator(".fleet-link").first).to_have_text("first/deep/s.many#0")
    assert "\n".join(violations(page)) == ""
    assert page.evaluate(CUT) == []
    page.get_by_role("columnheader", name="ply", exact=True).click()
    expect(page.locator(".fleet-link").first).to_have_text(
        "first/deep/s.many#11"
    )  # the last by name of ply 2
    page.get_by_role("spinbutton", name="ply Filter Input").fill("1")
    expect(page.locator("#fleet-count")).to_have_text("7 of 21 searches")
    expect(page.locator(".fleet-link")).to_have_count(7)
    assert json.loads(query(page)["filter"][0])["ply"]["filter"] == 1
    assert query(page)["sort"] == ["-ply"]
    shown = page.url
    page.reload()
    expect(page.locator(".fleet-link")).to_have_count(7)
    assert page.url == shown
    page.locator(".fleet-link", has_text="first/deep/s.many#4").click()
    expect(page.locator("#node-panel h2")).to_be_visible()
    assert query(page)["trace"][0].endswith(":4")
    page.get_by_role("link", name="Fleet").click()
    expect(page.locator("#fleet-count")).to_have_text("7 of 21 searches")
    assert page.url == shown
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#fleet-count")).to_have_text("21 searches")
    page.go_back()
    expect(page.locator("#fleet-count")).to_have_text("7 of 21 searches")


def test_a_question_its_picture_and_the_searches_behind_a_mark(page: Page, site: Site) -> None:
    page.goto(f"{site.address}fleet/?" + urlencode({"question": "undecided-votes"}))
    marks = page.locator("#fleet-answer-figure .points path")
    expect(marks).to_have_count(2)  # budgets of 60 and of 120 iterations
    expect(page.locator(".fleet-link").first).to_be_visible()
    page.wait_for_function(f"() => !({CUT})().length && !({CUT_NAMES})().length")
    click_mark(page, "#fleet-answer-figure .points path", 1, "1 of 21 searches")
    expect(page.locator(".fleet-link")).to_have_text(["first/one.mcts#0"])
    assert json.loads(query(page)["brush"][0]) == [{"game": "tic_tac_toe", "budget": 128}]
    page.get_by_role("button", name="all questions").click()
    expect(page.locator("#fleet-count")).to_have_text("21 searches")
    expect(page.locator("[data-question]")).to_have_count(len(QUESTIONS))


@pytest.mark.thorough
def test_a_bar_of_a_histogram_is_a_filter_and_again_none(page: Page, site: Site) -> None:
    page.goto(f"{site.address}fleet/")
    for words in ("7 of 21 searches", "21 searches"):
        click_mark(page, "#fleet-histogram-2 .trace.bars:last-child .point", 1, words)


@pytest.mark.thorough
def test_boards_in_view_and_picked_searches_side_by_side(page: Page, site: Site) -> None:
    page.goto(f"{site.address}fleet/?tab=boards")
    boards = page.locator("#fleet-boards img")
    expect(boards.first).to_be_visible()
    expect(boards.first).not_to_have_js_property("naturalWidth", 0)
    for name in ("first/deep/s.many#0", "first/deep/s.many#3"):
        row = page.locator(".ag-row", has=page.get_by_role("link", name=name, exact=True))
        row.get_by_role("checkbox").click()
    expect(page.locator("#fleet-curves .scatterlayer .trace")).to_have_count(2)
    expect(page.locator("#fleet-trees img")).to_have_count(2)
    expect(page.locator("#fleet-trees")).to_contain_text(
        "for the mover"
    )  # the curves are in the view of X
    heights = "[...document.querySelectorAll('.ag-floating-filter input')].map((each) => each.offsetHeight)"
    assert max(page.evaluate(heights)) < 30, "a filter's box has room in its row"
    assert json.loads(query(page)["picked"][0]) == ["first/deep/s.many#0", "first/deep/s.many#3"]
    page.reload()
    expect(page.locator("#fleet-curves .scatterlayer .trace")).to_have_count(2)
    assert "\n".join(violations(page)) == ""
