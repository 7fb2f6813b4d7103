"""The server gone and back: the page says so, keeps what it has, and goes on by itself."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from playwright.sync_api import expect

from mcts_viz import page as pages
from mcts_viz.web.server import PageServer, listen
from tests.conftest import Console
from tests.web.recordings import TIC_TAC_TOE
from tests.web.screen import Screen, Site


def test_a_server_that_is_gone_is_missed_and_its_return_noticed(
    screen: Screen, console: Console, recordings: Path, tmp_path: Path
) -> None:
    console.allow("Callback failed: the server did not respond|Failed to fetch")
    console.allow("ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)")
    shutil.copy(recordings / f"{TIC_TAC_TOE}.mcts", tmp_path)
    app = pages.make_app([tmp_path], store=tmp_path).server

    def start(port: int) -> PageServer:
        server = PageServer(app, listen(port))
        threading.Thread(target=server.start, daemon=True).start()
        return server

    server = start(0)
    port = server.port
    there = Screen(screen.page, Site(f"http://127.0.0.1:{port}/", tmp_path))
    there.open(TIC_TAC_TOE, 100)
    there.expect_facts(visits="100")
    there.page.wait_for_selector("#children-table .ag-row")  # the tables' scripts come last
    server.stop()
    there.press("ArrowRight").wait(101)  # what is in the browser stays usable
    banner = there.text("connection")
    expect(banner).to_contain_text("The server does not answer")
    there.press("ArrowRight").wait(102)
    side = "Number(getComputedStyle(document.querySelector('.side')).opacity)"
    assert there.page.evaluate(side) < 0.6, (
        "numbers of iteration 100 are dimmed beside the tree of 102"
    )
    interval = "dash_component_api.getLayout('search-tick').props.interval"
    there.page.wait_for_function(f"() => {interval} > 1e6")  # what asks what runs waits
    server = start(port)
    expect(banner).to_be_hidden()
    there.page.wait_for_function(f"() => {interval} === 250")
    there.expect_facts(visits="102")
    assert there.page.evaluate(side) == 1
    server.stop()
