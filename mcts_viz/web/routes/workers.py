"""The route by which the page learns which worker made which iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flask import Blueprint, Response, jsonify

from mcts_viz.trace.columns import Columns
from mcts_viz.types import Document
from mcts_viz.web.routes.api import api

if TYPE_CHECKING:
    from mcts_viz.web.library import Library

MOST_STEPS = 1_200  # about as many as the lanes have pixels
MOST_LANES = 32


def worker_routes(library: Library) -> Blueprint:
    """The blueprint with the route under /api/trace."""
    routes = api("workers", unreadable=404)

    @routes.get("/<key>/workers")
    def workers(key: str) -> Response:
        return jsonify(workers_message(library.trace(key).columns))

    return routes


def workers_message(columns: Columns) -> Document:
    """By worker how many of each `step` iterations are its own; of very many workers, those with most."""
    n, told = columns.n_iterations, columns.worker
    worker = np.zeros(0, np.int64) if told is None else told[:n].astype(np.int64)
    step = max(1, -(-n // MOST_STEPS))
    found, counts = np.unique(worker[worker >= 0], return_counts=True)
    shown = np.sort(found[np.argsort(-counts, kind="stable")[:MOST_LANES]])
    n_steps = -(-n // step)
    lanes = [
        np.bincount(np.flatnonzero(worker == each) // step, minlength=n_steps).tolist()
        for each in shown.tolist()
    ]
    return {"workers": shown.tolist(), "lanes": lanes, "step": step, "n_iterations": n}


def n_workers(columns: Columns) -> int:
    """How many workers the search tells of; 0: none."""
    told = columns.worker
    return 0 if told is None else len(np.unique(told[told >= 0]))
