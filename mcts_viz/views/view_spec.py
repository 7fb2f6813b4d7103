"""The view: which nodes of a tree a picture shows, and how they look.

The fields are listed here and nowhere else: queries of the routes, the page's address and controls, its scripts and the
one HTML file follow from the list. A field's kind follows from its type: a whole number, a set of node ids, a switch
(1 or 0 in a query), or one of some names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, TypeAlias, TypeVar

from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.errors import PageError
from mcts_viz.views.colours import COLOUR_NAMES
from mcts_viz.views.node_numbers import NUMBER_MODES
from mcts_viz.views.true_value import TRUE_VALUE

USUAL_BUDGET = 300
# of player 0, of player 1, …; assets/core/viewpoint.js has them, too
PLACES = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
)  # fmt: skip
# by name: of the player who moved into each node, and of each player
VIEWPOINTS = {
    "mover": Viewpoint(),
    **{name: Viewpoint(player) for player, name in enumerate(PLACES)},
}
MAX_BUDGET = 200_000

Spec = TypeVar("Spec", bound="ViewSpec")
Plain: TypeAlias = "int | str | list[int]"  # a field as JSON has it


def _choice(names: tuple[str, ...]) -> str:
    """A field that is one of these names; the first one is the default."""
    chosen: str = field(default=names[0], metadata={"choices": names})
    return chosen


@dataclass(frozen=True)
class ViewSpec:
    """The nodes that a picture shows."""

    # nodes taken by final visits; 0: those that can be read in the room, USUAL_BUDGET where the room is not known
    budget: int = 0
    opened: frozenset[int] = frozenset()  # node ids all of whose children are shown
    closed: frozenset[int] = frozenset()  # node ids whose descendants are not shown
    focus: int = 0  # node id drawn as the root
    whole: frozenset[int] = frozenset()  # node ids all of whose descendants are shown
    least: int = 0  # final visits that a node needs to be shown
    top: int = 0  # children shown of a node, the most visited first; 0: all
    levels: int = 0  # shown below the focus; 0: all
    pv: bool = False  # only the principal variation from the focus on
    wide: int = 0  # pixels of the picture, where the room decides how many nodes there are
    high: int = 0  # pixels between its first and its last level
    viewpoint: str = _choice(tuple(VIEWPOINTS))  # whose view values are shown in

    FILTERS: ClassVar = ("least", "top", "levels", "pv")

    def __post_init__(self) -> None:
        if not 0 <= self.budget <= MAX_BUDGET:
            raise PageError(
                f"budget={self.budget}: choose a number of nodes up to {MAX_BUDGET:,}, or 0 for those "
                "that can be read"
            )

    @classmethod
    def from_query(cls: type[Spec], query: Mapping[str, str]) -> Spec:
        """The spec of `budget=300&opened=1,5&closed=7&focus=0&whole=9&least=10&top=3&levels=4&pv=1`; what is left out
        takes its default. Raises PageError naming the field and the value."""
        spec = cls(**{each.name: _read(each, query.get(each.name) or "") for each in fields(cls)})
        return spec

    def to_query(self) -> dict[str, str]:
        """The query arguments that `from_query` reads back to an equal spec."""
        return {name: _text(value) for name, value in self.to_document().items()}

    def to_document(self) -> dict[str, Plain]:
        """The fields as JSON has them: sets as sorted lists, switches as 1 or 0."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return any(getattr(self, name) for name in self.FILTERS)


@dataclass(frozen=True)
class PageView(ViewSpec):
    """The view as the page has it: the nodes, and how they look."""

    colour: str = _choice((*COLOUR_NAMES, TRUE_VALUE, *NUMBER_MODES))
    size: str = _choice(("visits", "share", "equal", *NUMBER_MODES))
    show: str = _choice(("tree", "icicle", "both"))
    numbers: bool = False  # mean value and visits are written beside the first two levels

    @classmethod
    def choices(cls, name: str) -> tuple[str, ...]:
        """The names that a field can have."""
        of_field = {each.name: each.metadata["choices"] for each in fields(cls) if each.metadata}
        return tuple(of_field[name])

    @classmethod
    def listed(cls) -> list[dict[str, object]]:
        """The fields for the page's scripts: name, kind, default value, choices, and what a change of the field asks
        for: other nodes of the server, or of those another filter. They stand in the order of the address."""
        of_nodes = {each.name for each in fields(ViewSpec)}
        return [
            {
                "name": each.name,
                "kind": _KINDS[type(each.default)],
                "value": _plain(each.default),
                "choices": list(each.metadata.get("choices", ())),
                "selects": each.name in of_nodes,
                "filters": each.name in cls.FILTERS,
            }
            for each in sorted(fields(cls), key=lambda each: each.name in of_nodes - {"budget"})
        ]


_KINDS = {int: "number", bool: "number", frozenset: "nodes", str: "name"}


def _read(of: Field[Any], text: str) -> Any:
    """A field's value in a query; "" is its default."""
    if text == "":
        return of.default
    if isinstance(of.default, str):
        return _name(of.name, text, of.metadata["choices"])
    if isinstance(of.default, frozenset):
        return frozenset(whole_number(of.name, part) for part in text.split(",") if part)
    number = whole_number(of.name, text)
    return number > 0 if isinstance(of.default, bool) else number


def whole_number(name: str, text: str) -> int:
    """A number from a query; raises PageError naming the argument and the value."""
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise PageError(f"{name}={text[:40]!r}: a whole number is expected")
    return int(text)


def _name(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise PageError(f"{name}={text[:40]!r}: choose one of: {', '.join(choices)}")
    return text


def _plain(value: object) -> Plain:
    if isinstance(value, frozenset):
        return sorted(value)
    assert isinstance(value, (int, str))
    return int(value) if isinstance(value, bool) else value


def _text(value: Plain) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
