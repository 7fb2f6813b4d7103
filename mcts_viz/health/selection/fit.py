"""Which rule explains the choices of a search, and with which exploration weight c.

That one child was taken among siblings is a linear inequality in c for each sibling: a choice holds
for an interval of c. A rule explains all choices where all intervals meet. Choices among visited
children come first, for they need no guess about children without visits; then what those counted
as is found by the same inequalities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mcts_viz.health.checked_search import CheckedSearch, ComparedChildren
from mcts_viz.health.selection.proven_children import any_may_be_taken, left_alone
from mcts_viz.health.selection.scores import PerChild, Rule, Urgency, parent_mean, visited_prior
from mcts_viz.trace.snapshot import proven_scores
from mcts_viz.types import Bools, Floats, Ints

GREEDY_BELOW = 1e-3  # c
NEARLY_ALL = 0.98  # of the choices
PRIOR_ROUNDING = 1.2e-7  # of single precision


Numbers = dict[PerChild, Floats]  # [R] of each function of the children compared


class Fit(NamedTuple):
    """How well a rule explains C choices."""

    rule: Rule
    low: float  # c that explain all, or as many as possible
    high: float
    n: int  # choices it explains
    of: int  # C

    @property
    def whole(self) -> bool:
        """Whether some c explains them all."""
        return self.n == self.of and self.low <= self.high

    @property
    def share(self) -> float:
        """Of the choices, in [0, 1]."""
        return self.n / self.of if self.of else 1.0

    @property
    def c(self) -> float:
        """One that explains as many as possible."""
        return 1.0 + self.low if np.isinf(self.high) else (self.low + self.high) / 2

    def includes(self, c: float, part: float = 1e-6) -> bool:
        """Whether c is among those found; part: by which share of itself it may be off."""
        slack = part * max(abs(c), min(1.0, 1e-6 / part))
        return self.low - slack <= c <= self.high + slack


class Bounds(NamedTuple):
    """The c that explain each of C choices; low > high where none does."""

    low: Floats
    high: Floats


def fit(search: CheckedSearch, rows: ComparedChildren, rule: Rule) -> Fit:
    """Of a rule on the choices."""
    bounds = bounds_of(search, rows, rule)
    low, high, n = most_overlap(bounds)
    return Fit(rule, low, high, n, len(bounds.low))


def most_overlap(bounds: Bounds) -> tuple[float, float, int]:
    """(low, high, how many): the first range of numbers that lie in as many intervals as any."""
    low, high = bounds
    if not len(low):
        return 0.0, np.inf, 0
    if np.max(low) <= np.min(high):
        return float(np.max(low)), float(np.min(high)), len(low)
    real = low <= high
    begins, ends = np.sort(low[real]), np.sort(high[real])
    if not len(begins):
        return 0.0, 0.0, 0
    inside = np.arange(1, len(begins) + 1) - np.searchsorted(ends, begins, side="left")
    best = int(inside.argmax())
    at = float(begins[best])
    return at, float(ends[np.searchsorted(ends, at, side="left")]), int(inside[best])


def bounds_of(search: CheckedSearch, rows: ComparedChildren, rule: Rule) -> Bounds:
    """The c from 0 up for which each choice takes the best child."""
    value, width = scores(search, rows, rule)
    unknown = unvisited(rows)
    compared = np.ones(len(rows.of), np.bool_) if rule.compares is None else rule.compares(rows)
    n = len(rows.chosen)
    fits = compared[rows.chosen]
    compared = compared & ~left_alone(search, rows)
    if rule.urgency.of is None:
        waiting = unknown if rule.urgency.comes > 0 else ~unknown
        any_first = np.bincount(rows.of[waiting & compared], minlength=n) > 0
        fits &= ~any_first | waiting[rows.chosen]
        compared = compared & ~any_first[rows.of]
        if rule.urgency.comes < 0:
            compared |= any_first[rows.of] & waiting
    bounds = _bounds(search, rows, value, width, compared, _rounding(rows, rule))
    low, high = np.where(fits, bounds.low, np.inf), np.where(fits, bounds.high, -np.inf)
    return _beside_proofs(search, rows, Bounds(low, high))


def among_visited(
    search: CheckedSearch, rows: ComparedChildren, rule: Rule, known: Numbers | None = None
) -> Bounds:
    """The same, looking at children with visits alone; any c where the child taken has none. known: see `scores`."""
    value, width = scores(search, rows, rule, known)
    visited = ~unvisited(rows)
    compared = visited if rule.compares is None else visited & rule.compares(rows)
    compared = compared & visited[rows.chosen][rows.of] & ~left_alone(search, rows)
    bounds = _bounds(search, rows, value, width, compared, _rounding(rows, rule))
    return _beside_proofs(search, rows, bounds)


def _beside_proofs(search: CheckedSearch, rows: ComparedChildren, bounds: Bounds) -> Bounds:
    """The same, with any c where proofs decide."""
    any_ = any_may_be_taken(search, rows)
    return Bounds(np.where(any_, 0.0, bounds.low), np.where(any_, np.inf, bounds.high))


def scores(
    search: CheckedSearch, rows: ComparedChildren, rule: Rule, known: Numbers | None = None
) -> tuple[Floats, Floats]:
    """[R] (value, width) of every child compared. known: values and widths of these rows that were worked out before,
    and are to be remembered, as rules share them."""
    value, width = (_numbers(of, rows, known) for of in (rule.value, rule.width.of))
    unknown = unvisited(rows)
    if rule.urgency.of is not None:
        value = np.where(unknown, rule.urgency.of(rows), value)
        if not rule.width.at_zero:
            width = np.where(unknown, 0.0, width)
    if rule.ends_alone:
        width[search.ended[rows.node] & (rows.visits > 0)] = 0.0
    told = ~np.isnan(rows.proven)
    if told.any():
        proven = rows.proven[told].astype(np.float32)
        value[told] = proven_scores(search.meta, proven, rows.chooser[told].astype(np.int8))
        width[told] = 0.0
    return value, width


def _numbers(of: PerChild, rows: ComparedChildren, known: Numbers | None) -> Floats:
    """[R] An array of the caller's own."""
    if known is None:
        return np.array(of(rows), np.float64)
    if of not in known:
        known[of] = np.array(of(rows), np.float64)
    return known[of].copy()


