"""Lines of marks that lose, where the boards are those of a game that a line wins, and nobody told its outcomes: values
have the wrong sign, or another game is played."""

from __future__ import annotations

from collections.abc import Iterator

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding


def check_lost_lines(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where visits of all nodes with a line bring a loss to who has it."""
    told = search.told_game
    if told is None or told.lost is None:
        return
    node, low = told.lost.node, search.value_range[0]
    first = int(node[0])
    yield found(
        "value-wrong-view", int(search.born[first]), first,
        f"the boards are those of {told.rules.game.title}, and whoever completes a line gets {low:g}, the value of a "
        f"loss: so it is with all {told.lost.visits:,} visits of {len(node):,} nodes, as the move into node {first:,}. "
        "Each node seems to get the result in the view of the player who is to move there, in place of the player who "
        "moved into it, for whom the parent chooses: turn the sign, or tell value_view=. Right where a line loses; "
        "tell outcome= then",
        times=told.lost.visits, nodes=len(node),
    ).as_warning()  # fmt: skip
