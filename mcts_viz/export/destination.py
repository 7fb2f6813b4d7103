"""Where an export goes: a file that is either whole or not there.

The text is written beside the target under a passing name and then takes its place in one step, so
that a failure half-way leaves what was there before. Knows nothing of what is written.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from mcts_viz.errors import ExportError


def write_chunks(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> Path:
    """Write the pieces to `path` and return it; raises ExportError, having changed nothing, when
    that is impossible.

    A link is followed. A pipe or a device cannot be replaced and is written to directly.
    """
    target = Path(path)
    try:
        real = Path(os.path.realpath(target))
        if real.is_dir():
            raise ExportError(f"{target} is a folder; give the name of a file in it")
        if not real.parent.is_dir():
            raise ExportError(f"the folder of {target} does not exist; create it first")
        if real.exists() and not real.is_file():
            _write(real, "wb", chunks)
        else:
            _replace(real, chunks)
    except (OSError, ValueError) as err:  # ValueError: a NUL in the name
        reason = getattr(err, "strerror", None) or err
        raise ExportError(f"cannot write {target}: {reason}; nothing was changed") from err
    return target


def _replace(real: Path, chunks: Iterable[bytes]) -> None:
    passing = real.parent / f".export-{secrets.token_hex(8)}.part"
    try:
        _write(passing, "xb", chunks)
        if real.exists():
            shutil.copymode(real, passing)
        os.replace(passing, real)
    except BaseException:
        passing.unlink(missing_ok=True)
        raise


def _write(path: Path, mode: str, chunks: Iterable[bytes]) -> None:
    with open(path, mode) as file:
        for chunk in chunks:
            file.write(chunk)