def has_ends(search: CheckedSearch, rows: ComparedChildren) -> bool:
    """Whether a finished game with visits is among the children compared."""
    return bool((search.ended[rows.node] & (rows.visits > 0)).any())


def lost_by_choice(search: CheckedSearch, rows: ComparedChildren, rule: Rule, c: float) -> Floats:
    """[C] by how much the score of the child taken is below the best one's."""
    value, width = scores(search, rows, rule)
    score = value + c * width
    return np.asarray(np.maximum.reduceat(score, rows.first) - score[rows.chosen], np.float64)


def unvisited(rows: ComparedChildren) -> Bools:
    """[R] children without visits that are not proven."""
    return np.asarray((rows.visits == 0) & np.isnan(rows.proven))


def _rounding(rows: ComparedChildren, rule: Rule) -> float:
    """Relative, of exploration terms: priors are recorded with fewer digits than the search has."""
    return PRIOR_ROUNDING if rule.width.needs_priors and not np.isnan(rows.prior).all() else 1e-13


def _bounds(
    search: CheckedSearch, rows: ComparedChildren, value: Floats, width: Floats, compared: Bools,
    rounding: float,
) -> Bounds:  # fmt: skip
    chosen, of = rows.chosen, rows.of
    gain = value[chosen][of] - value  # of the child taken
    more = width[chosen][of] - width
    slack = search.tolerance + 1e-12 * (np.abs(value) + np.abs(value[chosen][of]))
    digits = rounding * (np.abs(width) + np.abs(width[chosen][of]))
    flat = np.abs(more) <= digits + 1e-300
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = -gain / more
        room = np.abs(slack / more) + (1e-9 + digits / np.abs(more)) * np.abs(bound)
        low = np.where(compared & ~flat & (more > 0), bound - room, 0.0)
        high = np.where(compared & ~flat & (more < 0), bound + room, np.inf)
    lost = compared & flat & (gain < -slack)
    lows = np.maximum(np.maximum.reduceat(low, rows.first), 0.0)
    highs = np.minimum.reduceat(high, rows.first)
    fits = np.bincount(of[lost], minlength=len(chosen)) == 0
    return Bounds(np.where(fits, lows, np.inf), np.where(fits, highs, -np.inf))


# what children without visits count as, where no usual number explains it


class Reduced(NamedTuple):
    """value = base − reduction × scale, with an unknown reduction."""

    words: Callable[[float, float], str]
    base: Callable[[ComparedChildren], Floats]
    scale: Callable[[ComparedChildren], Floats]


