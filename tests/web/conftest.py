"""A served page over recorded traces, one server for each module."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page

from tests.conftest import has_failed, watched
from tests.web.recordings import record_all
from tests.web.screen import Screen, Site, is_tidy, served


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all recorded traces. Do not write to it."""
    folder = tmp_path_factory.mktemp("recordings")
    record_all(folder)
    return folder


@pytest.fixture(scope="session")
def port() -> int:
    """The port of all sites of a process, one after the other: a browser keeps compiled scripts by address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def site(recordings: Path, port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over its own copy of them."""
    folder = tmp_path_factory.mktemp("traces")
    shutil.copytree(recordings, folder, dirs_exist_ok=True)
    with served(folder, port) as site:
        yield site


@pytest.fixture(scope="module")
def kept() -> Iterator[list[Page]]:
    """The page that the tests of a module share, if they do; at most one."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.close()


@pytest.fixture
def page(
    context: BrowserContext, site: Site, kept: list[Page], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page of the test's own. A module of tests that only look says `ONE_PAGE = True`: they share one,
    unless a test fails or leaves something open, as most of such a test's time goes into opening it.
    One that needs a new page, or changes what others see, is marked `own_page`.
    The site outlives the page: one that finds no server any more complains of it."""
    shares = getattr(request.module, "ONE_PAGE", False) and "own_page" not in request.keywords
    if kept and not shares:
        kept.pop().close()
    if not kept:
        kept.append(context.new_page())
    (page,) = kept
    is_left = False  # to the next test
    try:
        with watched(page, request):
            yield page
        is_left = shares and not has_failed(request) and is_tidy(page)
    finally:
        if not is_left:
            kept.clear()
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
