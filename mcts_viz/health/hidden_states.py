"""Whether the simulations of a search under partial observability begin in states of the root's belief, or all in one.

Reads the summaries that `recording/beliefs.py` makes of beliefs; knows no rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

BELIEF = "belief"  # name of the document
SUMMARY = re.compile(r"(?:([\d,]+) particles?: )?(\d+% .+)", re.DOTALL)
NEXT_STATE = re.compile(r", (?=\d+% )")
MORE_STATES = re.compile(r", and [\d,]+ states more$")
RARELY = 1e-6  # that all simulations begin in one state by chance
LARGEST = 0.95  # share of a state that the others are no rounding of


class StatesOfBelief(NamedTuple):
    """What a summary of a belief says."""

    particles: int | None  # where it says how many
    shares: dict[str, float]  # of states, rounded; not of all where there are many
    are_all: bool


class StatesAfter(NamedTuple):
    """The states in which simulations are after an action of the root, whatever they observe."""

    states: set[str]
    n: int  # simulations, at least
    counted: bool  # by particles, and not by visits


def states_of(text: str) -> StatesOfBelief | None:
    """None for a text of another kind."""
    summary = SUMMARY.fullmatch(text)
    if summary is None:
        return None
    particles, listed = summary.groups()
    shortened = MORE_STATES.sub("", listed)
    each = [one.split("% ", 1) for one in NEXT_STATE.split(shortened)]
    return StatesOfBelief(
        None if particles is None else int(particles.replace(",", "")),
        {state: int(share) / 100 for share, state in each},
        shortened == listed,
    )


def check_hidden_states(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the root believes in several states, and after each of its actions there is one alone."""
    root = _belief(search, 0)
    if search.meta.shared or root is None or len(root.shares) < 2:
        return
    after = [one for action in _children(search, 0) if (one := _after(search, action)) is not None]
    if not after or any(len(one.states) != 1 for one in after):
        return
    states = set[str]().union(*(one.states for one in after))
    n = sum(one.n for one in after)
    state = min(states)
    share = root.shares.get(state) if len(states) == 1 else max(root.shares.values())
    if share is None or share > LARGEST or share**n > RARELY:
        return  # another state after each action: the world may go there from any
    believed = f"{len(root.shares)}{'' if root.are_all else ' and more'} states"
    finding = found(
        "particle-one-state", None, 0,
        f"the root believes in {believed}, none of them likelier than {max(root.shares.values()):.0%}; but after "
        f"{'its action' if len(after) == 1 else f'each of {len(after):,} actions'} the {n:,} simulations that beliefs "
        f"tell of are all in one state, whatever they observed ({', '.join(sorted(states)[:2])}): the hidden state "
        "seems to be drawn once for all simulations, before the loop, and not anew from the belief for each",
        simulations=n,
    )  # fmt: skip
    # a belief without numbers of particles may be one that keeps few
    yield finding if all(one.counted for one in after) else finding.as_note()


def _after(search: CheckedSearch, action: int) -> StatesAfter | None:
    """None where beliefs are not recorded there, or not all of their states."""
    nodes = [action]
    if search.to_move[action] == CHANCE:
        nodes += _children(search, action).tolist()
    known = [(node, one) for node in nodes if (one := _belief(search, node)) is not None]
    if not known or not all(one.are_all for _, one in known):
        return None
    visits = search.statistics_after(search.T).visits
    return StatesAfter(
        set[str]().union(*(one.shares for _, one in known)),
        # a summary is made again when the node's visits have doubled
        sum(int(visits[node]) // 2 if one.particles is None else one.particles for node, one in known),
        all(one.particles is not None for _, one in known),
    )  # fmt: skip


def _belief(search: CheckedSearch, node: int) -> StatesOfBelief | None:
    documents = search.trace.columns.documents(node)
    return next((states_of(one.text) for one in documents if one.name == BELIEF), None)


def _children(search: CheckedSearch, node: int) -> Ints:
    nodes = np.array([node])
    return search.children(nodes)
