"""Where a search keeps its numbers: each field of a node is an attribute name, a key, or a function
of the node.

Knows one node at a time, and what to tell a user who named a field that is not there. Knows no tree
and no trace.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from mcts_viz.errors import TraceError

Node: TypeAlias = Any  # one of the search's own objects
Field: TypeAlias = "str | int | Callable[[Node], Any]"
Reader: TypeAlias = Callable[[Node], Any]

NAMES_SHOWN = 20  # of a node's attributes, in an error message


class NodeFields(NamedTuple):
    """The fields as the user gave them; None: the search does not say."""

    children: Field
    visits: Field
    value: Field
    action: Field | None = None
    to_move: Field | None = None
    prior: Field | None = None
    state: Field | None = None
    label: Field | None = None
    outcome: Field | None = None
    chance: Field | None = None
    proven: Field | None = None
    reward: Field | None = None
    documents: Field | None = None
    evaluation: Field | None = None
    gumbel: Field | None = None
    phase: Field | None = None
    shared: Field | None = (
        None  # what two ways to the same node have in common; None: not known yet
    )
    score: Field | Callable[[Node, Node], object] | None = (
        None  # of a child, or of parent and child
    )
    simultaneous: Field | None = None
    belief: Field | None = None
    particles: Field | None = None

    def told(self, name: str) -> bool:
        """Whether the user gave that field."""
        return getattr(self, name) is not None

    def functions(self) -> dict[str, Callable[[Node], object]]:
        """Those that are functions of a node, by name."""
        given = self._asdict().items()
        return {name: field for name, field in given if callable(field) and name != "score"}

    def readers(self, root: Node) -> Readers:
        """A function of the node for every field given; raises TraceError for one that cannot be a
        field of a tree with this root."""
        return Readers(
            children=reader("children", self.children, root),
            visits=reader("visits", self.visits, root),
            value=reader("value", self.value, root),
            **{
                name: self._optional_reader(name, root)
                for name in self._field_defaults
                if name != "score"
            },
        )

    def pair_reader(self, root: Node) -> Callable[[Node], tuple[Any, Any]]:
        """A function of the node that gives visits and children, in one call where both have names;
        raises as `readers`."""
        if isinstance(self.visits, str) and isinstance(self.children, str):
            getter = operator.itemgetter if isinstance(root, Mapping) else operator.attrgetter
            return getter(self.visits, self.children)
        visits = reader("visits", self.visits, root)
        children = reader("children", self.children, root)
        return lambda node: (visits(node), children(node))

    def _optional_reader(self, name: str, root: Node) -> Reader | None:
        field = getattr(self, name)
        return None if field is None else reader(name, field, root)


class Readers(NamedTuple):
    """A function of the node for each field; None: not given."""

    children: Reader
    visits: Reader
    value: Reader
    action: Reader | None
    to_move: Reader | None
    prior: Reader | None
    state: Reader | None
    label: Reader | None
    outcome: Reader | None
    chance: Reader | None
    proven: Reader | None
    reward: Reader | None
    documents: Reader | None
    evaluation: Reader | None
    gumbel: Reader | None
    phase: Reader | None
    shared: Reader | None
    simultaneous: Reader | None
    belief: Reader | None
    particles: Reader | None


def reader(name: str, field: Any, root: Node) -> Reader:
    """The function of a node that reads the field; raises TraceError for what is no field."""
    if isinstance(field, str):
        keyed = isinstance(root, Mapping)
        return operator.itemgetter(field) if keyed else operator.attrgetter(field)
    if callable(field):
        function: Reader = field
        return function
    if isinstance(field, int) and not isinstance(field, bool):
        return operator.itemgetter(field)
    raise TraceError(
        f"{name}={field!r} is no field of a node: give the name of an attribute, a key, or a function "
        f"of the node such as {name}=lambda node: node.{name}"
    )


def is_missing(error: Exception, node: Node, field: Any) -> bool:
    """Whether the node itself has not got the field (yet), as against a fault deeper inside."""
    if isinstance(error, AttributeError):
        return error.obj is node
    return isinstance(error, KeyError) and isinstance(node, Mapping) and field not in node


def unreadable(name: str, field: Any, node: Node, place: str, error: Exception) -> TraceError:
    """What to tell the user when the field cannot be read from the node at `place`."""
    given = f"{name}={field!r}" if not callable(field) else f"{name}=, a function,"
    kind = type(node).__name__
    if callable(field) or not is_missing(error, node, field):
        return TraceError(
            f"{given} cannot be read from {place}, a {kind}: {type(error).__name__}: {error}. Correct it, or give a "
            f"function of the node that tells such nodes apart: {name}=lambda node: …"
        )
    noun = "key" if isinstance(node, Mapping) else "attribute"
    names = [str(key) for key in node] if isinstance(node, Mapping) else public_names(node)
    close = difflib.get_close_matches(str(field), names, n=1)
    has = ", ".join(names[:NAMES_SHOWN]) + (", …" if len(names) > NAMES_SHOWN else "")
    return TraceError(
        f"{given}: {place}, a {kind}, has no {noun} {field!r}; it has: {has or 'none'}. "
        + (f"Did you mean {name}={close[0]!r}? " if close else "")
        + f"Name one of them, or give a function of the node: {name}=lambda node: …"
    )


def public_names(node: Node) -> list[str]:
    """The node's attributes that do not begin with an underscore, its own before its class's."""
    own = [*getattr(node, "__dict__", {})]
    names = dict.fromkeys([*own, *(name for name in dir(node) if name not in own)])
    return [name for name in names if not name.startswith("_")]