def _ones(rows: ComparedChildren) -> Floats:
    return np.ones(len(rows.of))


def _number(low: float, high: float) -> str:
    """A number from a range, as short as it may be."""
    for digits in range(1, 7):
        short = float(f"{(low + high) / 2:.{digits}g}")
        if low <= short <= high:
            return f"{short:g}"
    return f"{(low + high) / 2:.6g}"


REDUCED = (
    Reduced(
        lambda low, high: f"children without visits count as {_number(-high, -low)}",
        lambda rows: np.zeros(len(rows.of)),
        _ones,
    ),
    Reduced(
        lambda low, high: (
            f"children without visits count as their parent less {_number(low, high)}"
        ),
        parent_mean,
        _ones,
    ),
    Reduced(
        lambda low, high: (
            "children without visits count as their parent less "
            f"{_number(low, high)}·√(priors of the visited ones)"
        ),
        parent_mean,
        lambda rows: np.sqrt(visited_prior(rows)),
    ),
)


def roughly_reduced(
    search: CheckedSearch, rows: ComparedChildren, rule: Rule, c: Floats
) -> str | None:
    """The same in words, where c [R] is known roughly: the reduction of the parent that explains nearly all choices."""
    for form in REDUCED[1:]:
        low, high, n = most_overlap(bounds := _reduction(search, rows, rule, form, c))
        if n >= NEARLY_ALL * len(bounds.low) and 0 < low <= high < np.inf:
            return form.words(low, high)
    return None


def reduced_urgencies(
    search: CheckedSearch, rows: ComparedChildren, rule: Rule, c: float
) -> Iterable[Urgency]:
    """What children without visits may count as, given c: with the reduction that explains most."""
    for form in REDUCED:
        bounds = _reduction(search, rows, rule, form, c)
        low, high, n = most_overlap(bounds)
        if n < len(bounds.low) or not np.isfinite(low) or low > high:
            continue
        if np.isinf(high):
            high = low + 1.0
        least, _ = search.value_range
        if form is REDUCED[0] and not rule.width.at_zero and -high <= least:
            continue  # perhaps the least value there is, and so never visited while another one lives
        yield _as_urgency(form, low, high)


def _as_urgency(form: Reduced, low: float, high: float) -> Urgency:
    middle = (low + high) / 2
    return Urgency(form.words(low, high), lambda rows: form.base(rows) - middle * form.scale(rows))


def _reduction(
    search: CheckedSearch, rows: ComparedChildren, rule: Rule, form: Reduced, c: float | Floats
) -> Bounds:
    """The reductions for which each choice with both kinds of children takes the best one."""
    value, width = scores(search, rows, rule)
    unknown = unvisited(rows)
    if not rule.width.at_zero:
        width = np.where(unknown, 0.0, width)
    score = np.where(unknown, form.base(rows), value) + c * width
    slope = np.where(unknown, form.scale(rows), 0.0)  # score − reduction × slope
    chosen, of = rows.chosen, rows.of
    gain = score[chosen][of] - score
    more = slope[chosen][of] - slope  # gain − reduction × more ≥ 0
    slack = 10 * search.tolerance + 1e-6 * (1.0 + np.abs(c * width))
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = gain / more
        room = np.abs(slack / more)
        high = np.where(more > 1e-12, bound + room, np.inf)
        low = np.where(more < -1e-12, bound - room, -np.inf)
    n_unvisited = np.bincount(of[unknown], minlength=len(chosen))
    both = (n_unvisited > 0) & (n_unvisited < np.bincount(of, minlength=len(chosen)))
    lows = np.maximum.reduceat(low, rows.first)[both]
    highs = np.minimum.reduceat(high, rows.first)[both]
    return Bounds(lows, highs)


# an exploration weight that grows with the parent's visits


class Growing(NamedTuple):
    """c(N) = init + slope · ln((N + base + 1) / base), AlphaZero's (Silver et al. 2018, pseudocode) with a
    slope of 1, Minigo's with one of 2, lc0's and KataGo's with others."""

    base: float
    slope: float
    low: float  # init
    high: float

    @property
    def words(self) -> str:
        if self.slope == 0:
            return "c is the same at all nodes"
        factor = "" if self.slope == 1 else f"{self.slope:.3g}·"
        return (
            "c grows with the parent's visits N as init + "
            f"{factor}ln((N + {_short(self.base + 1)}) / {_short(self.base)})"
        )

    def at(self, N: Ints) -> Floats:
        """c for each number of visits, with an init in the middle."""
        init = self.low if np.isinf(self.high) else (self.low + self.high) / 2
        return np.asarray(init + self.slope * np.log((N + self.base + 1) / self.base))


