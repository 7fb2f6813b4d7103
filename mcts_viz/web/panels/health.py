"""The tab *Health*: what is wrong with the search, where, what usually causes it, how to confirm it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, html

from mcts_viz.analysis.health.catalogue import CHECKS
from mcts_viz.analysis.health.finding import SEVERITIES, Finding
from mcts_viz.trace.trace import Trace
from mcts_viz.web.cursor import Place
from mcts_viz.web.ids import Ids, finding_link
from mcts_viz.web.library import Library
from mcts_viz.web.panels.tables import place_in_tab
from mcts_viz.web.words import plural

TAB = "health"
KEPT = 8  # traces whose findings are remembered


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("Health", value=TAB)


def panel() -> Any:
    """Its body; the callback fills it when it is opened."""
    return dmc.TabsPanel(
        dmc.Loader(size="sm"),
        id=Ids.HEALTH.value, value=TAB,
    )  # fmt: skip


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""
    found = Checkups(library.services.check_health)

    @app.callback(
        Output(Ids.HEALTH.value, "children"),
        Input(Ids.CURSOR.value, "data"),
        Input(Ids.TABS.value, "value"),
    )
    def health(cursor: dict[str, Any] | None, tab: str | None) -> Any:
        here = place_in_tab(library, cursor, tab, TAB)
        return report(found.of(here))

    app.clientside_callback(
        ClientsideFunction("mcts", "goToFinding"),
        Input({"type": "finding-link", "place": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )


class Checkups:
    """Findings of the last few traces, each checked once for all who look at it, as long as it does
    not grow."""

    def __init__(self, check: Callable[[Trace], Sequence[Finding]]) -> None:
        self._check = check
        self._known: OrderedDict[tuple[str, int], Sequence[Finding]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, here: Place) -> Sequence[Finding]:
        """Findings of the trace at the cursor."""
        key = (here.key, here.trace.n_iterations)
        with self._lock:
            if key not in self._known:
                self._known[key] = self._check(here.trace)
                if len(self._known) > KEPT:
                    self._known.popitem(last=False)
            return self._known[key]


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
