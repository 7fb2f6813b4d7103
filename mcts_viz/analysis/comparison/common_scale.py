"""Whether the values of two searches mean the same, and how to bring one's to the other's scale.

Both are in the view of the player who moved into the node, as in every trace. They differ in what a
win, a draw and a loss add.
"""

from __future__ import annotations

from typing import NamedTuple

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.metadata_fields import BackpropagationPolicy

SAME_SHARE = 1e-9  # by which two places of a draw may differ


class CommonScale(NamedTuple):
    """B's mean values on A's scale: `factor` × mean + `offset`."""

    comparable: bool
    factor: float
    offset: float
    words: str  # what was done, or why nothing can be

    @property
    def same(self) -> bool:
        """Whether nothing has to be done."""
        return self.comparable and (self.factor, self.offset) == (1.0, 0.0)


class _Scores(NamedTuple):
    """What a visit adds, view of the player who moved into the node."""

    loss: float
    win: float
    draw: float | None  # None: the recording does not say


def common_scale(a: TraceMeta, b: TraceMeta) -> CommonScale:
    """The common scale, from the metadata of two traces."""
    if _backup(a) is not None and _backup(a) == _backup(b):
        return _same(a)
    for name, meta in (("A", a), ("B", b)):
        reason = _peculiar(meta)
        if reason:
            return _not_comparable(f"{name} {reason}")
    scores_a, scores_b = _scores(a), _scores(b)
    if scores_a.win <= scores_a.loss or scores_b.win <= scores_b.loss:
        return _not_comparable("a win is worth no more than a loss in one of them")
    draw_a, draw_b = _draw_share(scores_a), _draw_share(scores_b)
    alone = a.n_players == b.n_players == 1  # nobody draws
    assumed = "" if alone or None not in (scores_a.draw, scores_b.draw) else _ASSUMED
    if abs(draw_a - draw_b) > SAME_SHARE:
        return _not_comparable(
            f"a draw lies at {draw_a:.0%} of the way from a loss to a win in A, at {draw_b:.0%} in B"
        )
    factor = (scores_a.win - scores_a.loss) / (scores_b.win - scores_b.loss)
    offset = scores_a.loss - factor * scores_b.loss
    if (factor, offset) == (1.0, 0.0):
        return CommonScale(True, 1.0, 0.0, f"{_range_words(scores_a)}, as recorded{assumed}")
    return CommonScale(
        True, factor, offset,
        f"{_range_words(scores_a)}, as in A; B's, recorded {_range_words(scores_b)}, "
        f"are brought to that scale{assumed}",
    )  # fmt: skip


_ASSUMED = ", if a draw lies in the middle where the recording does not say what it is worth"


def _same(meta: TraceMeta) -> CommonScale:
    poison = meta.policies.backpropagation.poison
    words = _range_words(_scores(meta)) if poison is None else f"sums poisoned with {poison:,g}"
    return CommonScale(True, 1.0, 0.0, f"{words}, as recorded")


def _not_comparable(reason: str) -> CommonScale:
    return CommonScale(False, 1.0, 0.0, f"not comparable: {reason}")


def _backup(meta: TraceMeta) -> BackpropagationPolicy | None:
    """How values are backed up, a solver apart; None where the recording does not say."""
    backup = meta.policies.backpropagation
    return backup.without_solver if backup.has_scores else None


def _peculiar(meta: TraceMeta) -> str:
    """Why mean values of this search cannot be compared with others; empty for most."""
    backup = _backup(meta)
    if backup is None:
        return ""
    if not backup.all_collect:
        return "values the nodes of one side only"
    if backup.poison is not None:
        return "sets some sums to a score far outside of its range"
    return ""


def _scores(meta: TraceMeta) -> _Scores:
    loss, draw, win = meta.scores
    return _Scores(loss, win, None if _backup(meta) is None else draw)


def _draw_share(scores: _Scores) -> float:
    """Where a draw lies between a loss, 0, and a win, 1."""
    if scores.draw is None:
        return 0.5
    return (scores.draw - scores.loss) / (scores.win - scores.loss)


def _range_words(scores: _Scores) -> str:
    return f"from {scores.loss:g} to {scores.win:g}"
