"""A root that keeps no visits of its own, and whose moves are chosen by those of its children together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.selection.fit import joined, only
from mcts_viz.health.selection.infer import FEW_CHOICES, TIGHT, infer
from mcts_viz.health.selection.scores import WIDTHS
from mcts_viz.health.selection.words import rule_words

MOST_CHOICES = 5_000


def with_uncounted_root(search: CheckedSearch, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The same findings; a root that is never counted is a note where nothing is wrong with the choices there. Where a
    search goes by the root's own 0 visits, it does not explore."""
    for one in findings:
        evidence = one.evidence
        never = one.check == "visits-root" and evidence["times"] == evidence["iterations"]
        words = _rule_of_root(search) if never and one.severity == "error" else None
        if words is None:
            yield one
            continue
        text = (
            f"{one.message}; its moves are chosen by the visits of its children together, {words}: nothing asks for "
            "its own"
        )
        yield one.as_note(text)


def _rule_of_root(search: CheckedSearch) -> str | None:
    """The rule over the visits of all children that explains all choices, those below the root, too, with a weight of
    its own. Where it explains those at the root alone, something stands in there for visits that are missed."""
    n = search.n_comparisons
    if not n:
        return None
    rows = joined(search, list(search.comparisons(min(n, MOST_CHOICES))))
    at_root = rows.parent == 0
    if min(at_root.sum(), (~at_root).sum()) < FEW_CHOICES:
        return None
    of_children = [width for width in WIDTHS if "N of all children" in width.words]
    known = infer(search, rows, of_children)
    if search.meta.policies.selection.n != "children":
        own = [width for width in WIDTHS if width.words in ("UCB1", "PUCT")]
        if infer(search, only(rows, ~at_root), own) is not None:
            return None  # below the root it goes by their own
    if known is None or known.aside or known.fit.low <= 0:
        return None
    fit = known.fit
    return rule_words(known)[:-1] if fit.high - fit.low <= TIGHT * fit.high else None
