"""A search that keeps tables in place of nodes: visits, values and priors by state and action.

Each edge (state, action) is seen as a node, made when it is first asked for, whose children are the edges of the state
that it leads to. Reads the tables and never writes to them; knows no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief
from mcts_viz.types import Numbers

State: TypeAlias = Hashable  # the key of a state in the search's own tables
Action: TypeAlias = Hashable
Entry: TypeAlias = Any  # whatever the search keeps in a table
Table: TypeAlias = Mapping[Entry, Entry]
Given: TypeAlias = "Table | Callable[[], Table]"
Row: TypeAlias = Mapping[Action, Entry] | Sequence[Entry] | Numbers
Next: TypeAlias = "Callable[[Entry, Entry], State] | Table"

DRAW = 0.01  # up to which an end stands for a draw, since 0 means that the game goes on
NO_CHILDREN: list[Edge] = []  # shared, never appended to
_VISITS, _KEY, _ZEROS = attrgetter("visits"), attrgetter("key"), repeat(0)


class GivenTables(NamedTuple):
    """The tables as the user gave them, each itself or a function that gives it; None: the search keeps none."""

    visits: Given  # Nsa
    values: Given  # Qsa
    states: Given | None = None  # Ns
    priors: Given | None = None  # Ps
    ends: Given | None = None  # Es

    def now(self, place: int) -> Table:
        """The table as it is now; raises TraceError for what is none."""
        given = self[place]
        found = given if type(given) is dict else given() if callable(given) else given
        if type(found) is dict or isinstance(found, Mapping):
            return found
        name = NAMES[place]
        raise TraceError(
            f"{name}= gives {brief(found)}, not a dict; give the search's own table, {name}=mcts.{name}, or a function "
            f"that gives it where the search replaces it: {name}=lambda: mcts.{name}"
        )


NAMES = ("Nsa", "Qsa", "Ns", "Ps", "Es")


class ToldOfStates(NamedTuple):
    """What the user tells beside the tables."""

    to_move: (
        Callable[[Entry], int | None] | int | None
    )  # at a state; a number: at the first root, and by turns
    state: Callable[[Entry], str] | None = None  # as a text, or rows of cells
    label: Callable[[Entry, Entry], str] | None = None  # of an action in a state


class Edge:
    """An action in a state, or the root, which has none. (Slots, not a dataclass: there is one for every node.)"""

    __slots__ = (
        "_leads_to", "action", "below", "key", "keys_below", "last_value", "state", "tables",
    )  # fmt: skip

    def __init__(self, tables: Tables, state: State, action: Action, key: Entry) -> None:
        """key: in the tables; None for the root."""
        self.tables, self.state, self.action, self.key = tables, state, action, key
        self._leads_to: State = state if key is None else None
        # its children and their keys, lists that grow by themselves; None: to be asked for each time
        self.below: list[Edge] | None = None
        self.keys_below: list[Entry] | None = None
        self.last_value: Entry = None  # as it was recorded last

    @property
    def is_root(self) -> bool:
        """Whether no action leads here."""
        return self.key is None

    @property
    def visits(self) -> Entry:
        """What the search has counted; 0 where there is no entry yet."""
        if self.key is None:
            return self.tables.root_visits(self)
        if self.tables.is_flat:
            return self.tables.visits.get(self.key, 0)
        return _entry(self.tables.visits.get(self.state), self.action, 0)

    @property
    def value(self) -> Entry:
        """None without one; the root has none."""
        if self.key is None:
            return None
        if self.tables.is_flat:
            return self.tables.values.get(self.key)
        return _entry(self.tables.values.get(self.state), self.action, None)

    @property
    def prior(self) -> Entry:
        """Of the action, None without one."""
        if self.key is None or self.tables.priors is None:
            return None
        row = self.tables.priors.get(self.state)
        if row is None:
            return self.tables.priors.get(self.key)
        return _entry(row, self.action, None)

    @property
    def leads_to(self) -> State:
        """The state behind the edge; None before its first visit."""
        if self._leads_to is None and self.visits:
            self._leads_to = self.tables.next_of(self)
        return self._leads_to

    @property
    def children(self) -> list[Edge]:
        """The edges of the state behind it."""
        if self.below is not None:
            return self.below
        state = self._leads_to
        if state is None:
            state = self.leads_to
            if state is None:
                return NO_CHILDREN
        tables = self.tables
        found = tables.edges_of(state)
        if tables.is_flat and (tables.priors is None or found.has_priors):  # all are known
            self.below, self.keys_below = found.edges, found.keys
        return found.edges

    @property
    def player(self) -> int | None:
        """To move behind the edge; None where that is not known (yet)."""
        return self.tables.player(self)

    @property
    def text(self) -> str | None:
        """The position behind it; None before its first visit."""
        told = self.tables.told.state
        return None if told is None or self.leads_to is None else told(self.leads_to)

    @property
    def label(self) -> str | None:
        """Of the action."""
        told = self.tables.told.label
        return None if told is None or self.key is None else told(self.state, self.action)

    @property
    def outcome(self) -> float | None:
        """Of the game that is over behind it, view of player 0; None while it goes on."""
        return self.tables.outcome(self)

    def __repr__(self) -> str:
        return f"state {brief(self.state)}" if self.is_root else f"edge {brief(self.key)}"


class _EdgesOfState:
    """Those that lead away from a state, side by side with their keys."""

    __slots__ = ("edges", "has_priors", "keys", "places")

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.keys: list[Entry] = []
        self.places: dict[Action, int] = {}
        self.has_priors = False  # whether the priors of the state have been looked at

    def append(self, edge: Edge) -> None:
        self.places[edge.action] = len(self.edges)
        self.edges.append(edge)
        self.keys.append(edge.key)


class Tables:
    """The tables as they are after an iteration; `refresh` comes before anything is asked."""

    def __init__(self, given: GivenTables, next_state: Next, told: ToldOfStates) -> None:
        if not (callable(next_state) or isinstance(next_state, Mapping)):
            raise TraceError(
                f"next={brief(next_state)} is no function and no dict; give the state that an action leads to: "
                "next=lambda s, a: …, or a table of them by (s, a)"
            )
        self._given, self._next, self.told = given, next_state, told
        self.visits: Table = {}
        self.values: Table = {}
        self._states: Table | None = None
        self.priors: Table | None = None
        self._ends: Table | None = None
        # by (state, action), not by state and then by action; None: not known before there is an entry
        self.is_flat: bool | None = None
        self._known: set[Entry] = set()  # keys of the flat table that were seen
        self._below: dict[State, _EdgesOfState] = {}
        self._roots: dict[State, Edge] = {}
        self._players: dict[State, int] = {}  # to move
        self._are_dicts = all(each is None or type(each) is dict for each in given)
        self.refresh()

    def refresh(self) -> None:
        """Look at what the search has added since the last time: the newest keys of a dict are its last."""
        given = self._given
        if self._are_dicts and self._known:  # the same ones as always
            if len(self.visits) != len(self._known):
                self._take_new()
            return
        visits = given.now(0)
        if visits is not self.visits and self._known:
            self._known, self._below, self._roots = set(), {}, {}  # another tree
        self.visits, self.values = visits, given.now(1)
        self._states = None if given.states is None else given.now(2)
        self.priors = None if given.priors is None else given.now(3)
        self._ends = None if given.ends is None else given.now(4)
        if visits and self.is_flat is None:
            self.is_flat = _is_flat(visits)
        if self.is_flat and len(visits) != len(self._known):
            self._take_new()

    def _take_new(self) -> None:
        known, new = self._known, []
        try:
            for key in reversed(self.visits):
                if key in known:
                    break
                new.append(key)
        except TypeError:  # a mapping that is no dict
            new = []
        if len(known) + len(new) != len(self.visits):  # some were taken out
            new = [key for key in self.visits if key not in known][::-1]
            self._known = set(self.visits)
        for key in reversed(new):
            state, action = _pair(key, self.visits[key])
            below = self._below_state(state)
            place = below.places.get(action)
            if place is None:
                below.append(Edge(self, state, action, key))
            else:  # a dict finds its own key without comparing it
                below.edges[place].key = below.keys[place] = key
        known.update(new)

    def _below_state(self, state: State) -> _EdgesOfState:
        found = self._below.get(state)
        if found is None:
            found = self._below[state] = _EdgesOfState()
        return found

    def edges_of(self, state: State) -> _EdgesOfState:
        """Those that are known by now, in the order in which they came to be; the lists grow."""
        found = self._below.get(state)
        if found is None:
            found = self._below_state(state)
        if self.priors is not None and not found.has_priors:
            row = self.priors.get(state)
            if row is not None:
                found.has_priors = True
                self._add(found, state, row)
        if not self.is_flat:
            row = self.visits.get(state)
            if row is not None:
                self._add(found, state, row)
        return found

    def _add(self, below: _EdgesOfState, state: State, row: Row) -> None:
        """Add those of a row that are new."""
        for action in _actions(row):
            if action not in below.places:
                below.append(Edge(self, state, action, (state, action)))

    def root_visits(self, root: Edge) -> Entry:
        """Of the state itself, or where no table has them, of its edges together."""
        if self._states is not None:
            return self._states.get(root.state, 0)
        return sum(int(edge.visits) for edge in self.edges_of(root.state).edges)

    def all_visits(self, edges: Sequence[Edge]) -> Iterable[Entry]:
        """`Edge.visits` of each of some siblings, at once."""
        if not self.is_flat:
            return map(_VISITS, edges)
        return map(self.visits.get, map(_KEY, edges), _ZEROS)

    def next_of(self, edge: Edge) -> State:
        """The state behind an edge; raises TraceError for what cannot be one."""
        state, action = edge.state, edge.action
        try:
            if callable(self._next):
                found = self._next(state, action)
            else:
                found = self._next[state, action]
            hash(found)
        except Exception as err:
            raise TraceError(
                f"next= gives no state for the state {brief(state)} and the action {brief(action)}: "
                f"{type(err).__name__}: {err}. Give a function of both, which gives the key that the tables have for "
                "the state behind: next=lambda s, a: …"
            ) from err
        player = self._players.get(state)
        if player is not None:
            self._players.setdefault(found, 1 - player)
        return found

    def player(self, edge: Edge) -> int | None:
        """To move behind an edge."""
        told = self.told.to_move
        if callable(told):
            return None if edge.leads_to is None else told(edge.leads_to)
        above = self._players.get(edge.state)
        return above if edge.key is None or above is None else 1 - above

    def root(self, state: State) -> Edge:
        """The root, always the same one for a state."""
        try:
            found = self._roots.get(state)
        except TypeError as err:
            raise TraceError(
                f"root={brief(state)} is no key of a table ({err}); give the key that the tables have for the root, "
                "such as root=game.stringRepresentation(board)"
            ) from err
        if found is None:
            found = self._roots[state] = Edge(self, state, None, None)
            if not self._players and isinstance(self.told.to_move, int):
                self._players[state] = self.told.to_move
        return found

    def outcome(self, edge: Edge) -> float | None:
        """Of the game that is over behind an edge, view of player 0; None while it goes on."""
        state = edge.leads_to
        found = None if state is None or self._ends is None else self._ends.get(state)
        player = self.player(edge) if found else None
        if player is None or found is None:
            return None
        result = 0.0 if abs(found) <= DRAW else float(found)
        return result if player == 0 else -result


def _is_flat(visits: Table) -> bool:
    """Whether entries are numbers, not tables of their own; raises TraceError where keys are then no pairs."""
    entry = next(iter(visits.values()))
    if isinstance(entry, Mapping) or (hasattr(entry, "__len__") and not isinstance(entry, str)):
        return False
    _pair(next(iter(visits)), entry)
    return True


def _pair(key: Entry, entry: Entry) -> tuple[State, Action]:
    if isinstance(key, tuple) and len(key) == 2:
        return key
    raise TraceError(
        f"record_tables: Nsa= has the entry {brief(key)}: {brief(entry)}, and an entry is the visits of an action at a "
        "state. Its key is to be the pair, Nsa[state, action] = 3, or its value a dict or an array by action, "
        "Nsa[state] = {action: 3}. Visits of states alone are Ns=; where actions lead to nodes, "
        "mcts_viz.record(root=…, children=…) records these"
    )


def _actions(row: Row) -> Iterable[Action]:
    """Those that a row has: keys of a dict, places of an array that are not 0."""
    if isinstance(row, Mapping):
        return list(row)
    if type(row) is list:
        return [place for place, entry in enumerate(row) if entry]
    return np.flatnonzero(row).tolist()


def _entry(row: Row | None, action: Action, default: Entry) -> Entry:
    """Of an action, as a plain number."""
    if row is None:
        return default
    if type(row) is not list and isinstance(row, Mapping):
        return row.get(action, default)
    found: Entry = row[cast(int, action)]
    return found.item() if isinstance(found, np.generic) else found
