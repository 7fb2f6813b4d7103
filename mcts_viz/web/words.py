"""Numbers as the page writes them."""

from __future__ import annotations

import re

from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.words import HUGE, signed
from mcts_viz.trace.words import plural as plural

NOTHING = "–"
MINUS = re.compile(r"(?<![\w.-])-(?=[\d,]+\.\d)")  # before a number, and not within a name


def count(n: int | None) -> str:
    """Thousands apart."""
    return NOTHING if n is None else f"{n:,}"


def number(value: float | None, digits: int = 4) -> str:
    """A statistic; a dash where there is none."""
    if value is None:
        return NOTHING
    return signed(f"{value:.{digits}f}" if abs(value) < HUGE else f"{value:.{digits}e}")


def prose(text: str) -> str:
    """A sentence of the API with that sign before its numbers."""
    return MINUS.sub("−", text)


def sentence(text: str) -> str:
    """A message that stands by itself: with a capital letter, and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def small(difference: float | None) -> str:
    """A margin: four decimals, or two significant digits where those would all be zero."""
    if difference is None:
        return NOTHING
    has_digits = difference == 0 or abs(difference) >= 0.001
    return signed(f"{difference:.4f}" if has_digits else f"{difference:.2g}")


def sum_of(value: float) -> str:
    """A sum of values without needless zeros."""
    if abs(value) >= HUGE:
        return number(value)
    return signed(f"{value:,.4f}".rstrip("0").rstrip("."))


def percent(share: float | None) -> str:
    """A share of one."""
    return NOTHING if share is None else f"{100 * share:.1f} %"


def size(n_bytes: int) -> str:
    """`900 bytes`, `24 kB`, `1.3 MB`."""
    if n_bytes < 1_000:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1e3:.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"


def kept_words(meta: TraceMeta) -> str | None:
    """Where the tree before the first iteration comes from; None where there is only the root."""
    if meta.resumed is not None:
        return f"kept from iteration {meta.resumed.iteration:,} of the search it goes on with"
    began_with_more = meta.inherited is not None and meta.inherited.nodes > 1
    return "kept from the move before" if began_with_more else None


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `2 min 5 s`, `1 h 3 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600:,} h {whole % 3_600 // 60} min"
