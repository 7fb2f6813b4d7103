"""Counts an iteration at each return of one of the search's own methods, as long as a recording lasts.

The method is put back as it was when the recording ends, however it ends. Knows calls, no tree and no trace.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Protocol

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief

WRITE = 'write the class and the name of its method: on=(MCTS, "backpropagate")'


class CallListener(Protocol):
    """The listener that hears of the calls."""

    def begin_call(self) -> None:
        """Before the method."""

    def end_call(self) -> None:
        """After it has returned."""


class CountedMethod:
    """`on`: a class (or a module, or an object) and the name of one of its methods; a function of a call's arguments
    may follow, which says whether it counts. Raises TraceError for what is no such thing."""

    def __init__(self, on: object) -> None:
        if not (isinstance(on, (tuple, list)) and len(on) in (2, 3) and isinstance(on[1], str)):
            raise TraceError(f"on={brief(on)} is no pair of a class and a name; {WRITE}")
        self.owner, self.name = on[:2]
        self._counts: Callable[..., object] = on[2] if len(on) == 3 else lambda *_: True
        if not callable(self._counts):
            raise TraceError(
                f"on=: {brief(on[2])} is no function; give one that says of a call whether it ends an iteration: "
                'on=(Node, "update", lambda node, *_: node.parent is None)'
            )
        self._n_asked = _n_positional(self._counts)
        try:
            self._raw = inspect.getattr_static(self.owner, self.name)
            method = getattr(self.owner, self.name)
        except AttributeError as err:
            close = difflib.get_close_matches(self.name, dir(self.owner), n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise TraceError(
                f"on=: {self._shown} has no method {self.name!r}; {hint}{WRITE}"
            ) from err
        if not callable(method):
            raise TraceError(f"on=: {self.name!r} of {self._shown} is no method; {WRITE}")
        if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
            raise TraceError(
                f"on=: {self.name!r} of {self._shown} returns before it has begun (async, or a generator); name a "
                f"plain method that is called once in each iteration"
            )
        self.arguments: tuple[object, ...] | None = None  # of the last call, with its object first
        self._is_own = self.name in getattr(self.owner, "__dict__", {})
        self._is_patched = False
        self._listener: Callable[[], CallListener | None] = lambda: None
        self._inside = threading.local()  # a method that calls itself returns once

    @property
    def _shown(self) -> str:
        return getattr(self.owner, "__name__", None) or f"a {type(self.owner).__name__}"

    def patch(self, listener: Callable[[], CallListener | None]) -> None:
        """From now on tell who listens, who may be gone."""
        self._listener = listener
        raw = self._raw
        kind = type(raw) if isinstance(raw, (staticmethod, classmethod)) else None
        bound = not isinstance(self.owner, type)  # a module, or an object
        function = getattr(self.owner, self.name) if bound else raw.__func__ if kind else raw
        counted = self._counted(function)
        try:
            setattr(self.owner, self.name, counted if bound or kind is None else kind(counted))
        except (AttributeError, TypeError) as err:
            raise TraceError(
                f"on=: {self.name!r} of {self._shown} cannot be replaced ({err}); call rec.iteration() after each "
                "iteration instead"
            ) from err
        self._is_patched, self._patch = True, inspect.getattr_static(self.owner, self.name)

    def restore(self) -> None:
        """Put the method back as it was."""
        self._listener = lambda: None
        if not self._is_patched or inspect.getattr_static(self.owner, self.name) is not self._patch:
            return  # other code has patched it since; our wrapper stays in the chain, but does nothing
        self._is_patched = False
        with contextlib.suppress(AttributeError, TypeError):
            if self._is_own:
                setattr(self.owner, self.name, self._raw)
            else:
                delattr(self.owner, self.name)

    def _counted(self, function: Callable[..., object]) -> Callable[..., object]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def counted(*args: object, **named: object) -> object:
            listener = self._listener()
            if listener is None or getattr(self._inside, "now", False):
                return function(*args, **named)
            given = args
            if named:
                with contextlib.suppress(TypeError):  # which the method itself will say
                    given = signature.bind(*args, **named).args
            if not self._ends(given):
                return function(*args, **named)
            self._inside.now = True
            try:
                self.arguments = given
                listener.begin_call()
                result = function(*args, **named)
            finally:
                self._inside.now = False
            listener.end_call()
            return result

        return counted

    def _ends(self, arguments: tuple[object, ...]) -> bool:
        """Whether the call counts."""
        try:
            return bool(self._counts(*arguments[: self._n_asked]))
        except Exception as err:
            raise TraceError(
                f"on=: its function, which says whether a call counts, fails: {type(err).__name__}: {err}. It gets the "
                f"arguments of {self.name!r}, its object first"
            ) from err

    def root_of(self, root: Callable[..., object]) -> Callable[[], object]:
        """The function that gives the root, where it is one of the method's arguments: without any before the first
        call, when there is no root yet."""
        n = _n_positional(root)
        if n == 0:
            return root

        def found() -> object:
            arguments = self.arguments
            return None if arguments is None else root(*arguments[:n])

        return found


def _n_positional(function: Callable[..., object]) -> int:
    """How many arguments it takes by place; many where it takes any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 1_000
    return sum(
        each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters
    )
