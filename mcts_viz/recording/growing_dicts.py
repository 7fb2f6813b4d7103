"""Notices fields that change the search by being read: indexing a `defaultdict` makes the key that was asked for.

Knows functions and dicts, no tree.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import NamedTuple

from mcts_viz.errors import TraceError

DEPTH = 3  # how many steps away from a function a dict is looked for: function, object, attribute
MOST_OBJECTS = 2_000  # looked at

Dict = dict[object, object]


class Found(NamedTuple):
    """A dict that makes what it lacks."""

    name: str  # of the variable or attribute that holds it
    content: Dict


class GrowingDicts:
    """Those that functions of the user can reach: what they close over, global names they use, and attributes of
    either. functions: of a node, by the field's name. root: of the tree, whose attributes are looked at as well."""

    def __init__(self, functions: Mapping[str, Callable[[object], object]], root: object) -> None:
        self._functions = functions
        self._found: list[Found] = []
        seen: set[int] = set()
        for function in functions.values():
            self._search(_reached(function), DEPTH, seen)
        if functions:
            self._search(_attributes(root), 1, seen)

    def _search(self, named: Iterable[tuple[str, object]], depth: int, seen: set[int]) -> None:
        for name, value in named:
            if id(value) in seen or len(seen) > MOST_OBJECTS:
                continue
            seen.add(id(value))
            if isinstance(value, dict) and hasattr(type(value), "__missing__"):
                self._found.append(Found(name, value))
            elif depth > 1 and not isinstance(value, (ModuleType, str, bytes, int, float)):
                if callable(value):
                    self._search(_reached(value), depth - 1, seen)
                else:
                    inside = ((f"{name}.{own}", each) for own, each in _attributes(value))
                    self._search(inside, depth - 1, seen)

    def sizes(self) -> list[int]:
        """How many keys each has."""
        return [len(found.content) for found in self._found]

    def check(self, before: list[int], nodes: Callable[[], Iterable[object]]) -> None:
        """Raise TraceError where a dict has grown since `before` and a field makes it grow; the new keys are taken out
        again. nodes: those that may have been read since."""
        for found, size in zip(self._found, before):
            if len(found.content) > size:
                self._accuse(found, size, nodes())

    def _accuse(self, found: Found, size: int, nodes: Iterable[object]) -> None:
        content = found.content
        new = {key: content.pop(key) for key in list(content)[size:]}
        for node in nodes:
            for field, function in self._functions.items():
                with contextlib.suppress(Exception):
                    function(node)
                if len(content) == size:
                    continue
                for key in list(content)[size:]:
                    del content[key]
                raise TraceError(
                    f"{field}=, a function, changes the search: reading it makes new keys in {found.name}, a "
                    f"{type(content).__name__}. Read it without making any: {field}=lambda node: "
                    f"{found.name}.get(node{'' if field == 'children' else ', 0'})"
                )
        content.update(new)  # by another thread of the search


def _reached(function: object) -> Iterator[tuple[str, object]]:
    """What a function can name: its variables from outside, global names and defaults, its object."""
    while isinstance(function, (MethodType, functools.partial)):
        if isinstance(function, MethodType):
            yield "self", function.__self__
            function = function.__func__
        else:
            yield from ((f"a {type(given).__name__}", given) for given in function.args)
            function = function.func
    if not isinstance(function, FunctionType):
        yield from _attributes(function)
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # not bound yet
            yield name, cell.cell_contents
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    yield from ((f"a {type(given).__name__}", given) for given in function.__defaults__ or ())


def _names(code: CodeType) -> Iterator[str]:
    """Those that the code and functions inside it use and do not make."""
    yield from code.co_names
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _names(inside)


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, type):
        return
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        yield from list(own.items())
    for kind in type(value).__mro__:
        slots = getattr(kind, "__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            with contextlib.suppress(AttributeError):
                yield name, getattr(value, name)
