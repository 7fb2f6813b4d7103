"""All stored questions, by name."""

from __future__ import annotations

from mcts_viz.fleets.questions.batches import BATCHES
from mcts_viz.fleets.questions.budgets import BUDGETS
from mcts_viz.fleets.questions.priors import PRIORS
from mcts_viz.fleets.questions.question import Question
from mcts_viz.fleets.questions.values import VALUES
from mcts_viz.health.finding import Check

QUESTIONS: dict[str, Question] = {
    each.name: each for each in (*PRIORS, *VALUES, *BATCHES, *BUDGETS)
}
FLEET_CHECKS: dict[str, Check] = {
    name: check for each in QUESTIONS.values() for name, check in each.checks.items()
}
