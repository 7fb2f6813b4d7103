"""Whether the nodes of a search under partial observability have the particles that its visits should have left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

PARTICLES = "particles"  # the number of nodes
FEW_VISITS, SOME_VISITS = 5, 20
FEW_AT_ROOT, MANY_VISITS = 5, 100
SHARE = 0.1  # of the particles that nodes of this search have for a visit


def check_particles(search: CheckedSearch) -> Iterator[Finding]:
    """Nodes with visits, and few particles or none; nothing where particles are not recorded."""
    trace = search.trace
    particles = trace.columns.numbers(trace.n_iterations).get(PARTICLES)
    if particles is None:
        return
    visits = trace.at(trace.n_iterations).visits
    # after an action the world answers: nobody chooses there, and most searches keep no belief of it
    told = np.flatnonzero(~np.isnan(particles) & (trace.columns.nodes.to_move != CHANCE))
    told = _but_ends(search, told)
    below = told[(told > 0) & (visits[told] >= SOME_VISITS)]
    usual = float(np.median(particles[below] / visits[below])) if len(below) else 0.0
    starved = (visits[told] >= FEW_VISITS) & (particles[told] <= 0)
    starved |= (
        (told > 0)
        & (visits[told] >= SOME_VISITS)
        & (particles[told] < SHARE * usual * visits[told])
    )
    starved |= (told == 0) & (visits[told] >= MANY_VISITS) & (particles[told] < FEW_AT_ROOT)
    if particles[0] >= FEW_AT_ROOT:  # where all below keep one alone, that is the usual number
        starved |= (told > 0) & (visits[told] >= MANY_VISITS) & (particles[told] <= 1)
    nodes = told[starved]
    if not len(nodes):
        return
    worst = int(nodes[np.argmax(visits[nodes])])
    n = int(particles[worst])
    have = "no particles" if n == 0 else f"{n:,} particle{'s' if n > 1 else ''}"
    others = f", and so it is at {len(nodes):,} of {len(told):,} nodes" if len(nodes) > 1 else ""
    is_rare = n < SHARE * usual * visits[worst]
    usually = f"; nodes here usually have {usual:.2g} for a visit" if is_rare else ""
    yield found(
        "particle-starvation", None, worst,
        f"node {worst:,} has {have} after {int(visits[worst]):,} visits{others}{usually}",
        nodes=len(nodes), particles=n, visits=int(visits[worst]),
    )  # fmt: skip


def _but_ends(search: CheckedSearch, told: Ints) -> Ints:
    """Those that are no ends of episodes, where a simulation stops before it adds its state. An end has no children,
    however often it is visited; but so has every node below the root in a search that goes no deeper."""
    grown = ~search.childless()[told]
    grown[told == 0] = True
    return told[grown] if grown[told > 0].any() else told
