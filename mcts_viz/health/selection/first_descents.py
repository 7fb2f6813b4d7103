"""Selection where iterations have several leaves: the first descent of each found the statistics of the trace, and
went the way that all went. What the later ones compared, with virtual losses in it, is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.check import check_selection
from mcts_viz.health.selection.infer import FEW_CHOICES
from mcts_viz.health.selection.own_score import is_explained
from mcts_viz.health.selection.unexplained import WHOLE
from mcts_viz.health.tree.shape import own_visits

ALWAYS = 0.95  # share of the iterations
MANY = 100  # choices
CERTAIN = 1.5  # times the least c that explains them, the greatest is
OF_CHANCE = ("selection-unexplained", "selection-random")
WORDS = (
    "; iterations have several leaves: compared are the choices of the first descents, as far as all of an iteration "
    "went the same way"
)


def check_first_descents(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about the choices that are known. What does not explain nearly all of many is a note, unless an
    iteration selects once and evaluates all children of what it has selected."""
    first = search.first_descents()
    selection = search.meta.policies.selection
    threads = search.trace.columns.worker is not None
    if threads or selection.needs_siblings or is_explained(search):
        return
    if first.n_comparisons < FEW_CHOICES:
        return
    once = _select_once(search)
    for one in check_selection(first):
        n, share = int(one.evidence.get("choices", 0)), float(one.evidence.get("share", 0.0))
        # a mistake that takes no exploration: then the greatest value is taken, and more than one rule says so
        greedy = one.check != "selection-unexplained" and one.evidence.get("c_low") == 0
        known = (once and not greedy) or (n >= MANY and share >= WHOLE and _is_certain(one))
        if one.check in OF_CHANCE and selection.name is None:
            known = False  # a rule of its own, which it did not promise to be another one
        yield replace(one, message=one.message + WORDS, severity=one.severity if known else "note")


def _is_certain(one: Finding) -> bool:
    """Whether the choices leave little room for c: else other rules explain so few of them as well."""
    low, high = one.evidence.get("c_low"), one.evidence.get("c_high")
    return low is None or (high is not None and high <= CERTAIN * low)


def _select_once(search: CheckedSearch) -> bool:
    """Whether leaves of an iteration are children of one node, nearly always."""
    iterations = apart = 0
    for part in search.ranges():
        ends = own_visits(search, part) > 0
        parent = search.parent[part.updates.node[ends]].astype(np.int64)
        iteration = part.updates.iteration[ends]
        pairs = np.unique(np.column_stack((iteration, parent)), axis=0)[:, 0]
        several = np.unique(pairs, return_counts=True)[1] > 1
        iterations, apart = iterations + len(several), apart + int(several.sum())
    return apart <= (1 - ALWAYS) * iterations
