"""Plumbing that all tests share: a real browser, and a page whose console has to stay empty."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Response,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from tests import chromium

REPORTS = pytest.StashKey[dict[str, pytest.TestReport]]()
CONSOLE = pytest.StashKey["Console"]()
PICTURES = Path(__file__).parent.parent / "test-results"
TIMEOUT = 30_000  # milliseconds to wait for a condition; generous, as a machine may be busy
expect.set_options(timeout=TIMEOUT)


class Console:
    """What a page complained about: errors and warnings, uncaught errors, refused requests."""

    def __init__(self, page: Page) -> None:
        self._complaints: list[str] = []
        self._allowed: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._complaints.append(f"uncaught: {error}"))
        page.on("response", self._look_at)

    def allow(self, pattern: str) -> None:
        """Expect complaints that match this regular expression: the test provokes them."""
        self._allowed.append(pattern)

    @property
    def complaints(self) -> list[str]:
        """Those that no `allow` covers."""
        return [
            complaint
            for complaint in self._complaints
            if not any(re.search(pattern, complaint) for pattern in self._allowed)
        ]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            place = message.location.get("url", "")
            self._complaints.append(f"{message.type}: {message.text} ({place})")

    def _look_at(self, response: Response) -> None:
        if response.status >= 400:
            self._complaints.append(f"{response.status}: {response.request.method} {response.url}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep each phase's report with its test, for fixtures to see whether it failed."""
    report = yield
    item.stash.setdefault(REPORTS, {})[report.when] = report
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser: `-m browser` and `-m "not browser"` select by it."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests. Never skipped: without one, the tests that need it fail."""
    with sync_playwright() as playwright:
        try:
            started = chromium.launch(playwright)
        except PlaywrightError as error:
            pytest.fail(f"No Chromium could be started. {chromium.REMEDY}\n{error}", pytrace=False)
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The cache and storage that a page lives in; each test has its own."""
    with new_context(browser) as context:
        yield context


@contextmanager
def new_context(browser: Browser) -> Iterator[BrowserContext]:
    """A context of its own, closed at the end."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    context.set_default_timeout(TIMEOUT)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page. The test fails if its console is not empty at the end."""
    page = context.new_page()
    console = Console(page)
    request.node.stash[CONSOLE] = console
    yield page
    report = request.node.stash.get(REPORTS, {}).get("call")
    if report is not None and report.failed:
        _take_picture(page, request.node.nodeid)
    complaints = console.complaints
    page.close()
    if complaints:
        pytest.fail("The console is not empty:\n" + "\n".join(complaints), pytrace=False)


@pytest.fixture
def console(page: Page, request: pytest.FixtureRequest) -> Console:
    """The console of this test's page, for a test that provokes a complaint and says so."""
    found: Console = request.node.stash[CONSOLE]
    return found


def _take_picture(page: Page, test: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    try:
        page.screenshot(path=PICTURES / f"{re.sub(r'[^A-Za-z0-9_-]+', '_', test)}.png")
    except PlaywrightError as error:
        print(f"no picture of the failure: {error}")
