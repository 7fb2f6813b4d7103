"""A served page over recorded traces, one server for each module."""

from __future__ import annotations

import functools
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page

from mcts_viz.analysis.game_value.values import GameValues, game_values
from mcts_viz.trace.trace import Trace
from mcts_viz.web import library
from mcts_viz.web.jobs import truths
from tests.conftest import has_failed, watched
from tests.web.recordings import record_all
from tests.web.screen import Screen, Site, is_tidy, served

MOST_SOLVED = 20_000  # positions, for the values of a trace: all of Tic-Tac-Toe


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all recorded traces. Do not write to it."""
    folder = tmp_path_factory.mktemp("recordings")
    record_all(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def solved_once() -> Iterator[None]:
    """Exact values of a trace are the same on every site that serves a copy of it: solved once in a session, and of
    the first moves of Connect Four, which take seconds, nothing is known."""
    known: dict[tuple[str, int, int], GameValues] = {}

    def remembered(trace: Trace, node: int = 0) -> GameValues:
        key = (repr(trace.meta), trace.n_iterations, node)
        if key not in known:
            known[key] = truths.values_of(trace, node)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(truths, "game_values", functools.partial(game_values, limit=MOST_SOLVED))
        patch.setattr(library, "Truths", functools.partial(truths.Truths, remembered))
        yield


@pytest.fixture(scope="session")
def port() -> int:
    """The port of all sites that a module has for itself, one after the other: a browser keeps compiled scripts by
    address."""
    return free_port()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class SharedSite:
    """The page over a copy of the recordings that modules share."""

    def __init__(self, recordings: Path, folders: pytest.TempPathFactory) -> None:
        self._recordings, self._folders = recordings, folders
        self._port, self._before = free_port(), contents(recordings)
        self._running = ExitStack()
        self._site: Site | None = None

    def site(self) -> Site:
        """The one of the module before, if its files are as they were."""
        if self._site is None:
            folder = self._folders.mktemp("shared")
            shutil.copytree(self._recordings, folder, dirs_exist_ok=True)
            self._site = self._running.enter_context(served(folder, self._port))
        return self._site

    def is_changed(self) -> bool:
        """Whether somebody has left other files."""
        return self._site is not None and contents(self._site.folder) != self._before

    def stop(self) -> None:
        """End it; the next module gets a new one."""
        self._running.close()
        self._site = None


@pytest.fixture(scope="session")
def shared(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedSite]:
    """The page that modules share, served once one asks for it."""
    found = SharedSite(recordings, tmp_path_factory)
    yield found
    found.stop()


def contents(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of every file in a folder."""
    return {
        path.relative_to(folder): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def site(
    request: pytest.FixtureRequest,
    recordings: Path,
    port: int,
    shared: SharedSite,
    kept: list[Page],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The page over a copy of them: the module's own, or for `ONE_PAGE` the one that such modules share."""
    if getattr(request.module, "ONE_PAGE", False):
        yield shared.site()
        if shared.is_changed():
            for page in kept:  # it knows files that will be gone
                page.close()
            kept.clear()
            shared.stop()
        return
    folder = tmp_path_factory.mktemp("traces")
    shutil.copytree(recordings, folder, dirs_exist_ok=True)
    with served(folder, port) as site:
        yield site


@pytest.fixture(scope="session")
def kept(context: BrowserContext) -> Iterator[list[Page]]:
    """The page that tests share, if they do; at most one."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.close()


@pytest.fixture
def page(
    context: BrowserContext, site: Site, kept: list[Page], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page of the test's own. Modules of tests that only look say `ONE_PAGE = True`: all of them share one,
    unless a test fails or leaves something open, as most of such a test's time goes into opening it.
    A test that needs a new page, or changes what others see, is marked `own_page`.
    The site outlives the page: one that finds no server any more complains of it."""
    shares = getattr(request.module, "ONE_PAGE", False) and "own_page" not in request.keywords
    if kept and not shares:  # it would go on storing things of its own
        kept.pop().close()
    page = kept[0] if kept else context.new_page()
    is_left = False  # to the next test
    try:
        with watched(page, request):
            yield page
        is_left = shares and not has_failed(request) and is_tidy(page)
    finally:
        if shares:
            kept[:] = [page] if is_left else []
        if not is_left:
            page.close()


@pytest.fixture
def screen(page: Page, site: Site) -> Iterator[Screen]:
    """A tab without an address yet, or the one that the test before has left."""
    ran: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield Screen(page, site)
    assert ran == [], "a script of the trace's ran"
