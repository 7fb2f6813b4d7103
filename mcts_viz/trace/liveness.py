"""Whether a trace file is still being written: its writer holds an advisory lock, which the system releases when the
process ends in any way.

Without such locks (Windows, some network file systems) this is not known.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TRIES, PAUSE = 20, 0.002  # a reader that is just asking holds the lock for an instant


def hold(file: IO[bytes]) -> bool:
    """Take the lock for as long as the file is open; False where another writer has it. One that only readers
    keep from us, or that this system has not got, is no error."""
    if fcntl is None:
        return True
    for _ in range(TRIES):
        if _locked(file, fcntl.LOCK_EX):
            return True
        time.sleep(PAUSE)
    return _locked(file, fcntl.LOCK_SH)


def release(file: IO[bytes]) -> None:
    """Let go of the lock before the file is closed: a process forked meanwhile still has it open."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def _locked(file: IO[bytes], kind: int) -> bool:
    """Whether there is nothing more to be tried."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without such locks
        return True
    return True


def is_held(path: Path) -> bool | None:
    """Whether a process has the file open for writing; None where this is not known. Readers that ask at
    the same time do not disturb each other."""
    if fcntl is None:
        return None
    with contextlib.suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
    return None
