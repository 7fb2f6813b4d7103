"""The last few results of something that takes long to make."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

Kept = TypeVar("Kept")


class Cache:
    """The last few results by key; a missing one is made by one thread while the others wait."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The result kept under the key, made now if need be."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]  # type: ignore[return-value] # made by this `make`
            made = make()
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self._size:
                    oldest, _ = self._kept.popitem(last=False)
                    self._making.pop(oldest, None)
            return made

    def keys(self) -> list[Hashable]:
        """The keys of the stored results."""
        with self._lock:
            return list(self._kept)

    def forget(self, key: Hashable) -> None:
        """Let go of a result, if it is there."""
        with self._lock:
            self._kept.pop(key, None)
            self._making.pop(key, None)
