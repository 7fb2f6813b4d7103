"""What a tab beside the tree is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dash import Dash

from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content


class Tab(NamedTuple):
    """A tab: the page makes its head, its place and its store of the cursor from this."""

    id: str  # the cursor comes by the store `cursor_for(id)`, while the tab is open
    title: str
    body: Callable[[], Content]  # empty; the callbacks fill it
    register: Callable[[Dash, Library], None]  # adds its callbacks
