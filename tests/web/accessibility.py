"""What axe-core finds wrong with a page for people who do not see it, or use no mouse. Its script comes with the
package axe-playwright-python."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
# nothing half faded in, or about to be, whose contrast is that of a moment; no table whose columns are on their way
AT_REST = """() => document.getAnimations().every((each) => each.playState !== "running")
    && [...document.querySelectorAll("[role=dialog], [role=menu]")].every((each) =>
        getComputedStyle(each).display === "none" || getComputedStyle(each).opacity === "1")
    && [...document.querySelectorAll(".ag-header-row")].every((row) => row.children.length || !row.offsetParent)"""
# a look takes a while: of what is drawn anew meanwhile it sees one half old and one half new, and looks again
RUN = """async (context) => {
    for (let looks = 1; ; looks++) {
        let isDrawn = false;
        const watch = new MutationObserver((changes) => {
            isDrawn ||= changes.some(({target}) => target.closest?.("body"));
        });
        watch.observe(document, {childList: true, subtree: true});
        const {violations} = await axe.run(context || document, {resultTypes: ["violations"]});
        watch.disconnect();
        if (violations.length && isDrawn && looks < 10) continue;
        return violations.map(({id, impact, help, nodes}) => ({id, impact, help, nodes: nodes.map((node) =>
            [node.target.join(" ") + ":", node.html.slice(0, 160), node.any.map((each) => each.message).join("; ")]
                .join(" "))}));
    }
}"""


def violations(page: Page, within: str | None = None) -> list[str]:
    """All of them, each with the elements concerned: of the whole page, or within the elements of a selector. Without
    the tooltip of what the mouse rests on, which stands in no landmark, as it goes with its element."""
    page.mouse.move(1, 1)
    page.wait_for_function(AT_REST)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        f"{found['impact']} {found['id']}: {found['help']}\n    " + "\n    ".join(found["nodes"])
        for found in page.evaluate(RUN, within)
    ]