def _short(base: float) -> str:
    return f"{base:g}" if base == round(base) else f"{base:.4g}"


PUBLISHED = 19_652.0
# [G, 2] base and slope of each growth that is tried
BASES = np.array([
    (PUBLISHED, 1.0), (PUBLISHED, 2.0),
    *((base, 1.0) for base in np.unique(np.round(np.logspace(0, 5.5, 400))).tolist()),
])  # fmt: skip
# [G − 2] between each base and the next: how far ln((N + base + 1) / base) differs there at most, by its derivative
_STEPS = np.diff(np.log(BASES[2:, 0]))
GAPS = np.maximum(np.append(_STEPS, 0.0), np.append(0.0, _STEPS))
FEW_N = 12  # visits of parents, for the first look
MOST_SLOPE = 10.0  # lc0 has 3.9, KataGo 0.45
SLOPE_STEPS = 30  # of a search by thirds
BASE_STEPS, BASES_A_STEP = 4, 40


def growing(parent_visits: Ints, bounds: Bounds, any_slope: bool = False) -> Growing | None:
    """The first growth for which some `init` explains all choices; None where there is none. any_slope: not only
    the published ones."""
    visits, of = np.unique(np.maximum(parent_visits, 0), return_inverse=True)
    N = visits.astype(np.float64)
    lows, highs = np.full(len(N), -np.inf), np.full(len(N), np.inf)  # by N
    np.maximum.at(lows, of, bounds.low)
    np.minimum.at(highs, of, bounds.high)
    if np.any(lows > highs):
        return None
    tightest = np.argsort(highs - lows)[:FEW_N]
    few = N[tightest], lows[tightest], highs[tightest]
    low, high = _init(BASES, *few)
    found = _first_fitting(BASES[low <= high], N, lows, highs)
    if found is None and np.any((high - low)[2:] + 2 * GAPS >= 0):
        found = _first_fitting(_between_bases(N, lows, highs)[None], N, lows, highs)
    if found is not None or not any_slope:
        return found
    growths = _best_slopes(*few)
    low, high = _init(growths, *few)
    for growth in growths[low <= high]:
        found = _first_fitting(_best_slopes(N, lows, highs, growth[:1]), N, lows, highs)
        if found is not None:
            return found
    return None


def _first_fitting(growths: Floats, N: Floats, lows: Floats, highs: Floats) -> Growing | None:
    """The first of [G, 2] growths that has inits which fit at all N, with these; None without any."""
    least, most = _init(growths, N, lows, highs)
    for at in np.flatnonzero(least <= most)[:1]:
        base, slope = growths[at].tolist()
        return Growing(base, slope, float(least[at]), float(most[at]))
    return None


def _between_bases(N: Floats, lows: Floats, highs: Floats) -> Floats:
    """[2] the base, of any number, that leaves most room for `init`, and a slope of 1: many choices rule out all but
    one, which is seldom one of those tried."""
    low, high = _init(BASES, N, lows, highs)
    tried = BASES[2:, 0]
    best = int((high - low)[2:].argmax())
    left, right = np.log(tried[max(best - 1, 0)]), np.log(tried[min(best + 1, len(tried) - 1)])
    # a concave function, so that the best one lies beside the best of some
    for _ in range(BASE_STEPS):
        some = np.linspace(left, right, BASES_A_STEP)
        low, high = _init(np.stack([np.exp(some), np.ones(BASES_A_STEP)], axis=1), N, lows, highs)
        best = int((high - low).argmax())
        left, right = some[max(best - 1, 0)], some[min(best + 1, BASES_A_STEP - 1)]
    base = float(np.exp((left + right) / 2))
    whole = np.array([[round(base), 1.0], [base, 1.0]])
    low, high = _init(whole, N, lows, highs)
    return np.asarray(whole[0] if low[0] <= high[0] else whole[1])


def _best_slopes(N: Floats, lows: Floats, highs: Floats, bases: Floats = BASES[2:, 0]) -> Floats:
    """[G, 2] each base with the slope that leaves most room for `init`: a concave function of the slope."""
    left, right = np.zeros(len(bases)), np.full(len(bases), MOST_SLOPE)

    def room(slopes: Floats) -> Floats:
        low, high = _init(np.stack([bases, slopes], axis=1), N, lows, highs)
        return high - low

    for _ in range(SLOPE_STEPS):
        third = (right - left) / 3
        worse = room(left + third) < room(right - third)
        left = np.where(worse, left + third, left)
        right = np.where(worse, right, right - third)
    return np.stack([bases, (left + right) / 2], axis=1)


