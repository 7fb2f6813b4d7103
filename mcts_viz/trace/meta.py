"""The metadata of a trace: one JSON document, checked once when a file is opened or a recording
begins, and the only code that knows its keys.

For users of `trace.meta` a dict, with the file's keys and values; for the package typed
attributes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, NoReturn, get_type_hints

import msgspec

from mcts_viz.errors import MctsVizError, TraceError
from mcts_viz.formulas.selection import SELECTION_FORMULAS, SelectionFormula
from mcts_viz.trace.metadata_fields import (
    ActionId,
    BudgetLimits,
    Count,
    GameDescription,
    InheritedTree,
    Number,
    OutcomeRange,
    PhasePolicies,
    ResumedSearch,
    RootPosition,
    ValueRange,
    WatchedSearch,
    WholeTree,
)
from mcts_viz.trace.players import DEFAULT_NAMES, MOST_PLAYERS
from mcts_viz.trace.states import STATE_FORMATS, TEXT
from mcts_viz.trace.strict_json import TOO_DEEP, shown
from mcts_viz.trace.surrogates import plain_json
from mcts_viz.types import Document, ReadDocument

OURS = "mcts_viz"  # `recorded_by` of this package's own searches
MOST_DEPTH = 64  # of lists and objects in each other
NULL_IS_A_VALUE = ("discount",)
WORDS = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false",
    "array": "a list", "object": "an object",
}  # fmt: skip
STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")  # of a path such as $.start[0]


class TraceMeta(Document):
    """The document, frozen. The attributes are its keys, with what an absent one stands for."""

    format_version: Annotated[int, msgspec.Meta(ge=1)] = 1
    kind: str = "trace"
    game: GameDescription = GameDescription()
    start: tuple[ActionId, ...] = ()  # action ids from the game's first position to the root
    root: RootPosition = RootPosition()
    action_labels: tuple[str, ...] = ()  # by action id; empty: there are none
    players: Annotated[
        tuple[str, ...], msgspec.Meta(max_length=MOST_PLAYERS)
    ] = ()  # see `player_names`
    reward_range: OutcomeRange = (-1.0, 1.0)
    value_range: ValueRange = (-1.0, 1.0)  # where absent, `reward_range`
    # by which a value shrinks from a node to its parent; null: not always the same
    discount: Number | None = 1.0
    step_rewards: bool = False
    player_values: bool = False  # nodes have a value for each player (`player_sums`)
    snapshot_iteration: Count | None = None
    snapshot_iterations: tuple[Count, ...] = ()
    state_format: object = TEXT  # see `states_are_in`
    # nodes may have several parents, and each way to one has a row: "edges", with its own numbers; "nodes": the first
    # has all of the node's
    shared: str | None = None
    policies: PhasePolicies = PhasePolicies()
    root_actions: tuple[ActionId, ...] | None = None  # None: all are allowed
    inherited: InheritedTree | None = None
    whole_tree: WholeTree | None = None  # of the inherited tree, or of a snapshot
    resumed: ResumedSearch | None = None
    seed: int | None = None
    # of the workers that searched side by side, each in a tree of its own, which the trace has added up
    worker_seeds: tuple[int, ...] | None = None
    budget: BudgetLimits = BudgetLimits()
    software: Mapping[str, object] | None = None
    recorded_by: str | None = None
    recorded_at: str | None = None
    watched: WatchedSearch = WatchedSearch()
    # of a search among many: its game, moves before its position, place in a batch, code, and the game's result
    game_id: str | int | None = None
    ply: Count | None = None
    slot: Count | None = None
    commit: str | None = None
    engine: str | None = None  # that searched, of those that play one another
    result: Number | None = None  # as outcomes are, view of player 0
    # of a search of a suite: its task, and what all of the search comes to in one number
    bench: str | None = None
    digest: str | None = None
    not_observed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        document: ReadDocument,
        source: str = "",
        error: type[MctsVizError] = TraceError,
        remedy: str = "correct the program that wrote it",
    ) -> None:
        """Checks the document; raises `error` naming the source, the key, its value, what is expected
        and the remedy."""
        super().__init__(document)

        def refuse(path: str, expected: str) -> MctsVizError:
            where = f"{source}: metadata, " if source else ""
            value = shown(_found(self, path))
            return error(f"{where}{path}: {value} is not {expected}; {remedy}")

        _check_plain(self, refuse)
        try:
            typed = msgspec.convert(_without_nulls(self), _Document)
        except msgspec.ValidationError as err:
            message, _, path = str(err).partition(" - at `$.")
            raise refuse(path.removesuffix("`"), _in_words(message)) from err
        vars(self).update({name: getattr(typed, name) for name in _Document.__struct_fields__})
        if self.get("value_range") is None:
            vars(self)["value_range"] = self.reward_range
        if self.root.to_move >= max(2, self.n_players):
            raise refuse("root.to_move", f"a whole number <= {max(1, self.n_players - 1)}")
        for name in ("reward_range", "value_range"):
            low, high = getattr(self, name)
            if not low < high:
                raise refuse(name, "a range [least, greatest]")

    def __reduce__(self) -> tuple[type[TraceMeta], tuple[Document]]:
        return TraceMeta, (dict(self),)

    def _refuse_change(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the metadata of a trace cannot change; copy them: {**trace.meta, …}")

    __setitem__ = __delitem__ = __setattr__ = __delattr__ = __ior__ = _refuse_change
    clear = pop = popitem = setdefault = update = _refuse_change

    # Players and moves
    @property
    def n_players(self) -> int:
        """The number of named players; 2 where none is named."""
        return len(self.players) or 2

    @property
    def mirrors(self) -> bool:
        """Whether what is good for one player is as bad for the only other one, so that values can be turned round."""
        return self.n_players == 2 and not self.player_values

    @property
    def player_names(self) -> list[str]:
        """Names of the players, player 0 first."""
        return [*self.players, *DEFAULT_NAMES[len(self.players) :]][: self.n_players]

    def action_name(self, action: int) -> str:
        """Readable name of an action id, the id itself where there is none or a blank one."""
        name = self.action_labels[action] if 0 <= action < len(self.action_labels) else ""
        return name if name.strip() else str(action)

    @property
    def states_are_in(self) -> str:
        """What the states are written in; an unknown format is read as plain text."""
        return str(self.state_format) if self.state_format in STATE_FORMATS else TEXT

    # The kind of trace
    @property
    def is_snapshot(self) -> bool:
        """Whether it is a single tree, without the iterations that made it."""
        return self.kind == "snapshot"

    @property
    def has_iterations(self) -> bool:
        """Whether each row is one iteration of a search; False for snapshots."""
        return self.kind not in ("snapshot", "snapshots")

    @property
    def is_foreign(self) -> bool:
        """Whether another program ran the search."""
        return self.recorded_by != OURS

    @property
    def is_ours(self) -> bool:
        """Whether this package ran the search, and so has recorded all about it."""
        return not self.is_foreign and self.policies.keep_tree is not None

    # Policies
    @property
    def value_width(self) -> float:
        """Greatest minus least value of one visit."""
        return self.value_range[1] - self.value_range[0]

    @property
    def formula(self) -> SelectionFormula | None:
        """Of the selection scores; None where the policy is none of ours, or ours with a difference, and where each of
        several workers has chosen by statistics of its own."""
        if self.worker_seeds:
            return None
        selection = self.policies.selection
        return SELECTION_FORMULAS.get(selection.name or "") if selection.is_ours else None

    @property
    def first_play_urgency(self) -> float | None:
        """Value of a child without visits, where it is a number; None: such a child comes before all others, or counts
        as its parent."""
        found = self.policies.selection.unvisited
        return None if isinstance(found, str) else found

    @property
    def unvisited_have_scores(self) -> bool:
        """Whether a child without visits is compared with the others, by a first-play urgency."""
        return self.first_play_urgency is not None or self.policies.selection.takes_parent

    @property
    def needs_squares(self) -> bool:
        """Whether the selection formula needs the squares of values."""
        return self.formula is not None and self.formula.needs_squares

    @property
    def keeps_squares(self) -> bool:
        """Whether the trace has those squares: a tree that came as a whole, in a snapshot or from an
        earlier search, has to come with their sums."""
        brought = self.whole_tree is not None and self.whole_tree.square_sums is not None
        came_as_a_whole = self.is_snapshot or self.inherited is not None
        return self.needs_squares and (brought if came_as_a_whole else self.has_iterations)

    @property
    def knows_scores(self) -> bool:
        """Whether the trace has all that selection scores are made of."""
        if self.policies.selection.needs_siblings:
            return self.has_iterations and not self.worker_seeds
        return self.formula is not None and (not self.needs_squares or self.keeps_squares)

    @property
    def outcomes_are_results(self) -> bool:
        """Whether the outcome of an iteration is the result of a game of two players."""
        return (
            self.n_players == 2 and self.has_iterations and self.policies.simulation.gives_results
        )

    @property
    def has_solver(self) -> bool:
        """Whether the search carried proven results up its tree, and a proven child competes by its result."""
        return self.policies.backpropagation.solver

    @property
    def scores(self) -> tuple[float, float, float]:
        """What a loss, a draw and a win add to a node; where that is not recorded, the least, middle
        and greatest value."""
        low, high = self.value_range
        backup = self.policies.backpropagation
        found = (backup.loss, backup.draw, backup.win)
        loss, draw, win = (
            default if score is None else score
            for score, default in zip(found, (low, (low + high) / 2, high))
        )
        return loss, draw, win


def trace_meta(document: ReadDocument) -> TraceMeta:
    """The document, checked unless it is already; raises TraceError for a malformed one."""
    return document if isinstance(document, TraceMeta) else TraceMeta(document)


def version_of(document: ReadDocument, newest: int) -> int:
    """The format version that a document names; the newest one where it names none that there is."""
    version = document.get("format_version")
    return version if isinstance(version, int) and 1 <= version <= newest else newest


def parsed_meta(document: bytes, source: str, newest: int) -> TraceMeta:
    """The metadata in a file's JSON, of a format version up to `newest`."""
    try:
        content = plain_json(document)
    except (ValueError, RecursionError) as err:
        reason = TOO_DEEP if isinstance(err, RecursionError) else err
        raise TraceError(
            f"{source}: the metadata document is not JSON: {reason}; correct the program that wrote it"
        ) from err
    version = content.get("format_version") if isinstance(content, dict) else None
    if not isinstance(content, dict) or type(version) is not int or version < 1:
        raise TraceError(
            f"{source}: the metadata has format_version {shown(version)}, not a version number; "
            "correct the program that wrote it"
        )
    if version > newest:
        raise TraceError(
            f"{source}: written in trace format {version}; this version of mcts_viz reads up to {newest}. "
            "Update mcts_viz to open it"
        )
    if _found(content, "root.to_move") is None:
        raise TraceError(
            f"{source}: metadata, root: {shown(_found(content, 'root'))} is not an object with to_move, which is "
            "0, 1, −1 (unknown) or −2 (chance); correct the program that wrote it"
        )
    return TraceMeta(content, source)


