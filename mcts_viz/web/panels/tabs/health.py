"""The tab *Health*: findings about the search, each with its place, its usual cause and a way to confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, html

from mcts_viz.errors import PageError, TraceError
from mcts_viz.health.acceptance import outstanding
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.health.verdict import UNDECIDED, Verdict
from mcts_viz.web.cursor import Cursor, place
from mcts_viz.web.ids import Ids, cursor_for, finding_accept, finding_link
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Part, aria, clicks_into, in_browser
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.panels.verdict import verdict_here
from mcts_viz.web.routes.accepted_file import accept, take_back
from mcts_viz.web.routes.events import finding_marks
from mcts_viz.web.words import plural

NAME = "health"


def body() -> Part:
    """A sign that the checks run; the callback puts their findings in its place."""
    # an id of the tab's panel would break the tab's link to it
    words = [html.Span("The checks run", role="status"), html.Span(" …", className="health-step")]
    running = html.P([dmc.Loader(size="xs"), html.Span(words)], className="health-running")
    return html.Div(running, id=Ids.HEALTH, className="health-panel")


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.HEALTH, "children"),
        Output(Ids.FINDINGS, "data"),
        Input(cursor_for(NAME), "data"),
        Input(Ids.ACCEPTED, "data"),
        prevent_initial_call=True,
    )
    def health(cursor: Cursor | None, said: str | None) -> tuple[Part, object]:
        here = place(library, cursor)
        found = library.findings(here.key, here.trace)
        problem = said if ctx.triggered_id == Ids.ACCEPTED else None
        shown = report(found, verdict_here(library, here), problem)
        return shown, {"trace": here.key, "marks": finding_marks(found)}

    clicks_into(
        Ids.ACCEPT_CLICK,
        app,
        Input(finding_accept(ALL, "accept"), "n_clicks"),
        Input(finding_accept(ALL, "undo"), "n_clicks"),
    )

    @app.callback(
        Output(Ids.ACCEPTED, "data"),
        Input(Ids.ACCEPT_CLICK, "data"),
        State(finding_accept(ALL, "reason"), "value"),
        State(finding_accept(ALL, "reason"), "id"),
        State(cursor_for(NAME), "data"),
        prevent_initial_call=True,
    )
    def change(
        clicked: dict[str, str],
        texts: list[str],
        ids: list[dict[str, str]],
        cursor: Cursor,
    ) -> str:
        reasons = {one["check"]: text for one, text in zip(ids, texts)}
        path = library.entry(place(library, cursor).key).of_its_own
        return changed(path, clicked["type"], clicked["check"], reasons.get(clicked["check"]) or "")

    in_browser(app, "mcts.tellChecking", Input(cursor_for(NAME), "data"))
    in_browser(app, "mcts.goToFinding", Input({"type": "finding-link", "place": ALL}, "n_clicks"))


def changed(trace: Path, what: str, check: str, reason: str) -> str:
    """Accept the findings of a check, or undo that; what went wrong, else nothing."""
    try:
        if what == finding_accept(check, "undo")["type"]:
            take_back(trace, check)
        else:
            accept(trace, check, reason)
    except (PageError, TraceError) as err:
        return str(err)
    return ""


def report(
    findings: Sequence[Finding], judged: Verdict | None = None, problem: str | None = None
) -> Part:
    """The findings, worst first, and a sentence above them; a mistake of the move stands on top where nothing worse was
    found, an undecided vote before the notes. `problem`: why one was not accepted."""
    left = outstanding(findings)
    counts = {name: sum(f.severity == name for f in left) for name in SEVERITIES}
    if counts["error"] or counts["warning"]:
        words = (plural(n, name) for name, n in counts.items() if n)
        head = f"This search has {', '.join(words)}."
    else:
        head = "The checks found nothing wrong in how this search was done, as far as its recording shows."
    if len(left) < len(findings):
        head += f" Accepted: {plural(len(findings) - len(left), 'finding')}."
    worse = sum(each.severity != "note" for each in findings)  # they come first, worst above
    alert = [html.P(problem, className="warning", role="alert")] if problem else []
    checks = set[str]()
    cards = []
    for finding in findings:
        cards.append(card(finding, first=finding.check not in checks))
        checks.add(finding.check)
    said = [html.P(head), *alert, *cards[:worse]]
    move = of_the_move(judged)
    wrong = judged is not None and judged.is_mistake and not worse  # then the eye finds that first
    first = [*move, *said] if wrong else [*said, *move]
    return html.Div([*first, *cards[worse:]], className="health")


def of_the_move(judged: Verdict | None) -> list[Part]:
    """What the verdict has against the move that leads: a mistake, or a vote that could have gone otherwise."""
    if judged is None or not (judged.is_mistake or judged.sureness == UNDECIDED):
        return []
    what = "mistake" if judged.is_mistake else "undecided vote"
    cause = "" if judged.cause is None else f" Likeliest cause: {judged.cause.text}"
    vote = "" if judged.is_mistake else f" The vote: {judged.vote}."
    text = f"{judged.move} {judged.verb}. {judged.judgement}{vote}{cause}"
    look = "error" if judged.is_mistake else "note"
    head = html.Div([html.B(what), " of the move chosen"], className="finding-head")
    return [html.Div([head, html.P(text)], className=f"finding {look}")]


def card(finding: Finding, first: bool = True) -> Part:
    """A finding with what its check says; the `first` of its check has what accepts them all."""
    check = CHECKS[finding.check]
    advice = [
        html.P([html.B("Verified: "), check.verifies]),
        html.P([html.B("Usual cause: "), check.cause]),
        html.P([html.B("To confirm: "), check.confirm]),
        html.P([html.B("How sure: "), finding.certainty]),
    ]
    return html.Div(
        className=f"finding {finding.severity}{' accepted' if finding.accepted else ''}",
        children=[
            html.Div(
                [html.B(finding.severity), " ", html.Code(finding.check), *link(finding)],
                className="finding-head",
            ),
            html.P(finding.message),
            html.Details([html.Summary("what it means"), *advice]),
            *(acceptance(finding) if first else []),
        ],
    )


def acceptance(finding: Finding) -> list[Part]:
    """Where a reason is written, or the reason and a button that undoes it."""
    check = finding.check
    if finding.accepted is not None:
        undo = dmc.Button(
            "Undo", id=finding_accept(check, "undo"), size="compact-xs", variant="subtle"
        )
        return [html.P([html.B("Accepted: "), finding.accepted, " ", undo])]
    reason = dmc.TextInput(
        id=finding_accept(check, "reason"), size="xs", placeholder="why it is all right",
        **aria(f"Why {check} is all right"),
    )  # fmt: skip
    button = dmc.Button("Accept", id=finding_accept(check, "accept"), size="compact-xs")
    return [html.Details([html.Summary("accept …"), html.Div([reason, button])])]


def link(finding: Finding) -> list[Part]:
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


TAB = Tab(NAME, "Health", body, register)
