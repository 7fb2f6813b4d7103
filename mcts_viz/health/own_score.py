"""Whether the search takes the children that are best by the score of its own author, as the recording compared them
choice by choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding

RARE = 0.01  # share of the choices, below which a search may have its reasons: noise, a counter of its own


def is_explained(search: CheckedSearch) -> bool:
    """Whether no other rule is to be looked for: the author's own score explains every choice that was compared."""
    _, compared, unexplained = _counts(search)
    return bool(compared and not unexplained)


def check_own_score(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about the author's own score, where one was given."""
    name, compared, unexplained = _counts(search)
    if not compared:
        return
    if not unexplained:
        yield found(
            "selection-rule", None, None,
            f"the score that its author tells explains all {compared:,} choices compared{name}",
            rule="score=", choices=compared, share=1.0,
        )  # fmt: skip
        return
    first = search.trace.columns.asides.misses[0]
    taken, best = (
        "infinite" if score is None else f"{score:.6g}" for score in (first.score, first.best_score)
    )
    label = search.trace.at(first.row + 1).short_label
    finding = found(
        "selection-own-score", first.row + 1, first.node,
        f"{unexplained:,} of {compared:,} choices ({unexplained / compared:.1%}) are not those of the author's own "
        f"score: in iteration {first.row + 1:,} node {first.node:,} goes to {label(first.child)} (node "
        f"{first.child:,}), whose score is {taken}, and {label(first.best)} (node {first.best:,}) has {best}",
        times=unexplained, choices=compared, score=first.score, best_score=first.best_score,
    )  # fmt: skip
    yield finding if unexplained >= RARE * compared else replace(finding, severity="warning")


def _counts(search: CheckedSearch) -> tuple[str, int, int]:
    """The name of the selection rule, the choices compared, and those not explained."""
    columns = search.trace.columns
    if columns.compared is None or columns.unexplained is None:
        return "", 0, 0
    name = search.meta.policies.selection.name
    numbers = (int(column[column > 0].sum()) for column in (columns.compared, columns.unexplained))
    compared, unexplained = numbers
    return f" ({name})" if name else "", compared, unexplained
