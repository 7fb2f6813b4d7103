"""The page as a person has it: what they press and click, and what they then read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as Timeout

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.web.library import Library
from mcts_viz.web.server import PageServer, listen
from tests.browser import value_of

# columns that have no room are shown, too: the condition holds once they are
ALL_COLUMNS = """(id) => {
    const more = document.getElementById(id)?.parentElement.querySelector(".more-columns");
    if (more?.textContent.startsWith("+")) more.click();
    return !more || more.dataset.columns.split(" ").every(
        (name) => document.querySelector(`#${id} .ag-cell[col-id=${name}]`));
}"""
TABLE = """(id) => [...document.querySelectorAll(`#${id} .ag-center-cols-container .ag-row`)]
    .sort((a, b) => a.getAttribute("row-index") - b.getAttribute("row-index"))
    .map((row) => Object.fromEntries([...row.querySelectorAll(".ag-cell")]
        .map((cell) => [cell.getAttribute("col-id"), cell.textContent])))"""
AT_REST = """(t) => {
    const shown = window.mcts && mcts.app && mcts.app.debug();
    return shown && !shown.loading && !shown.waiting && !shown.playing && shown.paint.t === shown.t
        && (t === null || shown.t === t)
        && document.querySelector(".mcts-scrubber").max === String(shown.n_iterations); // all is loaded
}"""


HOLD = """(address) => {
    const plain = window.fetch, pattern = new RegExp(address), released = new Promise((go) => { window.release = go; });
    window.isHeld = false;
    window.fetch = async (...asked) => {
        if (!window.isHeld && pattern.test(asked[0])) {
            [window.isHeld, window.fetch] = [true, plain];
            await released;
        }
        return plain(...asked);
    };
}"""


# the page as it begins, at another address
START_AGAIN = """async (query) => {
    const set = window.dash_clientside.set_props;
    const controls = mcts.treeTools.controls(mcts.app.cursor()); // these follow the cursor
    const original = await (await fetch("_dash-layout")).json();
    const visit = (part) => { // boxes and switches as they were
        if (Array.isArray(part)) { part.forEach(visit); return; }
        if (!part || typeof part !== "object" || !part.props) return;
        const {id, ...props} = part.props;
        const now = typeof id === "string" && !(id in controls) && window.dash_component_api.getLayout(id)?.props;
        for (const name of now ? ["value", "checked", "opened"] : []) {
            const before = props[name] ?? (part.type === "Select" ? null : name === "value" ? "" : false);
            if (name in now && JSON.stringify(now[name]) !== JSON.stringify(before)) { set(id, {[name]: before}); }
        }
        Object.values(props).forEach(visit);
    };
    visit(original);
    mcts.app.stop();
    mcts.app.setSpeed(10);
    if (mcts.compare.state()) mcts.compare.close();
    document.activeElement.blur();
    mcts.phases.tabFor(null, "children"); // no phase was shown before
    history.replaceState(history.state, "", location.pathname + query);
    set("node-panel", {children: []});
    set("children-table", {rowData: []});
    set("tabs", {value: "children"});
    await mcts.page.start();
    set("trace-select", {value: mcts.app.cursor().trace});
}"""
TIDY = """() => Boolean(window.mcts?.live)
    && !document.querySelector(":is([role=dialog], [role=menu], .match, #origin):not([hidden])")
    && ![...document.querySelectorAll(".mantine-Popover-dropdown")].some((menu) => menu.checkVisibility())
    && !mcts.live.isAsked() && document.documentElement.dataset.mctsTheme === "light"
    && innerWidth === 1280 && innerHeight === 720
    && Object.keys(sessionStorage).every((name) => name === "mcts-tab")"""


def is_tidy(page: Page) -> bool:
    """Whether a page can begin again as if it were new."""
    return not page.is_closed() and bool(page.evaluate(TIDY))


NOTE_THE_PANELS = """() => {
    const side = document.querySelector(".side");
    window.noted = {of: [], visits: []}; // what they said of themselves, and the root's visits, at each change
    new MutationObserver(() => {
        noted.of.push(side.dataset.of ?? null);
        const name = [...side.querySelectorAll(".facts dt")].find((each) => each.textContent === "visits");
        noted.visits.push(name?.nextElementSibling.textContent ?? null);
    }).observe(side, {subtree: true, childList: true, characterData: true, attributes: true});
}"""


class Site(NamedTuple):
    """A served page and its one folder of traces, which also takes what the page makes."""

    address: str
    folder: Path

    def path(self, name: str) -> Path:
        """The file of that name."""
        return next(path for path in self._files() if path.stem == name)

    def key(self, name: str) -> str:
        """The key that addresses name a trace by."""
        return self.key_of(self.path(name))

    def key_of(self, path: Path) -> str:
        """The key of a file, also of one in a folder within."""
        return Library([], self.folder).key_of(path)

    def trace(self, name: str) -> mv.Trace:
        """The trace as the API reads it."""
        return mv.open(self.path(name))

    def names(self) -> set[str]:
        """Names of all files in the folder."""
        return {path.name for path in self._files()}

    def _files(self) -> list[Path]:
        """All but the indexes that lie beside long traces (see `tests.indexed`)."""
        return [path for path in self.folder.iterdir() if ".index" not in path.suffixes]


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[Site]:
    """The page over a folder while it is served; port: 0 takes a free one."""
    app = pages.make_app([folder], store=folder)
    server = PageServer(app.server, listen(port))
    thread = threading.Thread(target=server.start, daemon=True)
    thread.start()
    try:
        yield Site(f"http://127.0.0.1:{server.port}/", folder)
    finally:
        server.stop()
        thread.join()


class Screen:
    """One tab."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self._is_fresh = page.url == "about:blank"

    # ---- going somewhere -------------------------------------------------------------------------

    def open(self, name: str, iteration: int, **more: str | int) -> Screen:
        """Open an address: a trace at an iteration, 300 nodes of it, and more of its parts."""
        parts = {"trace": self.site.key(name), "iteration": iteration, "budget": 300, **more}
        return self.visit("?" + "&".join(f"{part}={value}" for part, value in parts.items()))

    def visit(self, query: str = "") -> Screen:
        """Open an address and wait for its picture. A page that another test has left goes there without
        being loaded again."""
        if self._is_fresh or not self.page.url.startswith(self.site.address):
            self.page.goto(self.site.address + query)
        else:
            self.page.mouse.move(1, 1)
            self.page.evaluate(START_AGAIN, query)
        self._is_fresh = True
        self.page.wait_for_selector("#node-panel :is(h2, .empty)", state="attached")
        return self.wait()

    def delete(self, *paths: Path) -> None:
        """Delete files once the page is gone, which might go on to ask for them."""
        self.page.goto("about:blank")
        for path in paths:
            path.unlink()

    def wait(self, iteration: int | None = None) -> Screen:
        """Wait until the picture is still and the cursor has come to rest."""
        self.page.wait_for_function(AT_REST, arg=iteration)
        return self

    def press(self, *keys: str) -> Screen:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def step_button(self, label: str) -> Locator:
        """The step button whose tooltip begins so."""
        return self.page.locator(f".controls button[aria-label^='{label}']")

    def choose(self, select: str, option: str) -> None:
        """Choose from one of the page's select boxes."""
        self.page.locator(f"#{select}").click()
        self.page.get_by_role("option", name=option, exact=True).click()
        self.wait_for_keys()

    def wait_for_keys(self) -> None:
        """Wait until keys are the page's again, a moment after a click."""
        try:
            self.page.wait_for_function("() => document.activeElement === document.body")
        except Timeout as err:
            has_them = value_of(self.page, "document.activeElement.outerHTML.slice(0, 200)")
            raise AssertionError(f"the keys stay with {has_them}") from err

    def menu(self, item: str) -> None:
        """Click an entry of the Export menu."""
        self.page.get_by_role("button", name="Export").click()
        self.page.get_by_role("menuitem", name=item).click()

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()
        self.wait_for_keys()

    # ---- the tree --------------------------------------------------------------------------------

    def debug(self) -> dict[str, Any]:
        """All numbers behind the picture."""
        found: dict[str, Any] = value_of(self.page, "mcts.app.debug()")
        return found

    def cursor(self) -> dict[str, Any]:
        found: dict[str, Any] = value_of(self.page, "mcts.app.cursor()")
        return found

    def items(self) -> dict[int, dict[str, Any]]:
        """The visible nodes by id."""
        return {item["node"]: item for item in self.debug()["items"] if not item["stub"]}

    def stubs(self) -> dict[int, dict[str, Any]]:
        """The "+k more" by the id of the node whose children they stand for."""
        return {item["node"]: item for item in self.debug()["items"] if item["stub"]}

    def click_node(self, node: int, times: int = 1) -> None:
        at = self.items()[node]["position"]
        self.page.mouse.click(at["x"], at["y"], click_count=times)

    def hover_node(self, node: int) -> None:
        """Bring the mouse to a node of a picture that is still; it comes from somewhere else."""
        self.wait()
        at = self.items()[node]["position"]
        self.page.mouse.move(at["x"] - 2, at["y"] - 2)
        self.page.mouse.move(at["x"], at["y"])

    def wait_for(self, condition: str, arg: Any = None) -> Any:
        """Wait for a condition on `d`, the numbers behind the picture, and `arg`; what it is then."""
        try:
            found = self.page.wait_for_function(
                f"(arg) => {{ const d = window.mcts?.app?.debug(); return d && ({condition}); }}",
                arg=arg,
            )
            return found.json_value()
        except Timeout as err:
            numbers = {
                name: value
                for name, value in self.debug().items()
                if name not in ("items", "paints", "icicle")
            }
            focus = self.page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
            said = self.text("status-line").text_content()
            follows = value_of(self.page, "mcts.live.debug()")
            raise AssertionError(
                f"not so: {condition}, {arg}; {said}; focus {focus}; {numbers}; {follows}"
            ) from err

    @contextmanager
    def held(self, address: str) -> Iterator[Callable[[], None]]:
        """The first question of the page in the block whose address matches; it goes to the server once the yielded
        function is called. In the page, as a route that is begun just now misses a question now and then."""
        self.page.evaluate(HOLD, address)
        yield lambda: self.page.evaluate("release()")
        self.page.wait_for_function("() => isHeld")

    # ---- reading ---------------------------------------------------------------------------------

    def facts(self) -> dict[str, str]:
        """The inspector's statistics."""
        return dict(
            zip(
                self.page.locator(".facts dt").all_text_contents(),
                self.page.locator(".facts dd").all_text_contents(),
            )
        )

    def expect_facts(self, **facts: str) -> None:
        """Wait for statistics in the inspector; `_` stands for a space."""
        for name, text in facts.items():
            label = name.replace("_", " ")
            value = self.page.locator(f".facts dt:text-is('{label}') + dd")
            expect(value).to_have_text(text)

    def term(self, name: str) -> Locator:
        """A number of the line of the score: value-term, exploration-term or score."""
        return self.page.locator(f"#node-panel .{name} b")

    def text(self, id_: str) -> Locator:
        return self.page.locator(f"#{id_}")

    def expect_table(self, id_: str, rows: list[dict[str, str]], first: int | None = None) -> None:
        """Wait until a table shows these rows, in this order, or has them as its `first` ones; columns left out may
        hold anything."""
        names = list(rows[0]) if rows else []
        condition = f"""([id, rows, names, first]) => {{
            ({ALL_COLUMNS})(id);
            const shown = ({TABLE})(id).slice(0, first ?? undefined)
                .map((row, i) => Object.fromEntries(names.map((n) =>
                    [n, row[n] ?? (["", "–"].includes(rows[i]?.[n]) ? rows[i][n] : null)]))); // a column left out
            return JSON.stringify(shown) === JSON.stringify(rows);
        }}"""
        try:
            self.page.wait_for_function(condition, arg=[id_, rows, names, first])
        except Timeout:
            shown = [{name: row.get(name, "–") for name in names} for row in self.table(id_)]
            assert shown[:first] == rows

    def table(self, id_: str) -> list[dict[str, str]]:
        """Rows of a table as they stand, column id to text."""
        self.page.wait_for_function(ALL_COLUMNS, arg=id_)
        rows: list[dict[str, str]] = self.page.evaluate(TABLE, id_)
        return rows

    def message(self) -> Locator:
        """What the page has to say to its user."""
        return self.page.locator("#message")

    def status(self) -> Locator:
        return self.page.locator("#status-line")
