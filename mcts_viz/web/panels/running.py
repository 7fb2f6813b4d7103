"""The foot of a dialog that starts something long: what is wrong with the form, progress, Stop and the button that
begins; and what it shows while a search runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import dash_mantine_components as dmc
from dash import Output, ctx, html

from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import Ids
from mcts_viz.web.jobs import Job, Jobs
from mcts_viz.web.words import count, duration, plural

HIDE, SHOW = {"display": "none"}, {"display": "block"}
TICK = 250  # milliseconds between two looks at what runs
NOT_YET = 3_600_000  # milliseconds: the next look comes after the answer to this one
LOST = (
    "This search is not on the server any more: it was started anew. What was recorded until then is in "
    "the list of traces."
)


class FootIds(NamedTuple):
    """Its parts."""

    error: Ids
    bar: Ids
    progress: Ids
    stop: Ids
    start: Ids


def foot(ids: FootIds, begin: str, what: str) -> list[Any]:
    """`begin`: the button's word; `what` runs, for screen readers."""
    return [
        html.Div(id=ids.error.value, className="form-error", role="alert"),
        dmc.Progress(id=ids.bar.value, value=0, style=HIDE, **aria(f"progress of the {what}")),
        dmc.Group(
            justify="flex-end",
            wrap="nowrap",
            children=[
                html.Div(id=ids.progress.value, className="dim grow", role="status"),
                dmc.Button("Stop", id=ids.stop.value, variant="default", disabled=True),
                dmc.Button(begin, id=ids.start.value),
            ],
        ),
    ]


def sticky_foot(ids: FootIds, begin: str, what: str) -> Any:
    """One that stays in sight while the form is scrolled."""
    return html.Div(foot(ids, begin, what), className="form-footer")


def foot_outputs(ids: FootIds, tick: Ids) -> list[Output]:
    """Of a callback that watches a search and writes what `look` says."""
    return [
        Output(tick.value, "disabled"),
        Output(ids.bar.value, "value"),
        Output(ids.bar.value, "style"),
        Output(ids.progress.value, "children"),
        Output(ids.start.value, "disabled"),
        Output(ids.stop.value, "disabled"),
    ]


def one_at_a_time(tick: Ids) -> list[tuple[Output, int, int]]:
    """`running` of a callback that looks at what runs: the next look waits for the answer to this one. Dash drops an
    answer when a newer question is on its way, so of answers slower than the ticks none would ever arrive."""
    return [(Output(tick.value, "interval"), NOT_YET, TICK)]


def look(ids: FootIds, jobs: Jobs, number: str | None) -> tuple[Job | None, tuple[Any, ...]]:
    """The search once it has come to a good end, and what the foot shows; from within the callback of
    `foot_outputs`, in which Stop is an input."""
    job = jobs.job(number or "")
    if job is None:
        return None, at_rest(LOST if number else "")
    if ids.stop.value in ctx.triggered_prop_ids.values():
        job.stop.set()
    if not job.finished:
        return None, (False, percent_done(job), SHOW, progress_text(job), True, False)
    if job.error is not None:
        return None, at_rest(f"Stopped: {job.error}")
    return job, at_rest("")


def at_rest(text: str) -> tuple[Any, ...]:
    """What the foot shows when nothing runs."""
    return True, 0, HIDE, text, False, True


def percent_done(job: Job) -> float:
    """For the bar."""
    return 0.0 if job.told is None else 100.0 * job.told.share


def progress_text(job: Job) -> str:
    """For the person: what is done, and how long the rest will take at the speed so far."""
    if job.told is None:
        return "Starting … (the first large search of a game is compiled first, a few seconds)"
    if job.stop.is_set():
        return "Stopping: the best move so far is kept …"
    told = job.told
    total = "" if told.n_iterations is None else f" of {count(told.n_iterations)}"
    done = f"{count(told.iterations)}{total} iterations, {plural(told.nodes, 'node')}"
    return f"{done}, {duration(told.seconds)}{time_left(told.share, told.seconds)}"


def time_left(share: float, seconds: float) -> str:
    """ " · about 3.2 s left", at the speed so far; nothing before anything is done."""
    if not 0 < share < 1:
        return ""
    return f" · about {duration(seconds * (1 - share) / share)} left"
