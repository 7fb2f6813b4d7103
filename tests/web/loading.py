"""What a page loads: requests until it can be used, calls of panels after that, and megabytes over the wire."""

from __future__ import annotations

from playwright.sync_api import Page, Request

CALL = "/_dash-update-component"
# that had begun before the first picture was painted; the page itself is none of them
EARLY = """() => {
    const [first] = mcts.app.debug().paints;
    return performance.getEntriesByType("resource").filter((each) => each.startTime < first.at).length;
}"""


class Loading:
    """Counts from now on, over a page that has loaded nothing yet."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.asked: list[str] = []  # addresses
        self.before = 0  # requests before the page could be used
        self._received: list[float] = []  # bytes
        page.on("request", self._ask)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on(
            "Network.loadingFinished", lambda told: self._received.append(told["encodedDataLength"])
        )

    def _ask(self, request: Request) -> None:
        if not request.url.startswith("data:"):
            self.asked.append(request.url)

    def begin_to_count(self) -> None:
        """The page can be used since its first picture, which a busy machine notices late."""
        self.before = 1 + int(self._page.evaluate(EARLY))

    @property
    def panel_calls(self) -> int:
        """Calls of panels since then."""
        return sum(CALL in url for url in self.asked[self.before :])

    @property
    def megabytes(self) -> float:
        """Of all, compressed, with headers."""
        return sum(self._received) / 1e6
