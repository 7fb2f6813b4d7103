"""Evaluators by name."""

from typing import Any


def default_evaluator(game: Any) -> str:
    return "uniform"


def uniform(state: Any, actions: Any, n: int, priors: Any) -> float:
    for k in range(n):
        priors[k] = 1.0 / n
    return 0.0


def evaluator(name: str, game: Any) -> Any:
    return uniform


EVALUATORS: dict[str, Any] = {"uniform": uniform}
