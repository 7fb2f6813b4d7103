"""The verdict on the move of the search, at the top of the inspector; the tabs say the same of it."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, html

from mcts_viz.health.verdict import (
    CLOSE_VOTE,
    CONSTANTS,
    HEALTH,
    LONGER,
    NOT_KNOWN,
    SEEDS,
    UNDECIDED,
    Verdict,
    verdict,
)
from mcts_viz.runs.rerun import no_rerun
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.web.cursor import Place
from mcts_viz.web.ids import Ids, verdict_test
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import HIDDEN, Content, Part, aria, data, in_browser, tip
from mcts_viz.web.panels.tabs.truth import truth_here
from mcts_viz.web.words import prose

STILL_SOLVED = "the solver is still at work"
MORE = 10  # times as many iterations, in a test of the verdict
TESTS = {
    LONGER: (f"search {MORE}× longer", f"Search the position with {MORE} times the iterations, and compare"),
    SEEDS: ("try other seeds", "Search the position with ten other seeds: does the same move win?"),
    CONSTANTS: ("try other c", "Search the position with other exploration weights and seeds"),
    HEALTH: ("see the finding", "Open Health, which says where and why"),
}  # fmt: skip


def layout() -> Part:
    """Empty; the inspector's callback fills it."""
    return html.Section(id=Ids.VERDICT, className="verdict", **aria("verdict on the move"))


def register(app: Dash) -> None:
    """What its button for the tab *Health* does; the others begin searches, see `forms/what_if.py`."""
    in_browser(app, "mcts.testVerdict", Input(verdict_test(ALL), "n_clicks"))


def verdict_here(library: Library, here: Place) -> Verdict:
    """The verdict at the cursor's iteration, from what is known by now."""
    values = truth_here(library, here) or STILL_SOLVED
    findings = library.known_findings(here.key, here.trace)
    return verdict(here.snapshot, here.trace.n_iterations, values, lambda: findings or ())


def words(found: Verdict, meta: TraceMeta) -> Content:
    """The move and the judgement in one line, the reasons below."""
    if found.move is None:
        return html.P(prose(found.judgement), className="dim")
    sure = f"{found.sureness} vote" if found.sureness in ("clear", UNDECIDED) else found.sureness
    tests = [button(found.cause.test)] if found.cause and can_test(meta, found.cause.test) else []
    head = html.Div(
        [
            html.Span("★", className="star", **HIDDEN),
            html.B(found.move),
            badge("right? not known" if found.word == NOT_KNOWN else found.word, look_of(found)),
            vote_badge(sure, found),
            *tests,
        ],
        className="verdict-head",
    )
    text = [found.judgement]
    if found.cause is not None and found.cause.kind != CLOSE_VOTE:
        text.append(f" Likeliest cause: {found.cause.text}")
    return [head, html.P(prose("".join(text)), title=prose(str(found)))]


def look_of(found: Verdict) -> str:
    """Class of the judgement's colour."""
    if found.is_mistake:
        return "mistake"
    return "unknown" if found.right is None else "right"


def badge(text: str, look: str) -> Part:
    """A word that the eye finds."""
    return html.Span(text, className=f"badge {look}")


def vote_badge(text: str, found: Verdict) -> Part:
    """How sure the search was; its numbers are the tooltip, and a click tells the iterations that made the visits."""
    return html.Button(
        text, type="button", className=f"badge {'undecided' if found.sureness == UNDECIDED else 'clear'}",
        **data("tip", prose(found.vote)), **data("origin", f"{found.node} visits"),
    )  # fmt: skip


def button(test: str) -> Part:
    """Begins what would show whether the cause is the right one."""
    label, title = TESTS[test]
    pressed = dmc.Button(label, id=verdict_test(test), size="compact-xs", variant="default")
    return tip(pressed, title)


def can_test(meta: TraceMeta, test: str) -> bool:
    """Whether the page can do that: it searches games that are built in."""
    return test == HEALTH or not no_rerun(meta)
