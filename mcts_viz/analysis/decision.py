"""The move that would be played now: the final-move rule applied to a snapshot's root."""

from __future__ import annotations

from dataclasses import dataclass

from mcts_viz.trace.snapshot import Snapshot

RULE_WORDS = {"most_visits": "most visits"}


@dataclass(frozen=True)
class Decision:
    """The chosen root child, the runner-up by the same rule, and what is between them."""

    rule: str
    chosen: int  # node id
    chosen_label: str
    chosen_visits: int
    chosen_mean: float  # view of the player to move at the root
    runner_up: int | None  # node id; None when no other child was visited
    runner_up_label: str | None
    runner_up_visits: int | None
    margin: int | None  # visits of the chosen minus those of the runner-up
    iterations: int  # visits of the root


def decision(snapshot: Snapshot) -> Decision | None:
    """None while no root child was visited."""
    ranked = snapshot.ranked_children(0)
    if not ranked:
        return None
    chosen, runner_up = ranked[0], ranked[1] if len(ranked) > 1 else None
    visits = snapshot.visits
    return Decision(
        rule=snapshot.final_move,
        chosen=chosen,
        chosen_label=snapshot.label(chosen),
        chosen_visits=int(visits[chosen]),
        chosen_mean=float(snapshot.mean_value[chosen]),
        runner_up=runner_up,
        runner_up_label=None if runner_up is None else snapshot.label(runner_up),
        runner_up_visits=None if runner_up is None else int(visits[runner_up]),
        margin=None if runner_up is None else int(visits[chosen]) - int(visits[runner_up]),
        iterations=int(visits[0]),
    )