_Document = msgspec.defstruct(
    "_Document",
    [
        (name, kind, getattr(TraceMeta, name))
        for name, kind in get_type_hints(TraceMeta, include_extras=True).items()
    ],
    frozen=True,
)
# msgspec looks a type over when it is first used, and two threads that do so at once end the process
# with a segmentation fault: a decoder looks it over now.
msgspec.json.Decoder(_Document)


def _without_nulls(found: object) -> object:
    """The document without its nulls, which mean what absent keys do, and with whole numbers as
    such: other languages write 3.0."""
    if isinstance(found, Mapping):
        return {
            key: _without_nulls(value)
            for key, value in found.items()
            if value is not None or key in NULL_IS_A_VALUE
        }
    if isinstance(found, (list, tuple)):
        return found if _are_plain(found) else [_without_nulls(value) for value in found]
    if isinstance(found, float) and found.is_integer() and abs(found) < 2**53:
        return int(found)
    return found


def _check_plain(document: ReadDocument, refuse: Callable[[str, str], MctsVizError]) -> None:
    """Refuse what no other JSON could hold: NaN, infinity, and nesting that ends in recursion errors."""
    way: list[str | int] = []  # to the innermost of the lists and objects that are open
    open_ones = [_items(document)]
    while open_ones:
        for key, value in open_ones[-1]:
            if isinstance(value, (Mapping, list, tuple)):
                if len(open_ones) > MOST_DEPTH:
                    raise refuse(_path(way[:1]), f"lists and objects at most {MOST_DEPTH} deep")
                if isinstance(value, (list, tuple)) and _are_plain(value):
                    continue
                way.append(key)
                open_ones.append(_items(value))
                break
            if isinstance(value, float) and not math.isfinite(value):
                raise refuse(_path([*way, key]), "a finite number")
        else:
            open_ones.pop()
            del way[-1:]


