"""The files of a fleet's tables: part files, each written once, partitioned by run.

A part is three files of one name: `moves` and `findings` first, `searches` last, which makes it count. Rows leave a
part, or parts become one, by a new part that says which ones it replaces.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mcts_viz.errors import TraceError
from mcts_viz.fleets.columns import TABLES, VERSION, VERSION_KEY, schema
from mcts_viz.fleets.place import TABLES_FOLDER, Folder, Store
from mcts_viz.fleets.query import REBUILD

if TYPE_CHECKING:
    import pyarrow.dataset as ds

REPLACES_KEY = b"mcts_viz.fleet.replaces"
TAGS = f"{TABLES_FOLDER}/tags.json"
TAIL = "searches"  # the table that makes a part count
COMPACT_ROWS = 200_000  # searches of a part that compaction makes


class Part(NamedTuple):
    """A part that counts."""

    run: str
    name: str


def part_name(content: object) -> str:
    """The name of a part with that content: equal content has an equal name, so that no part is stored twice."""
    return hashlib.blake2b(repr((VERSION, content)).encode(), digest_size=10).hexdigest()


def file_of(table: str, part: Part) -> str:
    """The file of a part."""
    return f"{TABLES_FOLDER}/{table}/run={quote(part.run, safe=' ')}/{part.name}.parquet"


class PartFiles:
    """All parts at a place."""

    def __init__(self, at: Folder | Store) -> None:
        self.at = at

    def parts(self) -> list[Part]:
        """The valid parts. Parts with other versions of the columns, and replaced ones, are deleted."""
        found: list[Part] = []
        replaced: set[str] = set()
        for file in self.at.names(f"{TABLES_FOLDER}/{TAIL}", ".parquet"):
            folder, name = file.split("/")[-2:]
            part = Part(unquote(folder.removeprefix("run=")), name.removesuffix(".parquet"))
            told = self._told(file)
            if told.get(VERSION_KEY) != str(VERSION).encode():
                self.delete(part)
                continue
            try:
                replaced.update(map(str, json.loads(told.get(REPLACES_KEY, b"[]"))))
            except (ValueError, TypeError):  # damaged: made anew
                self.delete(part)
                continue
            found.append(part)
        for part in found:
            if part.name in replaced:
                self.delete(part)
        return [part for part in found if part.name not in replaced]

    def _told(self, file: str) -> Mapping[bytes, bytes]:
        try:
            return dict(self.at.schema(file).metadata or {})
        except (pa.ArrowException, OSError, ValueError):  # names of columns that are no text
            return {}  # damaged: made anew

    def write(
        self, part: Part, tables: Mapping[str, pa.Table], replaces: Iterable[str] = ()
    ) -> None:
        """A new part, `searches` last."""
        names = json.dumps(sorted(replaces)).encode()
        for table in sorted(TABLES, key=lambda each: each == TAIL):
            rows = tables[table]
            told = {**(schema(table).metadata or {}), REPLACES_KEY: names}
            sink = io.BytesIO()
            rows = rows.drop_columns(["run"]).replace_schema_metadata(told)  # the folder says it
            pq.write_table(rows, sink, compression="zstd")
            self.at.write(file_of(table, part), sink.getvalue())

    def delete(self, part: Part) -> None:
        """`searches` first, so that a part is never half there."""
        for table in sorted(TABLES, key=lambda each: each != TAIL):
            self.at.delete(file_of(table, part))

    def read(
        self,
        table: str,
        parts: Sequence[Part],
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
    ) -> pa.Table:
        """The rows of some parts, as they lie there."""
        wanted = list(columns) if columns is not None else [each.name for each in TABLES[table]]
        if not parts:
            return schema(table).empty_table().select(wanted)
        try:
            found = self.dataset(table, parts).to_table(columns=wanted, filter=where)
            found.validate(full=True)  # texts that are none, say
        except FileNotFoundError:
            raise  # another process has written other parts
        except (pa.ArrowException, OSError, ValueError) as err:
            reason = str(err).partition("\n")[0]
            raise TraceError(
                f"{self.at.address}/{TABLES_FOLDER}: the table {table} is not readable: {reason}; {REBUILD}"
            ) from err
        return found

    def dataset(self, table: str, parts: Sequence[Part]) -> ds.Dataset:
        """The rows of some parts, read when they are asked for."""
        return self.at.dataset([file_of(table, part) for part in parts], schema(table))

    def paths(self, table: str, parts: Sequence[Part]) -> list[str] | None:
        """The files of some parts, for readers of Parquet that take the run from the folder's name; None where these
        could not tell it, or the files are elsewhere."""
        if not isinstance(self.at, Folder) or "=" in self.at.address:
            return None
        return [f"{self.at.address}/{file_of(table, part)}" for part in parts]

    def without(self, part: Part, search_ids: pa.Array) -> None:
        """Take the rows of some searches out of a part, which makes another one of it, or none."""
        kept = {}
        for table in TABLES:
            rows = self.read(table, [part])
            kept[table] = rows.filter(pc.invert(pc.is_in(rows["search_id"], search_ids)))
        if not kept[TAIL].num_rows:
            self.delete(part)
            return
        ids = kept[TAIL]["search_id"].to_pylist()
        self.write(Part(part.run, part_name(["without", part, ids])), kept, [part.name])
        self.delete(part)

    def compact(self) -> tuple[int, int]:
        """Merge the parts of each run, up to COMPACT_ROWS searches each; returns how many there were, and are."""
        parts = self.parts()
        left = len(parts)
        for run in sorted({part.run for part in parts}):
            gathered: list[Part] = []
            n_rows = 0
            for part in [each for each in parts if each.run == run]:
                n = self.read(TAIL, [part], ["offset"]).num_rows
                if gathered and n_rows + n > COMPACT_ROWS:
                    left -= self._joined(gathered)
                    gathered, n_rows = [], 0
                gathered.append(part)
                n_rows += n
            left -= self._joined(gathered)
        return len(parts), left

    def _joined(self, parts: Sequence[Part]) -> int:
        """Make one part of them; how many fewer there are."""
        if len(parts) < 2:
            return 0
        tables = {table: self.read(table, parts) for table in TABLES}
        names = [part.name for part in parts]
        self.write(Part(parts[0].run, part_name(["joined", names])), tables, names)
        for part in parts:
            self.delete(part)
        return len(parts) - 1

    def tags(self) -> dict[str, list[str]]:
        """The tags of each run that has some."""
        content = self.at.read(TAGS)
        if content is None:
            return {}
        try:
            found = json.loads(content)
            return {str(run): [str(tag) for tag in tags] for run, tags in found.items()}
        except (ValueError, AttributeError, TypeError) as err:
            raise TraceError(
                f"{self.at.address}/{TAGS}: is no JSON object of lists; mend or delete it"
            ) from err

    def set_tags(self, run: str, tags: Sequence[str]) -> None:
        """Set a run's tags; none remove it from the list."""
        now = {**self.tags(), run: list(dict.fromkeys(tags))}
        kept = {name: words for name, words in sorted(now.items()) if words}
        self.at.write(TAGS, json.dumps(kept, ensure_ascii=False, indent=1).encode() + b"\n")
