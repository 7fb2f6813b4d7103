"""In whose view the value of a node is."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_viz.trace.players import CHANCE, EVERYBODY, UNKNOWN, movers_into, root_mover


def expected(node: int, parent: list[int], to_move: list[int], n_players: int) -> int:
    """Worked out step by step."""
    above = parent[node]
    while above >= 0 and to_move[above] == CHANCE:
        above = parent[above]
    mover = to_move[above] if above >= 0 else root_mover(to_move[0], n_players)
    return 0 if mover == EVERYBODY else mover


@given(
    st.lists(
        st.tuples(
            st.integers(0, 1_000), st.sampled_from([0, 1, UNKNOWN, *[CHANCE] * 12, EVERYBODY])
        )
    ),
    st.sampled_from([0, 1, CHANCE]),
    st.integers(2, 3),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_who_moved_before_chance(
    made: list[tuple[int, int]], root: int, n_players: int, is_chain: bool
) -> None:
    parent = [-1, *(n if is_chain else above % (n + 1) for n, (above, _) in enumerate(made))]
    to_move = [root, *(player for _, player in made)]
    room = [10**6] * 3  # behind the nodes
    found = movers_into(
        np.arange(len(parent), dtype=np.int32),
        np.array(parent + room, np.int32),
        np.array(to_move + [CHANCE] * 3, np.int8),
        n_players,
    )
    assert found.tolist() == [expected(n, parent, to_move, n_players) for n in range(len(parent))]


def test_a_long_chain_of_events_takes_few_passes() -> None:
    n = 100_000
    parent = np.arange(-1, n - 1, dtype=np.int32)
    to_move = np.full(n, CHANCE, np.int8)
    to_move[0] = 0
    found = movers_into(np.arange(n, dtype=np.int32), parent, to_move, 2)
    assert found.tolist() == [1, *[0] * (n - 1)]