def _init(growths: Floats, N: Floats, lows: Floats, highs: Floats) -> tuple[Floats, Floats]:
    """(low, high) of `init`, for each of [G, 2] growths; low > high where none fits."""
    base, slope = growths[:, :1], growths[:, 1:]
    growth = slope * np.log((N + base + 1) / base)
    return np.max(lows - growth, axis=1), np.min(highs - growth, axis=1)


def without(rows: ComparedChildren, left_out: Bools) -> ComparedChildren:
    """The same choices with some of the children [R] left out, none of them one that was taken."""
    keep = ~left_out
    made = rows._asdict()
    for name, column in made.items():
        if name not in PER_CHOICE and name not in ("first", "chosen"):
            made[name] = column[keep]
    k = np.bincount(made["of"], minlength=len(rows.chosen))
    made["first"] = np.cumsum(k) - k
    made["chosen"] = (np.cumsum(keep) - 1)[rows.chosen]
    return ComparedChildren(**made)


def spread(rows: ComparedChildren, at_most: int) -> ComparedChildren:
    """Some of the choices, evenly spread."""
    n = len(rows.chosen)
    if n <= at_most:
        return rows
    use = np.zeros(n, np.bool_)
    use[np.linspace(0, n - 1, at_most).astype(np.int64)] = True
    return only(rows, use)


def only(rows: ComparedChildren, use: Bools) -> ComparedChildren:
    """Some of the choices [C]."""
    kept_rows = use[rows.of]
    number = np.cumsum(use) - 1
    k = np.bincount(rows.of, minlength=len(use))[use]
    place = np.cumsum(kept_rows) - 1
    made = rows._asdict()
    for name, column in made.items():
        if name in ("first", "of", "chosen"):
            continue
        made[name] = (
            column[use] if len(column) == len(use) and name in PER_CHOICE else column[kept_rows]
        )
    made["of"] = number[rows.of[kept_rows]]
    made["first"] = np.cumsum(k) - k
    made["chosen"] = place[rows.chosen[use]]
    return ComparedChildren(**made)


def up_to_chosen(rows: ComparedChildren) -> ComparedChildren:
    """The same choices, each among the child taken and its older siblings."""
    kept = np.arange(len(rows.of)) <= rows.chosen[rows.of]
    place = np.cumsum(kept) - 1
    made = rows._asdict()
    for name, column in made.items():
        if name not in PER_CHOICE:
            made[name] = place[column] if name in ("first", "chosen") else column[kept]
    return ComparedChildren(**made)


PER_CHOICE = (
    "iteration", "parent", "depth", "parent_visits", "root_visits", "grandparent_visits", "parent_mean",
    "extremes", "repeats",
)  # fmt: skip


def joined(search: CheckedSearch, parts: Sequence[ComparedChildren]) -> ComparedChildren:
    """Several batches as one."""
    made: dict[str, list[Any]] = {name: [] for name in ComparedChildren._fields}
    choices = rows = 0
    for part in parts:
        for name, column in part._asdict().items():
            shift = {"of": choices, "first": rows, "chosen": rows}.get(name, 0)
            made[name].append(column + shift if shift else column)
        choices += len(part.first)
        rows += len(part.of)
    del made["extremes"]
    whole: dict[str, Any] = {name: np.concatenate(columns) for name, columns in made.items()}
    return ComparedChildren(extremes=search.extremes_before(whole["iteration"]), **whole)


def decided(search: CheckedSearch, rows: ComparedChildren, found: Fit) -> float:
    """Share of choices in which the rule puts some child behind the one taken."""
    value, width = scores(search, rows, found.rule)
    score: Floats = value + found.c * width
    best = score[rows.chosen][rows.of]
    slack = search.tolerance + 1e-9 * np.abs(best)
    behind = score < best - slack
    if found.rule.urgency.comes > 0:
        behind &= rows.visits > 0
    elif found.rule.urgency.comes < 0:
        behind |= (rows.visits == 0) & (rows.visits[rows.chosen] > 0)[rows.of]
    return len(np.unique(rows.of[behind])) / max(len(rows.chosen), 1)
