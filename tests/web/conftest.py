"""A served page over recorded traces, one server for each module."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from tests.conftest import new_context
from tests.web.recordings import record_all
from tests.web.screen import Screen, Site, served


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all recorded traces. Do not write to it."""
    folder = tmp_path_factory.mktemp("recordings")
    record_all(folder)
    return folder


@pytest.fixture(scope="module")
def site(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over its own copy of them."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # not a line for every request
    folder = tmp_path_factory.mktemp("traces")
    shutil.copytree(recordings, folder, dirs_exist_ok=True)
    with served(folder) as site:
        yield site


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for a module, so that the page's scripts are compiled once; `screen` empties its storage."""
    with new_context(browser) as context:
        yield context


@pytest.fixture
def screen(page: Page, site: Site) -> Iterator[Screen]:
    """A tab without an address yet."""
    ran: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield Screen(page, site)
    page.evaluate("localStorage.clear()")
    assert ran == [], "a script of the trace's ran"
