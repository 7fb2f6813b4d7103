"""How many nodes can be read in a picture: each needs a circle that one can hit, and most of them a label.

Knows the room in pixels, not how it is drawn; `layout` gives the nodes their places.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts_viz.types import Ints
from mcts_viz.views.view_spec import ViewSpec

COLUMN = 20  # pixels from one leaf to the next
LEVEL = 44  # pixels from one level to the next
LEVELS = (4, 60)  # least and most
NODES = (1.7, 3.2)  # for a column: fewest and most, however many leaves they have


def readable(
    parent: npt.NDArray[np.int32], visits: npt.NDArray[np.int32], likely: Ints, spec: ViewSpec
) -> Ints:
    """As many of the likely nodes as fit into `spec.wide` × `spec.high` pixels, the most visited first: no deeper
    than there are levels, and as many leaves as there are columns. `likely`: nodes with all that lie between them
    and the focus, whose children are all shown in any case."""
    levels = min(max(spec.high // LEVEL, LEVELS[0]), LEVELS[1])
    columns = spec.wide // COLUMN
    fewest, most = (round(columns * each) for each in NODES)
    depth, has_children = {spec.focus: 0}, {spec.focus}
    leaves = int(np.count_nonzero(parent == spec.focus))
    found: list[int] = []
    for node in likely[np.lexsort((likely, -visits[likely]))].tolist():
        above = int(parent[node])
        if node != spec.focus:
            if depth.get(above, levels) >= levels:
                continue
            depth[node] = depth[above] + 1
            leaves += above in has_children and above != spec.focus
            if len(found) >= most or (leaves > columns and len(found) >= fewest):
                break
            has_children.add(above)
        found.append(node)
    return np.array(found, np.int64)
