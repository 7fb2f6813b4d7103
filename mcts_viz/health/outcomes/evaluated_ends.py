"""Whether finished games get what was told to be their evaluation (evaluation=), and not the results that were told of
them (outcome=): the network is asked about positions where nothing is left to ask.

Where no evaluations were told, of one player: whether games with equal results at equal depths get different values,
always the same for each game, and none its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.batch_leaves import values_of_leaves
from mcts_viz.health.outcomes.constant import may_be_meant
from mcts_viz.health.values.of_visits import values_of
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Bools, Floats, Ints

FEW_ENDS = 5  # finished games
MORE_ENDS = 10  # the same, where no evaluation was told
NEARLY_ALL = 0.95  # of their visits
RESULTS = 3  # kinds of them, where all count the same
KINDS = 4  # values of games with one result at one depth
MOST = 500_000  # visits looked at, the first ones
SHOWN = 1e-5


class EndVisits(NamedTuple):
    """V visits of finished games."""

    iteration: Ints
    node: Ints
    value: Floats  # view of who moved there
    along: Bools  # whether all nodes of the path get the same

    def where(self, mask: Bools) -> EndVisits:
        return EndVisits(self.iteration[mask], self.node[mask], self.value[mask], self.along[mask])


def check_evaluated_ends(search: CheckedSearch, several_leaves: bool = False) -> Iterator[Finding]:
    """A warning of games of one or two, where results alone count; a note where leaves have no priors, as an agent's
    answers may be told to be right by somebody else than the search, and where evaluations were not told."""
    rewarded = search.has_rewards or search.meta.step_rewards
    if rewarded or search.meta.n_players > 2 or not (search.alone or search.meta.mirrors):
        return
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    if not search.ended.any() or (told is None and not search.alone):
        return
    visits = _visits(search, several_leaves)
    due = _due(search, visits.node)
    wrong = np.abs(visits.value - due) > search.slack + SHOWN
    if not len(wrong) or wrong.mean() < NEARLY_ALL:
        return
    how = ""
    if told is not None and not np.isnan(told[visits.node]).all():
        own = told[visits.node]
        same = np.abs(np.abs(visits.value) - np.abs(own)) <= search.slack + SHOWN
        if (wrong & same).mean() >= NEARLY_ALL and len(np.unique(visits.node)) >= FEW_ENDS:
            how = ", which is what was told to be its evaluation"
    elif search.alone and _are_worth_nothing(search, visits):
        yield _left_out(visits, due)
        return
    elif search.alone and may_be_meant(search) and _as_evaluated(search, visits):
        how = ", and others with the same result get other values"
    if how:
        finding = _finding(visits.where(wrong), due[wrong], how)
        has_priors = bool((~np.isnan(search.trace.columns.nodes.prior[1 : search.N])).any())
        yield finding.as_warning() if told is not None and has_priors else finding.as_note()


def _visits(search: CheckedSearch, several_leaves: bool) -> EndVisits:
    parts: list[EndVisits] = []
    n = 0
    for part in search.ranges():
        values = values_of_leaves(search, part) if several_leaves else values_of(search, part)
        ends = values.where(values.is_leaf & search.ended[values.node] & (values.player >= 0))
        differ = np.abs(values.value[1:] - values.value[:-1]) > search.slack
        differ &= values.iteration[1:] == values.iteration[:-1]
        along = ~np.isin(ends.iteration, values.iteration[1:][differ])
        parts.append(EndVisits(ends.iteration, ends.node, ends.value, along))
        n += len(ends.node)
        if n >= MOST:
            break
    none = np.zeros(0, np.int64)
    if not parts:
        return EndVisits(none, none, np.zeros(0), np.zeros(0, np.bool_))
    return EndVisits(*(np.concatenate(column) for column in zip(*parts)))


def _due(search: CheckedSearch, node: Ints) -> Floats:
    """What a visit of each finished game is worth, view of who moved there."""
    low, high = search.value_range
    share = search.share(search.known_outcome[node], search.mover[node])
    return np.asarray(low + (high - low) * (1 + share) / 2, np.float64)


def _are_worth_nothing(search: CheckedSearch, visits: EndVisits) -> bool:
    """Whether all finished games, whose results differ, add one value to all nodes of their paths, though the values of
    others differ."""
    results = np.round(search.known_outcome[np.unique(visits.node)], 6)
    if len(results) < MORE_ENDS or len(np.unique(results)) < RESULTS:
        return False
    return bool(visits.along.all() and np.ptp(visits.value) <= search.slack)


def _left_out(visits: EndVisits, due: Floats) -> Finding:
    t, node, games = int(visits.iteration[0]), int(visits.node[0]), len(np.unique(visits.node))
    return found(
        "simulation-terminal", t, node,
        f"node {node:,} was told to be finished, so that {due[0]:.4g} is due there, and iteration {t:,} adds "
        f"{visits.value[0]:.4g} to it and to all nodes above. So do all {len(visits.node):,} visits of {games:,} "
        f"finished games, due to which are {due.min():.4g} to {due.max():.4g}: what was collected on the way to the "
        "leaf (points, rewards, costs) seems to be left out, so that an iteration is worth what its playout alone "
        "brings. The whole line counts, from the root on. Right where outcome= tells what the search does not know, or "
        "counts in another way",
        times=len(visits.node), games=games,
    ).as_warning()  # fmt: skip


def _as_evaluated(search: CheckedSearch, visits: EndVisits) -> bool:
    """Whether results, and how far they are from the root, do not explain the values that each game has always."""
    node, first, at = np.unique(visits.node, return_index=True, return_inverse=True)
    value = visits.value[first]
    if len(node) < MORE_ENDS or (np.abs(visits.value - value[at]) > search.slack).any():
        return False
    key = np.stack([search.known_outcome[node], search.topology.depth[node]], axis=1)
    _, group = np.unique(key, axis=0, return_inverse=True)
    group = np.asarray(group).reshape(-1)
    kinds = [len(np.unique(np.round(value[group == each], 5))) for each in np.unique(group)]
    return max(kinds) >= KINDS


def _finding(visits: EndVisits, due: Floats, how: str) -> Finding:
    t, node, games = int(visits.iteration[0]), int(visits.node[0]), len(np.unique(visits.node))
    return found(
        "simulation-terminal", t, node,
        f"finished games are given evaluations, and not their results: node {node:,} was told to be finished, so that "
        f"{due[0]:.4g} is due there, and iteration {t:,} adds {visits.value[0]:.4g}{how}. So it is at all "
        f"{len(visits.node):,} visits of {games:,} finished games: the network, or the judge, is asked there as "
        "elsewhere, and the result never counts. Where the game is over its own result is to be backed up. Right where "
        "outcome= tells what the search does not know, or counts in another way",
        times=len(visits.node), games=games,
    )  # fmt: skip
