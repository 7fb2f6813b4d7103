"""Whether backpropagation adds what the simulation was worth, to each node in the view of the player
who moved into it.

A value is judged visit by visit. Values outside the range are put aside first, with all nodes that
ever got one, so that one mistake is not told as several. So the iterations are gone through twice,
and once more where leaves are put aside, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcts_viz.analysis.health.course import Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.simulation import KnownResults
from mcts_viz.analysis.health.stretch import Bools
from mcts_viz.analysis.health.value_paths import (
    Beyond,
    Discounted,
    KeptWrongly,
    LeafLeftOut,
    RootLeftOut,
    Uneven,
)
from mcts_viz.analysis.health.value_results import AgainstResults, Views
from mcts_viz.analysis.health.values import show


def check_value(course: Course, results: KnownResults) -> Iterator[Finding]:
    """Findings about values."""
    beyond, kept, root = Beyond(course), KeptWrongly(course), RootLeftOut(course)
    discounted = Discounted(course)
    show(course, [beyond, kept, root, discounted])
    if not beyond.steps:
        return
    if not course.players_known or course.meta.get("step_rewards"):
        # what a node gets need not be what another one gets
        yield from beyond.findings()
        yield from root.findings()
        return
    if course.discount != 1.0:
        yield from discounted.findings()
        return
    wrong = list(kept.findings())
    if wrong:
        yield from wrong
        return
    yield from beyond.findings()
    leaf, uneven, views, against = _judged(course, results, beyond.spoilt)
    leaf_left_out = list(leaf.findings())
    if leaf_left_out:
        yield from leaf_left_out
        _, uneven, views, against = _judged(course, results, beyond.spoilt, leaves=False)
    bad = list(uneven.findings())
    if bad:
        yield from bad
        return
    bad = [] if course.alone else list(views.findings())
    yield from bad
    if not bad:
        yield from against.findings()
    yield from root.findings()


def _judged(
    course: Course, results: KnownResults, spoilt: Bools | None, leaves: bool = True
) -> tuple[LeafLeftOut, Uneven, Views, AgainstResults]:
    """What there is to say of values within the range."""
    looks = (
        LeafLeftOut(course), Uneven(course), Views(course, results),
        AgainstResults(course, results, spoilt, leaves),
    )  # fmt: skip
    show(course, looks, spoilt, leaves)
    return looks
