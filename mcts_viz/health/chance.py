"""Whether what chance decides comes as often as its probabilities say: χ² over all nodes of chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import fit, joined, spread
from mcts_viz.health.selection.infer import DECIDED, FEW_CHOICES, NAMED_FROM, decided
from mcts_viz.health.selection.scores import FIRST, UCB1, PerChild, Rule, mean
from mcts_viz.trace.players import CHANCE
from mcts_viz.types import Ints

MOST_DRAWS = 2_000  # events looked at
FEW_VISITS = 10  # of a node's children together
FEW_NODES = 5  # of chance, with one event
LIMIT = 5.0  # standard deviations
PRIOR_SLACK = 0.01  # of the sum of the probabilities


VIEWS: tuple[PerChild, ...] = (  # whichever player the children favour
    mean,
    lambda rows: -mean(rows),
    lambda rows: np.where(rows.chooser == 0, 1, -1) * mean(rows),
    lambda rows: np.where(rows.chooser == 0, -1, 1) * mean(rows),
)


def check_chance(search: CheckedSearch) -> Iterator[Finding]:
    """A finding where the children of nodes of chance are not visited by their probabilities."""
    at_chance = search.to_move == CHANCE
    if not at_chance.any():
        return
    yield from _chosen(search)
    prior = search.trace.columns.nodes.prior[: search.N].astype(np.float64)
    visits = search.statistics_after(search.T).visits.astype(np.float64)
    yield from _single(search, visits.astype(np.int64))
    excess = variance = 0.0
    worst = (0.0, -1)
    for parent, first, children in search.families.parts(RANGE_ROWS):
        for node, family in zip(parent.tolist(), np.split(children, first[1:])):
            p, n = prior[family], visits[family]
            total = float(n.sum())
            if not at_chance[node] or np.isnan(p).any() or (p <= 0).any() or total < FEW_VISITS:
                continue
            p, n = _with_rest(p, n)
            if len(p) < 2:
                continue
            more = float(((n - total * p) ** 2 / (total * p)).sum()) - (len(p) - 1)
            excess += more
            # of χ² of a multinomial with expectations that may be small (Haldane 1937)
            variance += (
                2 * (len(p) - 1) + (float((1 / p).sum()) - len(p) ** 2 - 2 * len(p) + 2) / total
            )
            worst = max(worst, (more, node))
    if excess > LIMIT * np.sqrt(max(variance, 1.0)):
        _, node = worst
        yield found(
            "chance-frequencies", None, node,
            f"what chance decides does not come as often as its probabilities say: "
            f"{excess / np.sqrt(max(variance, 1.0)):.1f} standard deviations over all nodes of chance; most at "
            f"node {node:,}",
            deviations=float(excess / np.sqrt(max(variance, 1.0))),
        )  # fmt: skip


def _chosen(search: CheckedSearch) -> Iterator[Finding]:
    """Where a rule of selection explains what chance does: always the child of the highest score."""
    rows = list(search.draws_by_chance())
    if not rows:
        return
    drawn = spread(joined(search, rows), MOST_DRAWS)
    if len(drawn.chosen) < FEW_CHOICES:
        return
    for value in VIEWS:
        one = fit(search, drawn, Rule("", UCB1.words, value, UCB1, FIRST))
        if one.share >= NAMED_FROM and decided(search, drawn, one) >= DECIDED:
            yield found(
                "chance-chosen", int(drawn.iteration[0]), int(drawn.parent[0]),
                f"what chance decides is chosen by UCB1, with c in [{one.low:.4g}, {one.high:.4g}]: that explains "
                f"{one.n:,} of {one.of:,} events looked at. They are to be drawn by their probabilities",
                choices=one.of,
            )  # fmt: skip
            return


def _single(search: CheckedSearch, visits: Ints) -> Iterator[Finding]:
    """A note where each node of chance has one event, however often it is visited. Events may be certain."""
    single, most, several = [], 0, 0
    for parent, first, children in search.families.parts(RANGE_ROWS):
        total = np.add.reduceat(visits[children], first)
        size = np.diff(np.append(first, len(children)))
        known = (search.to_move[parent] == CHANCE) & (total >= FEW_VISITS)
        several += int((known & (size > 1)).sum())
        single += parent[known & (size == 1)].tolist()
        most = max(most, int(total[known & (size == 1)].max(initial=0)))
    if len(single) < FEW_NODES or several:
        return
    yield found(
        "chance-frequencies", None, int(single[0]),
        f"all {len(single):,} nodes of chance with {FEW_VISITS} visits or more have one event, one of them in "
        f"{most:,} visits: so it is where an event is drawn once, and kept, in place of a new one at each visit. "
        "Right where the events are certain",
        nodes=len(single), visits=most,
    ).as_note()  # fmt: skip


def _with_rest(p: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The events that have not come yet as one more."""
    rest = 1.0 - float(p.sum())
    if rest > PRIOR_SLACK:
        return np.append(p, rest), np.append(n, 0.0)
    return p / p.sum(), n
