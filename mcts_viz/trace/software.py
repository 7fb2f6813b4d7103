"""Versions of what computed the numbers of a trace, for its metadata."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata as packages

import numpy as np


def software() -> dict[str, str]:
    """Version by name."""
    return {
        "mcts_viz": _version("mcts_viz") or "0.1.0",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": _version("numba") or "",
    }


@cache
def _version(package: str) -> str | None:
    """The version of an installed package; cached, as the look-up takes longer than a short search."""
    try:
        return packages.version(package)
    except packages.PackageNotFoundError:
        return None
