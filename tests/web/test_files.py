"""Opening files from the disk, and taking what is on the page back to it."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import shutil
import struct
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.conftest import Console
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, FOREIGN, SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def exported(screen: Screen, item: str, folder: Path) -> Path:
    """The file that an entry of the Export menu gives."""
    with screen.page.expect_download() as download:
        screen.menu(item)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_exports_of_the_iteration_shown_equal_the_apis(screen: Screen, tmp_path: Path) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_000)
    screen.press("ArrowRight", "ArrowRight").wait(1_002)
    snapshot = trace.at(1_002)

    path = exported(screen, "JSON (networkx", tmp_path)
    assert path.name == "connect_four-at-1002.json"
    document = json.loads(path.read_text())
    assert document == json.loads(snapshot.to_json() or "")
    back = mv.open(path).at(1)
    for column in ("parent", "action", "visits", "value_sum", "outcome", "born"):
        assert np.array_equal(
            getattr(back, column), getattr(snapshot, column), equal_nan=column == "outcome"
        ) or (column == "born")
    tree = nx.node_link_graph(document, edges="edges")
    assert tree.number_of_nodes() == len(snapshot)

    whole = exported(screen, "Whole trace (.mcts)", tmp_path)
    assert whole.read_bytes() == screen.site.path(CONNECT_FOUR).read_bytes()


@pytest.mark.thorough  # tests/export has the formats
def test_so_are_the_other_formats(screen: Screen, tmp_path: Path) -> None:
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_002)
    screen.open(CONNECT_FOUR, 1_002)
    graph = nx.read_graphml(exported(screen, "GraphML", tmp_path))
    assert graph.number_of_nodes() == len(snapshot)
    assert graph.nodes["0"]["visits"] == 1_002
    rows = list(
        csv.DictReader(io.StringIO(exported(screen, "CSV, one row a node", tmp_path).read_text()))
    )
    assert [int(row["visits"]) for row in rows] == snapshot.visits.tolist()


def choose_file(screen: Screen, path: Path) -> None:
    with screen.page.expect_file_chooser() as chooser:
        screen.page.get_by_role("button", name="Open…").click()
    chooser.value.set_files(path)


@pytest.mark.thorough
def test_an_uploaded_trace_opens_and_is_stored(screen: Screen, tmp_path: Path) -> None:
    path = tmp_path / "my game.mcts"
    shutil.copy(screen.site.path(TIC_TAC_TOE), path)
    screen.open(CONNECT_FOUR, 500)
    choose_file(screen, path)
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    expect(screen.text("trace-select")).to_have_value("my_game")
    screen.expect_facts(visits="300")
    assert (screen.site.folder / "my_game.mcts").read_bytes() == path.read_bytes()
    screen.page.reload()
    screen.wait(300)
    expect(screen.text("trace-select")).to_have_value("my_game")
    screen.delete(screen.site.folder / "my_game.mcts")


@pytest.mark.thorough
def test_an_uploaded_snapshot_shows_its_tree(screen: Screen, tmp_path: Path) -> None:
    path = tmp_path / "moment.json"
    snapshot = screen.site.trace(CONNECT_FOUR).at(700)
    snapshot.to_json(path)
    screen.open(TIC_TAC_TOE, 100)
    choose_file(screen, path)
    screen.wait_for("d.n_iterations === 1 && d.t === 1")
    screen.wait(1)
    screen.expect_facts(visits="700")
    expect(screen.text("trace-note")).to_contain_text("A snapshot taken at iteration 700")
    screen.delete(screen.site.folder / "moment.json")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "content", "told"),
    few(
        [
            (
                "broken.mcts",
                b"not a trace at all",
                "broken.mcts: its content is neither a trace nor JSON",
            ),
            ("broken.json", b'{"nodes": [', "broken.json"),
            ("notes.txt", b"hello", "notes.txt: not a trace by its name"),
        ]
    ),
)
def test_a_broken_file_is_refused_in_words_and_the_page_stays(
    screen: Screen, console: Console, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    console.allow("400")
    path = tmp_path / name
    path.write_bytes(content)
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    choose_file(screen, path)
    expect(screen.message()).to_contain_text(told)
    screen.press("ArrowRight").wait(101)
    screen.expect_facts(visits="101")
    assert screen.site.names() == before


@pytest.mark.thorough
def test_a_file_dropped_on_the_page_opens(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 500)
    content = screen.site.path(FOREIGN).read_bytes()
    screen.page.evaluate(
        """(bytes) => {
            const files = new DataTransfer();
            files.items.add(new File([new Uint8Array(bytes)], "dropped.mcts"));
            document.body.dispatchEvent(new DragEvent("drop",
                {dataTransfer: files, bubbles: true, cancelable: true}));
        }""",
        list(content),
    )
    screen.wait_for("d.n_iterations === 60")
    screen.wait(60)
    screen.delete(screen.site.folder / "dropped.mcts")


@pytest.mark.thorough
def test_a_snapshot_in_the_folder_says_that_it_has_no_history(screen: Screen) -> None:
    snapshot = screen.site.trace(TIC_TAC_TOE).at(120)
    screen.open(SNAPSHOT, 1)
    expect(screen.text("trace-note")).to_contain_text("no history")
    for node, item in screen.items().items():
        assert item["visits"] == snapshot.visits[node]
    screen.press("ArrowRight", "End").wait(1)


@pytest.mark.thorough
def test_the_menu_says_how_much_each_file_holds(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    nodes = screen.site.trace(CONNECT_FOUR).at(1_000).n_nodes
    screen.page.get_by_role("button", name="Export").click()
    item = screen.page.get_by_role("menuitem")
    expect(item.filter(has_text="GraphML")).to_contain_text(f"{nodes:,} nodes")
    expect(item.filter(has_text="HTML")).to_contain_text("2,000 of 2,000 iterations")
    size = screen.site.path(CONNECT_FOUR).stat().st_size
    expect(item.filter(has_text="Whole trace (.mcts)")).to_contain_text(f"{size / 1e3:.0f} kB")
    screen.press("Escape")


@pytest.mark.thorough
def test_the_svg_shows_the_view_and_its_numbers(screen: Screen, tmp_path: Path) -> None:
    screen.open(CONNECT_FOUR, 1_000, budget=50)
    path = exported(screen, "SVG", tmp_path)
    assert path.name == "connect_four-at-1000.svg"
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_000)
    tips = re.findall(r"<title>node (\d+): .*?, ([\d,]+) visits", path.read_text())
    assert {int(node) for node, _ in tips} == set(screen.items())
    for node, visits in tips:
        assert visits == f"{snapshot.visits[int(node)]:,}"


@pytest.mark.thorough
def test_the_png_is_what_is_on_the_screen_twice_as_sharp(screen: Screen, tmp_path: Path) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    path = exported(screen, "PNG", tmp_path)
    assert path.name == "connect_four-at-1000.png"
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    picture = screen.page.locator(".mcts-tree-canvas").bounding_box()
    assert picture is not None
    assert width == 2 * round(picture["width"])
    assert height > picture["height"]
    # the middle of the root in the picture has the root's colour
    root = screen.items()[0]
    at = root["position"]
    pixel = screen.page.evaluate(
        """async ([address, x, y]) => {
            const image = Object.assign(new Image(), {src: address});
            await image.decode();
            const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            return [...pen.getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        [
            f"data:image/png;base64,{base64.b64encode(content).decode()}",
            round(2 * (at["x"] - picture["x"])),
            round(2 * (at["y"] - picture["y"] + 42 - at["radius"] * 0.75)),
        ],
    )
    assert f"rgb({','.join(map(str, pixel))})" == root["colour"]


@pytest.mark.thorough
def test_the_html_of_the_page_opens_where_the_page_was(screen: Screen, tmp_path: Path) -> None:
    screen.open(CONNECT_FOUR, 1_000, budget=50)
    path = exported(screen, "HTML", tmp_path)
    assert path.name == "connect_four-steps.html"
    shown = set(screen.items())
    screen.page.goto(path.as_uri())
    screen.page.wait_for_function("() => window.mcts?.app?.debug()?.t === 1000")
    assert set(screen.items()) == shown


@pytest.mark.thorough
def test_the_table_in_view_is_what_the_table_shows(screen: Screen, tmp_path: Path) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    expect(screen.page.locator("#children-table .ag-row").first).to_be_visible()
    path = exported(screen, "CSV, the table in view", tmp_path)
    assert path.name == "connect_four-at-1000-node-0-children.csv"
    snapshot = screen.site.trace(CONNECT_FOUR).at(1_000)
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    head, body = rows[0], rows[1:]
    assert len(body) == len(snapshot.children(0))
    at = {name.lower(): i for i, name in enumerate(head)}
    visits = {row[at["move"]]: int(row[at["visits"]]) for row in body}
    assert visits == {
        snapshot.label(node): int(snapshot.visits[node]) for node in snapshot.children(0)
    }
    screen.tab("Health")
    screen.menu("CSV, the table in view")
    expect(screen.message()).to_contain_text("There is no table in view")
