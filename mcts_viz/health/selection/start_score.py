"""A search for the best child that begins with a score which some children never reach, and with a child: where none
reaches it, this child is taken, the best one or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.loops import LoopMistake, LoopReading, first_reading
from mcts_viz.types import Bools, Floats

MOST_DRAWN = 0.7  # share of choices that any child explains
HALF = 0.5  # of the choices of a draw, that take the best child
SOME = 0.01  # of the choices, that tell a start from above
CHECK = "selection-ignored-child"


def below_the_start(search: CheckedSearch, rows: ComparedChildren) -> LoopMistake | None:
    """Choices of the best child where a score is above the start, and of the first, the last, or any, where none is."""
    names = search.meta.player_names

    def readings(of: ComparedChildren, score: Floats) -> Iterator[LoopReading]:
        yield from _from_zero(of, score)
        yield from _from_a_number(of, score)
        if not search.alone:
            for player, name in enumerate(names[:2]):
                yield from _of_one_side(of, score, player, name)

    return first_reading(search, rows, readings) or first_reading(search, rows, _from_a_draw)


def _best(rows: ComparedChildren, score: Floats) -> tuple[Floats, Bools]:
    """[C] the highest score, and whether a child with it was taken."""
    most, taken = np.maximum.reduceat(score, rows.first), score[rows.chosen]
    slack = 1e-9 * (1 + np.abs(np.where(np.isfinite(most), most, 0.0)))
    return most, taken >= most - slack  # of children without visits several may come first


def _defaults(rows: ComparedChildren) -> tuple[tuple[Bools, str], ...]:
    """[C] whether the child is taken that a loop begins with, or ends with."""
    place = rows.place[rows.chosen]
    return (place == 0, "first"), (place == np.bincount(rows.of) - 1, "last")


def _from_zero(rows: ComparedChildren, score: Floats) -> Iterator[LoopReading]:
    most, best = _best(rows, score)
    none = most <= 0
    for is_default, which in _defaults(rows):
        words = (
            f"the best child is taken where its score is above 0, and the {which} one where no score is, "
            f"{int(none.sum()):,} times: so it is where the search for the best begins with 0, not with −∞"
        )
        yield LoopReading(CHECK, words, np.where(none, is_default, best), none & ~best, 0.0)


def _from_a_draw(rows: ComparedChildren, score: Floats) -> Iterator[LoopReading]:
    most, best = _best(rows, score)
    none = most <= 0
    if 0 < none.mean() <= MOST_DRAWN and best[none].mean() <= HALF:
        words = (
            "the best child is taken where its score is above 0, and any of them where no score is, "
            f"{int(none.sum()):,} times, as in a draw: so it is where the search for the best begins with 0, not with "
            "−∞, and with a random child"
        )
        yield LoopReading(CHECK, words, none | best, none & ~best, 0.0)


def _from_a_number(
    rows: ComparedChildren, score: Floats, use: Bools | None = None, where: str = ""
) -> Iterator[LoopReading]:
    """The same with a start that the choices tell: all that take another child than the best have no score above it,
    and all others with no score above it take the same child, too. use: [C] the choices that begin so."""
    most, best = _best(rows, score)
    use = np.ones(len(best), np.bool_) if use is None else use
    passed = use & ~best
    if not passed.any() or not np.isfinite(most[passed]).all():
        return
    for is_default, which in _defaults(rows):
        if not is_default[passed].all():
            continue
        low = float(most[passed].max())
        none = use & (most <= low)
        above = use & best & ~is_default  # these have a score above the start
        if above.sum() < SOME * use.sum() or (above & none).any():
            continue
        start = _between(low, float(most[above].min()))
        words = (
            f"{where}the best child is taken where its score is above {start}, and the {which} one where no score is, "
            f"{int(none.sum()):,} times: so it is where the search for the best begins with {start}, not with −∞"
        )
        yield LoopReading(CHECK, words, np.where(none, is_default, best), none & ~best, 0.0)


def _of_one_side(
    rows: ComparedChildren, score: Floats, player: int, name: str
) -> Iterator[LoopReading]:
    """Where one player looks for the least, and begins with a number that it hardly falls below."""
    use = rows.chooser[rows.chosen] == player
    where = f"where {name} is to choose (scores in the view of {name}), "
    yield from _from_a_number(rows, score, use, where)


def _between(low: float, high: float) -> str:
    """The shortest number from low up to, and without, high: 0 where it is one."""
    if low <= 0 < high:
        return "0"
    for digits in range(1, 7):
        for number in (low, (low + high) / 2, high):
            short = float(f"{number:.{digits}g}")
            if low <= short < high:
                return f"{short:g}"
    return f"about {low:.6g}"
