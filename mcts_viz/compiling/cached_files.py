"""The files in which numba keeps compiled code, checked before they are run: a crash or a full disk may leave them
empty or damaged, and numba trusts what it finds.

Loads numba: imported only where something is compiled.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mcts_viz.errors import CacheWarning

CACHING: Any = importlib.import_module("numba.core.caching")
DIGEST = 32  # bytes at the end of each file, of all before them


class CheckedFiles(CACHING.IndexDataCacheFile):  # type: ignore[misc]
    """The index of one function's compiled code, and the code. What is damaged counts as not there, so that it is
    compiled anew; what cannot be written is not kept."""

    def load(self, key: Any) -> Any:
        """What was kept under the key; None where there is nothing that can be trusted."""
        index = Path(self._index_path)
        try:
            if index.exists() and not _is_whole(index):
                self._tell(index)
                return None
            return super().load(key)
        except OSError:  # no rights, or too many files are open
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep it, if there is room."""
        with contextlib.suppress(OSError):
            super().save(key, data)

    def _load_index(self) -> Any:
        index = Path(self._index_path)
        return super()._load_index() if index.exists() and _is_whole(index) else {}

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if path.exists() and not _is_whole(path):
            self._tell(path)
            raise OSError("damaged")  # as if it were not there
        return super()._load_data(name)

    @contextlib.contextmanager
    def _open_for_write(self, path: str) -> Iterator[IO[bytes]]:
        content = io.BytesIO()
        yield content
        whole = content.getvalue()
        with super()._open_for_write(path) as file:
            file.write(whole + hashlib.sha256(whole).digest())

    def _tell(self, path: Path) -> None:
        warnings.warn(
            f"{path}: compiled code kept there was damaged; it is compiled anew, which takes some seconds",
            CacheWarning,
            stacklevel=2,
        )


def check_files(dispatcher: Any) -> None:
    """Have a dispatcher of numba's that keeps its code in files check them."""
    files = dispatcher._cache._cache_file
    # under names of their own: those without a digest are other versions'
    name = files._index_name.removesuffix(".nbi") + ".checked"
    dispatcher._cache._cache_file = CheckedFiles(files._cache_path, name, files._source_stamp)


def _is_whole(path: Path) -> bool:
    content = path.read_bytes()
    return hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]
