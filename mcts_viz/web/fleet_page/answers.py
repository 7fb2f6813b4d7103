"""Stored questions: all of them with what they find, and the picture of one, in which marks can be brushed."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import plotly.graph_objects as go
from dash import Dash, Input, Output, html
from dash.exceptions import PreventUpdate

from mcts_viz.fleets.answer import Answer
from mcts_viz.fleets.questions.question import AnswerRow, Cell
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.views.canvas_figure import canvas_figure
from mcts_viz.web.fleet_page.ids import FleetIds
from mcts_viz.web.fleet_page.query import Asked
from mcts_viz.web.fleet_page.source import FleetSource
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Part, data, in_browser

Keys = list[dict[str, Cell]]  # of each row of an answer


def register(app: Dash, source: FleetSource, library: Library) -> None:
    """Callbacks of the questions."""

    @app.callback(
        Output(FleetIds.QUESTIONS, "children"),
        Output(FleetIds.ANSWER, "hidden"),
        Output(FleetIds.ANSWER_FIGURE, "figure"),
        Output(FleetIds.ANSWER_KEYS, "data"),
        Input(FleetIds.ASKED, "data"),
        prevent_initial_call=True,
    )
    def asked(told: object) -> tuple[list[Part], bool, go.Figure, Keys]:
        if not told:
            raise PreventUpdate
        found = Asked.read(told)
        if not found.question:
            return overview(source, found), True, canvas_figure(found.theme), []
        answer = source.answer(found.question, found)
        return told_of(answer, found), False, figure_of(answer, found), keys_of(answer)

    in_browser(app, "fleet.brush", Input(FleetIds.ANSWER_FIGURE, "clickData"))
    in_browser(app, "fleet.brush", Input(FleetIds.ANSWER_FIGURE, "selectedData"))


def overview(source: FleetSource, asked: Asked) -> list[Part]:
    """All questions, those that find something bad first, then the findings of single searches."""
    answers = [source.answer(name, asked) for name in QUESTIONS]
    answers.sort(
        key=lambda each: (
            min(map(_badness, each.findings), default=9),
            not (each.rows or each.question.only_faults),
        )
    )
    checks = [each for each in source.checks() if each.severity != "note"]
    return [
        html.P("What the stored questions say of the searches in the table.", className="dim"),
        html.Ul([html.Li(_question(answer)) for answer in answers], className="fleet-list"),
        html.H2("Findings of single searches", className="fleet-head"),
        html.Ul([html.Li(_check(each)) for each in checks], className="fleet-list") if checks
        else html.P("No errors and no warnings.", className="dim"),
    ]  # fmt: skip


def told_of(answer: Answer, asked: Asked) -> list[Part]:
    """A question's sentence and findings, above its picture."""
    brushed = f"{len(asked.brush)} chosen · " if asked.brush else ""
    how = "No search here can answer it."
    if answer.rows:
        beside = "; Show all takes that back" if asked.brush else ""
        how = f"Click a mark, or drag over several, for the searches behind them{beside}."
    return [
        html.Button("‹ all questions", type="button", className="fleet-back", **data("question", "")),
        html.H2(answer.question.sentence, className="fleet-head"),
        *(html.Div(_finding(answer, each), className="fleet-finding") for each in answer.findings),
        html.P("No fault shows in these rows.", className="dim", hidden=bool(answer.findings or not answer.rows)),
        html.P(f"{brushed}{how}", className="dim"),
    ]  # fmt: skip


def figure_of(answer: Answer, asked: Asked) -> go.Figure:
    """The picture of an answer, with brushed marks strong and the others pale."""
    figure, keys = answer.figure(asked.theme), keys_of(answer)
    for drawn in figure.data if asked.brush else ():
        drawn.selectedpoints = [
            at for at, row in enumerate(drawn.customdata) if keys[row] in asked.brush
        ]
    return figure


def keys_of(answer: Answer) -> Keys:
    """What identifies each row."""
    return [_keys(answer, row) for row in answer.rows]


def _keys(answer: Answer, row: AnswerRow) -> dict[str, Cell]:
    return {name: row[name] for name in answer.question.keys if name in row}


def _question(answer: Answer) -> Part:
    worst = min(answer.findings, key=_badness, default=None)
    is_answered = bool(answer.rows) or answer.question.only_faults
    said = (
        str(worst.message)
        if worst
        else "no fault shows in these searches"
        if is_answered
        else "no search here can answer it"
    )
    return html.Button(
        [_badge(worst, is_answered), html.B(answer.question.sentence), html.Span(said, className="fleet-said")],
        type="button", className="fleet-row", **data("question", answer.question.name),
    )  # fmt: skip


def _check(finding: Finding) -> Part:
    return html.Button(
        [_badge(finding), html.B(finding.check), html.Span(finding.message, className="fleet-said")],
        type="button", className="fleet-row", **data("check", finding.check),
    )  # fmt: skip


def _finding(answer: Answer, finding: Finding) -> list[Part]:
    row = {
        name: value
        for name, value in finding.evidence.items()
        if not isinstance(value, (list, tuple))
    }
    keys, example = _keys(answer, row), finding.evidence.get("example")
    links: list[Part] = []
    if keys:
        told = json.dumps(keys, ensure_ascii=False)
        links.append(
            html.Button(
                "Show its searches", type="button", className="why-link", **data("brush", told)
            )
        )
    if example:
        links.append(html.A("Open an example", href=address_of(str(example)), className="why-link"))
    return [_badge(finding), html.Span(finding.message), *links]


def address_of(search_id: str, check: str = "") -> str:
    """The address of a search on the page of traces, relative to this page."""
    return "../api/fleet/open?" + urlencode(
        {"search": search_id, **({"check": check} if check else {})}
    )


def _badge(finding: Finding | None, is_answered: bool = True) -> Part:
    word = finding.severity if finding else "✓" if is_answered else "–"
    return html.Span(word, className=f"fleet-badge fleet-{word}")


def _badness(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
