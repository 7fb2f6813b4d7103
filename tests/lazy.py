"""Libraries that take long to load: by the test that needs one, not by every process that collects tests."""

import importlib
from typing import Any


class Lazy:
    """A module, imported when something is first asked of it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(
            ("__", "_pytest", "pytest")
        ):  # pytest asks every name of a module for these
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)


jax, jnp, mctx = Lazy("jax"), Lazy("jax.numpy"), Lazy("mctx")
pandas = Lazy("pandas")
distributed, fsspec, moto = Lazy("distributed"), Lazy("fsspec"), Lazy("moto.server")
pyspiel, open_spiel_mcts = Lazy("pyspiel"), Lazy("open_spiel.python.algorithms.mcts")
