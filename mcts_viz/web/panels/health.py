"""The tab *Health*: what is wrong with the search, where, what usually causes it, how to confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, html

from mcts_viz.analysis.health.catalogue import CHECKS
from mcts_viz.analysis.health.finding import SEVERITIES, Finding
from mcts_viz.web.cursor import place
from mcts_viz.web.event_routes import finding_marks
from mcts_viz.web.ids import Ids, cursor_for, finding_link
from mcts_viz.web.library import Library
from mcts_viz.web.words import plural

TAB = "health"


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Health", value=TAB)


def panel() -> Any:
    """Its body; the callback fills it when it is opened."""
    return dmc.TabsPanel(
        # an id of the panel's own would break the tab's link to it
        html.Div(dmc.Loader(size="sm"), id=Ids.HEALTH.value, className="health-panel"), value=TAB,
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.HEALTH.value, "children"),
        Output(Ids.FINDINGS.value, "data"),
        Input(cursor_for(TAB), "data"),
        prevent_initial_call=True,
    )
    def health(cursor: dict[str, Any] | None) -> tuple[Any, Any]:
        here = place(library, cursor)
        found = library.checkups.of(here.key, here.trace)
        return report(found), {"trace": here.key, "marks": finding_marks(found)}

    app.clientside_callback(
        ClientsideFunction("mcts", "goToFinding"),
        Input({"type": "finding-link", "place": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )


def report(findings: Sequence[Finding]) -> Any:
    """The findings, worst first, and a sentence above them."""
    counts = {name: sum(f.severity == name for f in findings) for name in SEVERITIES}
    if counts["error"] or counts["warning"]:
        words = (plural(n, name) for name, n in counts.items() if n)
        head = f"This search has {', '.join(words)}."
    else:
        head = "Nothing is wrong with this search, as far as its recording shows."
    cards = [card(finding) for finding in findings]
    return html.Div([html.P(head), *cards], className="health")


def card(finding: Finding) -> Any:
    """A finding with what its check says."""
    check = CHECKS[finding.check]
    advice = [
        html.P([html.B("Verified: "), check.verifies]),
        html.P([html.B("Usual cause: "), check.cause]),
        html.P([html.B("To confirm: "), check.confirm]),
    ]
    return html.Div(
        className=f"finding {finding.severity}",
        children=[
            html.Div(
                [html.B(finding.severity), " ", html.Code(finding.check), *link(finding)],
                className="finding-head",
            ),
            html.P(finding.message),
            html.Details([html.Summary("what it means"), *advice]),
        ],
    )


def link(finding: Finding) -> list[Any]:
    """A button that moves the cursor to where the finding shows; none where it is nowhere."""
    if finding.iteration is None and finding.node is None:
        return []
    places = [] if finding.iteration is None else [f"iteration {finding.iteration:,}"]
    places += [] if finding.node is None else [f"node {finding.node:,}"]
    return [
        dmc.Button(
            f"Go to {', '.join(places)}",
            id=finding_link(finding), size="compact-xs", variant="subtle",
        )
    ]  # fmt: skip