def _items(found: ReadDocument | Sequence[object]) -> Iterator[tuple[str | int, object]]:
    return iter(found.items()) if isinstance(found, Mapping) else enumerate(found)


def _path(way: Sequence[str | int]) -> str:
    """A path such as start[0]."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
    return "".join(steps).removeprefix(".")


def _are_plain(values: Sequence[object]) -> bool:
    """Whether all are whole numbers or all are texts: a list of a number a node needs no look at each."""
    return set(map(type, values)) in ({int}, {str})


def _found(document: object, path: str) -> object:
    """The value at a path such as start[0]; None where nothing is there."""
    for key, place in STEP.findall(f".{path}"):
        if place and isinstance(document, (list, tuple)):
            document = document[int(place)]
        elif isinstance(document, Mapping):
            document = document.get(key)
        else:
            return None
    return document


def _in_words(message: str) -> str:
    """What msgspec expects, in the words of this package."""
    missing = re.fullmatch(r"Object missing required field `(\w+)`", message)
    if missing is not None:
        return f"an object with {missing[1]}"
    expected = re.sub(r", got .*", "", message.removeprefix("Expected "))
    return re.sub(r"`(.*?)`", _kinds, expected).replace("Number out of range", "a number that fits")


def _kinds(found: re.Match[str]) -> str:
    return " or ".join(WORDS[kind] for kind in found[1].split(" | ") if kind != "null")
