"""Where a fleet lies: a folder of this machine, or any address that fsspec knows, such as s3://bucket/runs.

Files have names from the fleet's folder on, with slashes. What is written is there whole or not at all.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from mcts_viz.errors import TraceError
from mcts_viz.trace.format import MANY_SUFFIX, SUFFIX

if TYPE_CHECKING:
    import pyarrow.dataset as ds
    from fsspec import AbstractFileSystem

TABLES_FOLDER = "fleet-tables"
SUFFIXES = (SUFFIX, MANY_SUFFIX)
STATE_KEYS = ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created")  # of a store's listing


class FoundFile(NamedTuple):
    """A file that may hold traces."""

    name: str
    size: int  # bytes
    state: str  # changes with its contents


def place(address: str | os.PathLike[str]) -> Folder | Store:
    """The folder or store at an address; raises TraceError where there is none."""
    text = os.fspath(address)
    if "://" in text and not text.startswith("file://"):
        return Store(text)
    return Folder(text.removeprefix("file://"))


class Folder:
    """A folder of this machine, or one that all machines of a cluster see under this name."""

    def __init__(self, address: str) -> None:
        self.address = str(Path(address).absolute())
        if not Path(address).is_dir():
            raise TraceError(
                f"{address}: there is no such folder; name one with traces (.mcts, .many)"
            )

    @property
    def name(self) -> str:
        """The name of the folder itself."""
        return Path(self.address).resolve().name or "fleet"

    def traces(self) -> list[FoundFile]:
        """The files that may hold traces, in the order of their names; links are not followed."""
        found = []
        for folder, inner, files in os.walk(self.address):
            inner[:] = [each for each in inner if each != TABLES_FOLDER]
            for file in files:
                path = Path(folder, file)
                if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
                    stat = path.stat()
                    name = path.relative_to(self.address).as_posix()
                    found.append(FoundFile(name, stat.st_size, str(stat.st_mtime_ns)))
        return sorted(found)

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        """The file, on this machine."""
        yield Path(self.address, name)

    def names(self, folder: str, suffix: str) -> list[str]:
        """Files in a folder and below, in order; none where there is no such folder."""
        inside = Path(self.address, folder).rglob(f"*{suffix}")
        return sorted(path.relative_to(self.address).as_posix() for path in inside)

    def read(self, name: str) -> bytes | None:
        """A file; None: it is not there."""
        path = Path(self.address, name)
        return path.read_bytes() if path.is_file() else None

    def write(self, name: str, content: bytes) -> None:
        """A file, under another name until it is whole. Raises TraceError."""
        path = Path(self.address, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            part.write_bytes(content)
            part.replace(path)
        except OSError as err:
            raise TraceError(
                f"{path}: cannot be written: {err.strerror or err}; make room and write access there"
            ) from err

    def delete(self, name: str) -> None:
        """A file, which may be gone already."""
        Path(self.address, name).unlink(missing_ok=True)

    def schema(self, name: str) -> pa.Schema:
        """The schema of a table's file; raises an Arrow error for a damaged one."""
        return pq.read_schema(Path(self.address, name))

    def dataset(self, names: list[str], schema: pa.Schema) -> ds.Dataset:
        """Tables as one."""
        paths = [str(Path(self.address, name)) for name in names]
        return _dataset(paths, schema, self.address)


class Store:
    """An address of fsspec, which every process opens for itself, with the access that its machine has."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")

    @cached_property
    def _files(self) -> AbstractFileSystem:
        try:
            fsspec = importlib.import_module("fsspec")
            return fsspec.core.url_to_fs(self.address)[0]
        except (ImportError, ValueError) as err:
            raise TraceError(
                f"{self.address}: cannot be reached: {err}; pip install fsspec, and for s3:// s3fs"
            ) from err

    @cached_property
    def _root(self) -> str:
        return str(self._files._strip_protocol(self.address)).rstrip("/")

    def __getstate__(self) -> dict[str, str]:
        return {"address": self.address}

    @property
    def name(self) -> str:
        """The name of the folder itself."""
        return self.address.rpartition("/")[2]

    def traces(self) -> list[FoundFile]:
        """The files that may hold traces, in the order of their names."""
        found = []
        for path, told in self._listed(""):
            name = path.removeprefix(self._root).lstrip("/")
            if name.lower().endswith(SUFFIXES) and TABLES_FOLDER not in name.split("/")[:-1]:
                state = next((str(told[key]) for key in STATE_KEYS if told.get(key)), "")
                found.append(FoundFile(name, int(str(told["size"])), state))
        return sorted(found)

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        """A copy of the file on this machine."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name.rpartition("/")[2])
            self._files.get_file(self._full(name), str(path))
            yield path

    def names(self, folder: str, suffix: str) -> list[str]:
        """Files in a folder and below, in order; none where there is no such folder."""
        names = [path.removeprefix(self._root).lstrip("/") for path, _ in self._listed(folder)]
        return sorted(name for name in names if name.endswith(suffix))

    def read(self, name: str) -> bytes | None:
        """A file; None: it is not there."""
        try:
            return bytes(self._files.cat_file(self._full(name)))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """A file, which a store shows when it has it whole. Raises TraceError."""
        try:
            self._files.makedirs(self._full(name).rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(self._full(name), content)
        except OSError as err:
            raise TraceError(f"{self.address}/{name}: cannot be written: {err}") from err

    def delete(self, name: str) -> None:
        """A file, which may be gone already."""
        try:
            self._files.rm_file(self._full(name))
        except FileNotFoundError:
            return

    def schema(self, name: str) -> pa.Schema:
        """The schema of a table's file; raises an Arrow error for a damaged one."""
        return pq.read_schema(self._full(name), filesystem=self._files)

    def dataset(self, names: list[str], schema: pa.Schema) -> ds.Dataset:
        """Tables as one."""
        paths = [self._full(name) for name in names]
        return _dataset(paths, schema, self._root, self._files)

    def _listed(self, folder: str) -> list[tuple[str, dict[str, object]]]:
        self._files.invalidate_cache()
        try:
            listed = self._files.find(self._full(folder), detail=True)
        except FileNotFoundError:
            return []
        except (
            Exception
        ) as err:  # of the store's own library: no access, no such bucket, no network
            raise TraceError(
                f"{self.address}: cannot be read: {err}; check the address, and the access to it in the environment"
            ) from err
        return [(str(path), told) for path, told in listed.items()]

    def _full(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root


def _dataset(
    paths: list[str], schema: pa.Schema, root: str, files: AbstractFileSystem | None = None
) -> ds.Dataset:
    """Files of Parquet in folders run=NAME."""
    arrow = importlib.import_module("pyarrow.dataset")  # brings pandas, which no scan needs
    by_run = arrow.partitioning(pa.schema([("run", pa.string())]), flavor="hive")
    return arrow.dataset(paths, schema, "parquet", files, by_run, partition_base_dir=root)
