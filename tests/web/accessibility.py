"""What axe-core finds wrong with a page for people who do not see it, or use no mouse. Its script comes with the
package axe-playwright-python."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
GRAVE = ("serious", "critical")
RUN = """async (context) => (await axe.run(context || document, {resultTypes: ["violations"]})).violations.map(
    ({id, impact, help, nodes}) => ({id, impact, help, nodes: nodes.map((node) =>
        `${node.target.join(" ")}: ${node.html.slice(0, 160)} ${node.any.map((each) => each.message).join("; ")}`)}))"""


def violations(page: Page) -> list[str]:
    """Serious and critical ones, each with the elements concerned."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        f"{found['impact']} {found['id']}: {found['help']}\n    " + "\n    ".join(found["nodes"])
        for found in page.evaluate(RUN)
        if found["impact"] in GRAVE
    ]
