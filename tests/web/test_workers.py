"""The page under gunicorn with three workers: whichever of them answers, a search and a match go on."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from flask import Flask, Response, jsonify, request
from playwright.sync_api import Page, expect

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.errors import PageError
from mcts_viz.web.library import Library
from mcts_viz.web.workers import CALLBACKS, Workers, _private_folder
from tests.web.screen import Screen, Site

ROOT = Path(__file__).parents[2]
N_WORKERS = 3


class Gunicorn(NamedTuple):
    """A running one."""

    site: Site
    log: Path  # "PID PATH" of every request

    def pids(self, path: str) -> set[str]:
        """The workers that have answered requests for this path."""
        lines = (line.split() for line in self.log.read_text().splitlines())
        return {each[0] for each in lines if len(each) == 2 and each[1].startswith(path)}


@pytest.fixture(scope="module")
def gunicorn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    folder, logs = tmp_path_factory.mktemp("served"), tmp_path_factory.mktemp("logs")
    mv.search("tic_tac_toe", iterations=300, seed=1, path=folder / "tic_tac_toe.mcts")
    command = [
        sys.executable, "-m", "gunicorn", f"mcts_viz.page:server({str(folder)!r})",
        "--workers", str(N_WORKERS), "--threads", "2", "--bind", "127.0.0.1:0",
        "--access-logfile", str(logs / "access.log"), "--access-logformat", "%(p)s %(U)s",
        "--error-logfile", str(logs / "error.log"), "--graceful-timeout", "1",
    ]  # fmt: skip
    # newer ones keep a socket of their own in the home folder
    home = {**os.environ, "HOME": str(logs)}
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=home)
    try:
        yield Gunicorn(Site(address_in(logs / "error.log", process), folder), logs / "access.log")
    finally:
        process.terminate()
        process.wait()


def address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Where gunicorn says that it listens, once it answers there."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        text = log.read_text() if log.exists() else ""
        if (found := re.search(r"Listening at: (http://\S+)", text)) and text.count(
            "Booting worker"
        ) >= N_WORKERS:
            address = found.group(1) + "/"
            urllib.request.urlopen(f"{address}api/start", timeout=60).close()
            return address
        time.sleep(0.05)
    raise AssertionError(f"gunicorn did not start: {log.read_text() if log.exists() else ''}")


def test_main_path(page: Page, gunicorn: Gunicorn) -> None:
    screen = Screen(page, gunicorn.site).open("tic_tac_toe", 150)
    screen.press("ArrowRight", "j").wait(151)
    trace = mv.open(gunicorn.site.path("tic_tac_toe")).at(151)
    screen.expect_facts(visits=str(trace.visits[1]))
    for tab in ("Siblings", "This iteration", "Why this move", "Health", "Children"):
        screen.tab(tab)
        expect(page.locator("[role=tabpanel]:visible")).not_to_be_empty()
    screen.page.reload()
    screen.wait(151)
    screen.expect_facts(visits=str(trace.visits[1]))


def test_a_search_tells_its_progress_and_stops_whoever_is_asked(
    page: Page, gunicorn: Gunicorn
) -> None:
    screen = Screen(page, gunicorn.site).open("tic_tac_toe", 150)
    page.get_by_role("button", name="New search").click()
    screen.text("search-size").fill("mnk:15,15,5")  # grows slowly
    screen.text("search-seconds").fill("120")
    screen.text("search-start").click()
    progress, seen = screen.text("search-run-words"), set()
    expect(progress).to_contain_text("iterations,")
    for _ in range(12):  # one look after another, each answered by any worker
        before = progress.text_content() or ""
        assert "not on the server" not in before
        seen.add(before)
        expect(progress).not_to_have_text(before)
    assert len(seen) > 6
    screen.text("search-run-stop").click()
    expect(screen.text("search-run")).to_be_hidden()
    screen.wait_for("d.n_iterations > 300")
    assert len(gunicorn.pids("/_dash-update-component")) == N_WORKERS
    made = [path for path in gunicorn.site.folder.glob("*.mcts") if path.stem != "tic_tac_toe"]
    assert [mv.open(path).complete for path in made] == [True]


def test_a_match_is_played_whoever_is_asked(page: Page, gunicorn: Gunicorn) -> None:
    screen = Screen(page, gunicorn.site).open("tic_tac_toe", 150)
    page.get_by_role("button", name="Play", exact=True).click()
    screen.text("match-game").click()
    page.get_by_role("option", name="Tic-Tac-Toe", exact=True).click()
    screen.text("match-begin").click()
    moves = page.locator("#match-moves ol").first.locator("li")
    for played in (2, 4):
        cell = screen.text("match-position").locator("button").first
        cell.click()
        expect(moves).to_have_count(played)
        expect(screen.text("match-status")).to_contain_text("Your turn")
    page.reload()
    expect(moves).to_have_count(4)
    page.get_by_role("button", name="Undo").click()
    expect(moves).to_have_count(2)
    with page.expect_download() as download:
        page.locator("[data-do=export]").click()
    assert download.value.suggested_filename.endswith(".zip")
    expect(page.get_by_text("not on the server any more")).to_have_count(0)


def test_two_workers_are_never_given_the_same_name(tmp_path: Path) -> None:
    first, second = (Library(pages.services(), [], tmp_path) for _ in range(2))
    paths = {library.new_path("search.mcts") for library in (first, second, first, second)}
    folders = {library.new_folder("match") for library in (first, second)}
    assert len(paths) == 4
    assert len(folders) == 2


def test_a_folder_of_sockets_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    folder = _private_folder(tmp_path)
    try:
        Workers(tmp_path)
        folder.chmod(0o755)
        with pytest.raises(PageError, match="others can enter this folder of sockets"):
            Workers(tmp_path)
    finally:
        folder.rmdir()


def pair(store: Path) -> list[tuple[Workers, Flask]]:
    """Two workers of a store, each with an app that says which of them answers."""
    made = []
    for name in ("first", "second"):
        workers, app = Workers(store), Flask(name)
        workers.install(app)

        def say(number: str = "", name: str = name) -> Response:
            return jsonify(who=name, got=request.get_json(silent=True))

        app.add_url_rule("/api/match/<number>/zip", "zip", say)
        app.add_url_rule(CALLBACKS, "callback", say, methods=["POST"])
        made.append((workers, app))
    return made


def test_a_question_finds_the_worker_that_it_is_about(tmp_path: Path) -> None:
    (first, one), (second, two) = pair(tmp_path)
    mine, other = first.sign("1"), second.sign("1")
    try:
        for app in (one, two):
            client = app.test_client()
            for number, who in ((mine, "first"), (other, "second")):
                assert client.get(f"/api/match/{number}/zip").json["who"] == who
                for value in (number, {"number": number, "page": "x"}):
                    asked = {"inputs": [[{"value": 3}], {"id": "search-job", "value": value}]}
                    answer = client.post(CALLBACKS, json=asked).json
                    assert answer == {"who": who, "got": asked}
    finally:
        folder = _private_folder(tmp_path)
        shutil.rmtree(folder)


def test_a_question_about_a_worker_that_has_died_is_answered_here(tmp_path: Path) -> None:
    (_, app), _ = pair(tmp_path)
    folder = _private_folder(tmp_path)
    dead = folder / f"{'0' * 16}.sock"
    with socket.socket(socket.AF_UNIX) as gone:  # bound and closed: a file that nobody listens to
        gone.bind(str(dead))
    client = app.test_client()
    for number in (f"{'0' * 16}.1", f"{'f' * 16}.1", "1", ""):
        assert client.post(CALLBACKS, json={"inputs": [{"value": number}]}).json["who"] == "first"
    assert not dead.exists()
    folder.rmdir()
