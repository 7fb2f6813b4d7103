"""Whether boards fill up move by move, as far as their texts show: a rollout that is played on a node's own board,
before a recorder sees the node, fills it at once, and the moves below it have no room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import boards_of

FEW_FIELDS = 4
FEW_EMPTY, FEW_BOARD = 5, 9  # empty fields of the root, and all
MOST_KINDS = 8  # of what may stand on a field
FEW_MOVES = 3  # of the root
FEW_BELOW = 20  # moves below these
MOST_TEXTS = 1_000
AT_ONCE = 3  # fields, at least, that each move of the root fills
SLOWER = 0.25  # of that, on average, below
# the fullest move fills so many times what the emptiest one does: what sets pieces by the rules sets as many each time
UNEVEN = 1.5


def check_boards(search: CheckedSearch) -> Iterator[Finding]:
    """A note where each move of the root fills several fields, and the moves below hardly any."""
    states = search.trace.columns.nodes.state
    if states is None or search.rules is not None:
        return
    nodes = sample(range(1, search.N), MOST_TEXTS)
    boards = boards_of(states[0], (states[node] for node in nodes))
    root, fields = Counter(boards.root), len(boards.root)
    words = [word for word, n in root.items() if n >= FEW_EMPTY and fields >= FEW_BOARD]
    kinds = set(root)
    fall: dict[str, tuple[list[int], list[int]]] = {word: ([], []) for word in words}
    for node in nodes:
        above = int(search.parent[node])
        own, before = (boards.fields(states[each]) for each in (node, above))
        if own is None or before is None:
            continue
        kinds.update(own)
        for word in words:
            fall[word][above > 0].append(before.count(word) - own.count(word))
    if len(kinds) > MOST_KINDS:
        return  # counts and the like
    for first, below in fall.values():
        enough = len(first) >= FEW_MOVES and len(below) >= FEW_BELOW
        if not enough or min(first) < AT_ONCE or np.mean(below) > SLOWER * np.mean(first):
            continue
        node = int(np.flatnonzero(search.parent == 0)[0])
        filled = f"{min(first)}" if min(first) == max(first) else f"{min(first)} to {max(first)}"
        fewer = max(0.0, float(np.mean(below)))
        finding = found(
            "expansion-state-changes", int(search.born[node]), node,
            f"each move of the root fills {filled} of its {fields} fields at once, and the moves below {fewer:.2g} "
            "on average: more was played on the positions of nodes than the move that leads there, before they "
            "were first seen. So it is where rollouts are played on the node's own board, and no copy is made. "
            "Right where the first move sets many pieces",
            first=float(np.mean(first)), below=fewer,
        )  # fmt: skip
        # a move that sets many pieces by the rules sets as many wherever it is made
        yield finding.as_warning() if max(first) >= UNEVEN * min(first) else finding.as_note()
        return
