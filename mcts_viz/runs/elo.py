"""What the results of a series say of two engines: the difference in Elo with its interval, and the sequential test
that ends a series as soon as it is decided.

Results count in pairs of games, from the same opening with sides changed: pairs vary less than games. Formulas: Michel
Van den Bergh, "Comments on Normalized Elo" (https://www.cantate.be/Fishtest/normalized_elo_practical.pdf), whose
generalised likelihood ratio fastchess and Fishtest use; the tests compare with fastchess's numbers.
Knows numbers alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.errors import SearchError
from mcts_viz.types import Floats

SURE = 1.959964  # standard deviations on either side of an interval of 95 %
ELO_SCALE = 800.0 / math.log(10.0)  # normalised Elo of one standard deviation of a game
UNSEEN = 1e-3  # times that a result counts which has not come up
MODELS = ("normalized", "logistic")
MOST_ELO = 200.0  # that a test takes: beyond, the likeliest distribution is not found
STEPS = 100  # of a bisection
CLOSE = 1e-9  # largest change of a probability where iteration ends


class EloDifference(NamedTuple):
    """Of an engine over the other one; infinite where one has every point."""

    elo: float
    low: float  # the interval has the true difference 95 times of 100
    high: float


class SequentialTest(NamedTuple):
    """SPRT: is the first engine better by `elo1` rather than by `elo0`?"""

    elo0: float
    elo1: float
    alpha: float = 0.05  # share of series without a gain that are taken for one
    beta: float = 0.05  # share of series with a gain that are missed
    model: str = MODELS[0]  # of elo0 and elo1: in standard deviations, or by the expected score

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which the test ends: no gain, a gain."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, counts: Sequence[float]) -> float:
        """The log-likelihood ratio of results: losses, draws and wins; or, of pairs of games, those with 0, ½, 1, 1½
        and 2 points."""
        found = np.array([each or UNSEEN for each in counts], np.float64)
        shares, scores = found / found.sum(), np.linspace(0.0, 1.0, len(found))
        likeliest = [self._likeliest(shares, scores, elo) for elo in (self.elo0, self.elo1)]
        return float(found.sum() * np.sum(shares * np.log(likeliest[1] / likeliest[0])))

    def decided(self, counts: Sequence[float]) -> bool | None:
        """Whether there is a gain; None while that is open."""
        low, high = self.bounds
        ratio = self.ratio(counts)
        return None if low < ratio < high else ratio >= high

    def _likeliest(self, shares: Floats, scores: Floats, elo: float) -> Floats:
        """The distribution of results that is likeliest where the difference is `elo`."""
        if self.model == "logistic":
            return _tilted(shares, scores - _score(elo))
        games = 2 if len(scores) == 5 else 1
        t = math.sqrt(games) * elo / ELO_SCALE
        found = np.full(len(scores), 1.0 / len(scores))
        for _ in range(STEPS):
            mean = float(found @ scores)
            deviation = math.sqrt(float(found @ (scores - mean) ** 2))
            phi = scores - 0.5 - 0.5 * t * deviation * (1 + ((scores - mean) / deviation) ** 2)
            before, found = found, _tilted(shares, phi)
            if np.abs(found - before).max() < CLOSE:
                break
        return found


def sequential_test(words: Sequence[str]) -> SequentialTest:
    """The test that is written as `elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized`; raises SearchError."""
    told = dict(word.partition("=")[::2] for word in " ".join(words).split())
    example = "elo0=0 elo1=10 alpha=0.05 beta=0.05"
    model = told.pop("model", MODELS[0])
    try:
        numbers = {name: float(text) for name, text in told.items()}
        test = SequentialTest(**numbers, model=model)
    except (TypeError, ValueError) as err:
        raise SearchError(f"--sprt {' '.join(words)}: write it as {example}") from err
    wrong = {
        f"model={model} is none of {', '.join(MODELS)}": model not in MODELS,
        f"elo0 is less than elo1, and both are within ±{MOST_ELO:g}": not (
            -MOST_ELO <= test.elo0 < test.elo1 <= MOST_ELO
        ),
        "alpha and beta are above 0, and less than 1 together": not (
            min(test.alpha, test.beta) > 0 and test.alpha + test.beta < 1
        ),
    }
    for problem, is_so in wrong.items():
        if is_so:
            raise SearchError(f"--sprt {' '.join(words)}: {problem}; write it as {example}")
    return test


def elo_difference(counts: Sequence[float]) -> EloDifference:
    """From losses, draws and wins, or from pairs of games by their points, as `SequentialTest.ratio` takes them. Where
    all results are alike they say nothing of how much results vary: the interval is then that of wins and losses."""
    found, scores = np.array(counts, np.float64), np.linspace(0.0, 1.0, len(counts))
    n = float(found.sum())
    if n == 0:
        return EloDifference(0.0, -math.inf, math.inf)
    mean = float(found @ scores) / n
    if np.count_nonzero(found) == 1:
        low, high = wilson_interval(mean, n)
    else:
        half = SURE * math.sqrt(float(found @ (scores - mean) ** 2) / n / n)
        low, high = mean - half, mean + half
    return EloDifference(_elo(mean), _elo(low), _elo(high))


def wilson_interval(share: float, n: float) -> tuple[float, float]:
    """That has the true share 95 times of 100, where `share` of n came up (Wilson's score interval); n: above 0."""
    middle = (share + SURE**2 / (2 * n)) / (1 + SURE**2 / n)
    spread = math.sqrt(share * (1 - share) / n + SURE**2 / (4 * n**2))
    half = SURE * spread / (1 + SURE**2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _score(elo: float) -> float:
    """The share of points to be expected."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def _elo(score: float) -> float:
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return 400.0 * math.log10(score / (1.0 - score))


def _tilted(shares: Floats, phi: Floats) -> Floats:
    """The likeliest distribution under which the mean of `phi` is 0: shares / (1 + θ phi)."""
    low, high = -1.0 / float(phi.max()), -1.0 / float(phi.min())
    for _ in range(STEPS):
        theta = (low + high) / 2.0
        if float(np.sum(shares * phi / (1.0 + theta * phi))) > 0:
            low = theta
        else:
            high = theta
    return np.asarray(shares / (1.0 + (low + high) / 2.0 * phi))
