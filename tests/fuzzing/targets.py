"""What is fed with inputs that lie: every way from outside into the package. Each takes one input, made from a seed,
and raises whatever is not one of the package's own errors."""

from __future__ import annotations

import base64
import io
import json
import random
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.importing.formats import import_trace
from mcts_viz.trace.batches import BATCH_CRC_KEY, checksum, to_batch
from mcts_viz.trace.format import META_CRC_KEY, META_KEY, Rows, schema
from mcts_viz.trace.index.layout import HEAD
from mcts_viz.trace.index.opening import columns_from, found_index, make_index, places
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.rows import joined
from mcts_viz.web.access import Access
from tests.fuzzing.mutation import NASTY, WORDS, as_json, worse_bytes, worse_json
from tests.importing.make_agent_logs import journal, moatless_tree, openevolve_log
from tests.recording.player_searches import FIELDS, MaxN
from tests.trace.files import record

LOG = Path(__file__).parents[1] / "importing/llm_reasoners_log.json"
EVENTS: list[dict[str, Any]] = [
    {"format_version": 2, "game": "tic_tac_toe", "root": {"to_move": 0}, "players": ["X", "O"],
     "policies": {"selection": {"name": "ucb1", "c": 1.4}, "final_move": {"name": "most_visits"}},
     "reward_range": [-1, 1], "value_range": [-1, 1], "seed": 1, "budget": {"iterations": 3, "seconds": None}},
    {"new_nodes": [{"parent": 0, "action": 4, "to_move": 1, "prior": 0.5}], "leaf": 1, "outcome": 1.0, "elapsed": 5,
     "updates": [{"node": 0, "visits": 1, "value": 0.0}, {"node": 1, "visits": 1, "value": 1.0}], "rollout": [0, 1]},
    {"new_nodes": [{"parent": 0, "action": 3}, {"parent": 1, "action": 0, "outcome": 1.0}], "leaf": 3, "outcome": -1.0,
     "elapsed": 9, "updates": [{"node": 0, "visits": 1, "value": 0.0}], "rollout": [],
     "proven": [{"node": 3, "outcome": 1.0}], "changed_states": [{"node": 1, "state": "x"}],
     "played": [{"action": 4}]},
]  # fmt: skip


class RefusedError(Exception):
    """The package has said no, in its own words."""


class Fuzzed:
    """The targets over a folder of their own; each takes a generator of random numbers, makes one input of it, and
    says in the end whether it was taken or refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        trace = record(folder / "whole.mcts", game="tic_tac_toe", iterations=250)
        other = record(folder / "other.mcts", iterations=120)
        assert trace.path is not None
        assert other.path is not None
        self._trace, self._contents = trace, [trace.path.read_bytes(), other.path.read_bytes()]
        self._rows = list(TraceFile(trace.path).rows())
        self._log = json.loads(LOG.read_text(encoding="utf-8"))
        self._log["logs"] = self._log["logs"][:3]
        self._snapshots = [json.loads(trace.at(t).to_json() or "") for t in (5, 12)]
        mv.search("tic_tac_toe", iterations=50, seed=1, path=folder / "mine.mcts")
        self._agents = [openevolve_log(8), journal(6), journal(6, 2, True), moatless_tree(8)]
        self._of_players = _rows_of_players(folder / "players.mcts")

    @cache  # noqa: B019 (one for each of a test run)
    def client(self) -> tuple[FlaskClient, str]:
        """A page over the folder, whose errors come here, and the key of its trace."""
        store = self.folder / "store"
        store.mkdir()
        app = page.make_app([self.folder / "mine.mcts"], store=store, access=Access())
        app.server.config["PROPAGATE_EXCEPTIONS"] = True
        client = app.server.test_client()
        return client, client.get("/api/start").get_json()["key"]

    def trace_bytes(self, rng: random.Random) -> None:
        """A trace file, bytes of which are wrong."""
        content, other = rng.sample(self._contents, 2)
        self._open("a.mcts", worse_bytes(rng, content, other))

    def metadata(self, rng: random.Random) -> None:
        """A trace file whose metadata lie, under the right checksum."""
        document = worse_json(rng, dict(self._trace.meta))
        fields = schema(self._trace.meta).with_metadata(
            {META_KEY: document, META_CRC_KEY: b"%08x" % zlib.crc32(document)}
        )
        self._open("m.mcts", self._stream(fields, self._rows[:1]), questions=True)

    def rows(self, rng: random.Random) -> None:
        """A trace file whose numbers lie, under the right checksum."""
        meta, rows = (self._trace.meta, self._rows[0]) if rng.random() < 0.7 else self._of_players
        values: dict[str, Any] = {field.name: rows.values[field.name] for field in rows.fields}
        for _ in range(rng.choice((1, 1, 2))):
            name = rng.choice([*values, "nodes", "updates"])
            if isinstance(values[name], np.ndarray):
                values[name] = _worse_array(rng, values[name])
            elif hasattr(values[name], "values"):
                group = values[name]
                inner = {column.name: group.values[column.name] for column in group.columns}
                arrays = [key for key in inner if isinstance(inner[key], np.ndarray)]
                offset = group.offset
                if arrays and rng.random() < 0.8:
                    key = rng.choice(arrays)
                    inner[key] = _worse_array(rng, inner[key])
                else:
                    offset = _worse_array(rng, offset)
                values[name] = type(group)(offset, group.recorded, **inner)
        try:
            content = self._stream(schema(meta), [type(rows)(**values)], meta.format_version)
        except (pa.ArrowException, ValueError, IndexError):
            raise RefusedError from None  # no program can write this
        self._open("r.mcts", content, questions=True)

    def _stream(self, fields: pa.Schema, rows: list[Any], version: int = 2) -> bytes:
        made = io.BytesIO()
        with pa.ipc.new_stream(made, fields) as stream:
            for each in rows:
                crc = b"%08x" % checksum(each, version)
                stream.write_batch(to_batch(each, fields), custom_metadata={BATCH_CRC_KEY: crc})
        return made.getvalue()

    def events(self, rng: random.Random) -> None:
        """A stream of events."""
        lines = [as_json(each) for each in EVENTS]
        if rng.random() < 0.8:
            place = rng.randrange(len(lines))
            lines[place] = worse_json(rng, EVENTS[place])
        else:
            rng.shuffle(lines)
        content = b"\n".join(lines)
        if rng.random() < 0.2:
            content = worse_bytes(rng, content)
        self._import("e.ndjson", content, "events", lenient=rng.random() < 0.5)

    def agent_logs(self, rng: random.Random) -> None:
        """A log of an agent: programs, journals, trees, or records of any form."""
        found = rng.choice(self._agents)
        if isinstance(found, list) and rng.random() < 0.5:
            lines = [as_json(each) for each in found]
            place = rng.randrange(len(lines))
            lines[place] = worse_json(rng, found[place])
            content = b"\n".join(lines)
        else:
            content = worse_json(rng, found)
        kind = rng.choice((None, None, "records", "openevolve", "aide", "ai-scientist", "moatless"))
        self._import("g.json", content, kind, lenient=rng.random() < 0.5)

    def documents(self, rng: random.Random) -> None:
        """A trace file whose nodes have documents, what is told of them wrong under the right checksum."""
        told = {
            "documents": [[0, 0, "plan", "text", 5, 20], [3, 1, "code", "code", 3, 20]],
            "numbers": [[0, 0, "score", 0.5], [2, 1, "cost", 2.0]],
            "late": [[1, 1, "label", "x"], [1, 1, "to_move", 1], [2, 1, "prior", 0.5]],
            "remarks": [[0, 0, "note"]], "value_gaps": [[0, 0, True]],
            "misses": [[5, 0, 1, 2, 0.5, 0.7]], "changed_states": [[3, 1, "x"]], "played": [[-1, 0, 4]],
        }  # fmt: skip
        contents = worse_bytes(rng, base64.b64encode(zlib.compress(b"hello")) * 2)
        made = io.BytesIO()
        rows, fields = self._rows[0], schema(self._trace.meta)
        custom = {
            BATCH_CRC_KEY: b"%08x" % checksum(rows, 2),
            b"mcts_viz.document_contents": contents,
        }
        worse = rng.choice([*told])
        for name, each in told.items():
            text = worse_json(rng, each) if name == worse else as_json(each)
            custom[f"mcts_viz.{name}".encode()] = _with_checksum(text)
        with pa.ipc.new_stream(made, fields) as stream:
            stream.write_batch(to_batch(rows, fields), custom_metadata=custom)
        path = self.folder / "d.mcts"
        path.write_bytes(made.getvalue())
        trace = _own(lambda: mv.open(path))
        _ask(trace, questions=True)
        for node in (0, 1):
            for document in trace.documents(node):
                _allowed(lambda each=document: each.text)
        _allowed(lambda: trace.find_text("hello"))

    def many(self, rng: random.Random) -> None:
        """A file of many searches, bytes of which are wrong."""
        path = self.folder / "w.many"
        path.write_bytes(worse_bytes(rng, self._many(), self._contents[0]))
        found = _own(lambda: mv.ManyTraces(path))
        refused = 0
        for number in range(min(len(found), 3)):
            try:
                _ask(_own(lambda n=number: found[n]))
            except RefusedError:  # noqa: PERF203 (the others are asked for as well)
                refused += 1
        if refused:
            raise RefusedError

    @cache  # noqa: B019 (one for each of a test run)
    def _many(self) -> bytes:
        path = self.folder / "good.many"
        plain = {"game": "tic_tac_toe", "iterations": 20, "compile": False}
        mv.search_many([{**plain, "seed": seed} for seed in range(3)], path)
        return path.read_bytes()

    def index(self, rng: random.Random) -> None:
        """The index beside a trace, the head of which is wrong, or which is cut off: it is not used, or answers. (Its
        columns are mapped, and nobody reads all of them before they are used.)"""
        trace = self.folder / "whole.mcts"
        place = places(trace)[0]
        whole = self._index()
        head = worse_bytes(rng, whole[:2_000], self._contents[1]) + whole[2_000:HEAD]
        made = (head if rng.random() < 0.7 else whole[:HEAD]) + whole[HEAD:]
        place.write_bytes(made[: rng.randrange(len(made))] if rng.random() < 0.2 else made)
        try:
            file = TraceFile(trace)
            found = found_index(file)
            if found is None:
                raise RefusedError
            _ask(mv.Trace(file.meta, columns_from(file, found), file))
        except mv.MctsVizError as err:
            raise _said(err) from err
        finally:
            place.unlink(missing_ok=True)

    @cache  # noqa: B019 (one for each of a test run)
    def _index(self) -> bytes:
        return make_index(self.folder / "whole.mcts").read_bytes()

    def fleet(self, rng: random.Random) -> None:
        """The tables of a fleet, bytes of one of which are wrong."""
        folder, tables = self._fleet()
        path = rng.choice([*tables])
        path.write_bytes(worse_bytes(rng, tables[path], self._contents[0]))
        try:
            fleet = _own(lambda: mv.fleet(folder))
            _own(lambda: fleet.sql("select * from searches join moves using (search_id)"))
            _own(lambda: fleet.check())
        finally:
            for each in folder.rglob("*.parquet"):
                each.unlink()
            for each, content in tables.items():
                each.write_bytes(content)

    @cache  # noqa: B019 (one for each of a test run)
    def _fleet(self) -> tuple[Path, dict[Path, bytes]]:
        folder = self.folder / "runs"
        folder.mkdir()
        (folder / "a.many").write_bytes(self._many())
        mv.fleet(folder)
        return folder, {path: path.read_bytes() for path in folder.rglob("*.parquet")}

    def llm_reasoners(self, rng: random.Random) -> None:
        """A log of llm-reasoners."""
        self._import("l.json", worse_json(rng, self._log), "llm-reasoners")

    def snapshots(self, rng: random.Random) -> None:
        """Two snapshots of a search."""
        first, second = self._snapshots
        paths = [self.folder / "s1.json", self.folder / "s2.json"]
        paths[0].write_bytes(as_json(first))
        paths[1].write_bytes(worse_json(rng, second))
        rng.shuffle(paths)
        _own(lambda: import_trace(paths, self.folder / "s.mcts", format="snapshots"))
        _ask(mv.open(self.folder / "s.mcts"))

    def snapshot(self, rng: random.Random) -> None:
        """A snapshot's JSON, opened as a trace."""
        self._open("s.json", worse_json(rng, rng.choice(self._snapshots)), questions=True)

    def unknown(self, rng: random.Random) -> None:
        """Anything, of which the importer has to find out what it is."""
        contents = [
            *self._contents,
            as_json(self._log),
            b"\n".join(map(as_json, EVENTS)),
            b"",
            as_json(self._snapshots[0]),
        ]
        self._import(
            "u",
            worse_bytes(rng, rng.choice(contents)[:20_000], rng.choice(contents)),
            None,
            rng.random() < 0.5,
        )

    def notes(self, rng: random.Random) -> None:
        """A note that the page sends."""
        client, key = self.client()
        note = {
            "iteration": 3,
            "node": 1,
            "text": "here",
            "created": "2026-01-01T00:00:00+00:00",
            "revision": 0,
            "phase": 1,
        }
        id_ = rng.choice(("0123456789abcdef", rng.choice(WORDS)))
        address = f"/api/trace/{key}/notes/{_quoted(id_)}"
        body, kind = worse_json(rng, note), rng.choice(("application/json", "text/plain"))
        if rng.random() < 0.8:
            _answered(client.put(address, data=body, content_type=kind))
        else:
            _answered(client.delete(address, data=body, content_type=kind))

    def notes_file(self, rng: random.Random) -> None:
        """The file beside a trace in which its notes are."""
        client, key = self.client()
        document = {"kind": "notes", "format_version": 1, "notes": [
            {"id": "0123456789abcdef", "iteration": 3, "node": 1, "text": "x", "created": "2026-01-01T00:00:00+00:00",
             "revision": 1}]}  # fmt: skip
        (self.folder / "mine.notes.json").write_bytes(worse_json(rng, document))
        _answered(client.get(f"/api/trace/{key}/notes"))
        _answered(client.get(f"/api/trace/{key}/notes/export?format=markdown"))

    def routes(self, rng: random.Random) -> None:
        """A question to the server."""
        client, key = self.client()
        address = rng.choice(ADDRESSES)
        for name in ("key", "a", "b", "c"):
            word = rng.choice(("0", "1", "7", "50", rng.choice(WORDS)))
            address = address.replace(
                f"<{name}>", key if name == "key" and rng.random() < 0.9 else _quoted(word)
            )
        names = rng.sample(QUERY, rng.choice((0, 1, 2, 3, 5)))
        query = "&".join(f"{name}={_quoted(rng.choice(WORDS))}" for name in names)
        method = rng.choice(("get",) * 9 + ("put", "post", "delete", "head"))
        _answered(getattr(client, method)(f"{address}?{query}"))

    def callbacks(self, rng: random.Random) -> None:
        """A panel's question at a place that may not be there, as a link can have it."""
        client, key = self.client()
        question = rng.choice(self._questions())
        cursor = {"trace": key, "iteration": 5, "phase": None, "node": 1, "view": {"focus": 0}}
        for name in rng.sample(list(cursor), rng.choice((1, 2, 3))):
            cursor[name] = rng.choice((0, 1, 7, 50, 51, -1, *NASTY))
        body = {
            "output": question["output"],
            "outputs": _outputs(question["output"]),
            "inputs": _parts(question["inputs"], cursor),
            "state": _parts(question["state"], cursor),
            "changedPropIds": [f"{each['id']}.{each['property']}" for each in question["inputs"]],
        }
        answer = client.post(
            "/_dash-update-component", data=as_json(body), content_type="application/json"
        )
        _answered(answer)
        if b"This part of the page failed" in answer.get_data():
            raise AssertionError(answer.get_data()[:300])
        if b'"sideUpdate":{"message"' in answer.get_data():
            raise RefusedError

    @cache  # noqa: B019 (one for each of a test run)
    def _questions(self) -> list[dict[str, Any]]:
        """The callbacks that show what is at the cursor."""
        client, _ = self.client()
        known = client.get("/_dash-dependencies").get_json()
        return [
            each
            for each in known
            if not each["clientside_function"] and each["inputs"][0]["id"].startswith("cursor")
        ]

    def uploads(self, rng: random.Random) -> None:
        """A file opened from the browser."""
        client, _ = self.client()
        content, other = rng.sample(self._contents, 2)
        name = rng.choice(("a.mcts", "a.json", _quoted(rng.choice(WORDS)) + ".mcts"))
        _answered(client.post(f"/api/upload?name={name}", data=worse_bytes(rng, content, other)))
        for path in (self.folder / "store").iterdir():
            path.unlink()

    def _open(self, name: str, content: bytes, questions: bool = False) -> None:
        path = self.folder / name
        path.write_bytes(content)
        trace = _own(lambda: mv.open(path))
        _ask(trace, questions)

    def _import(self, name: str, content: bytes, format: str | None, lenient: bool = False) -> None:
        path, target = self.folder / name, self.folder / "imported.mcts"
        path.write_bytes(content)
        _own(lambda: import_trace(path, target, format=format, lenient=lenient))
        _ask(mv.open(target), questions=True)


QUERY = [
    "n_iterations", "t", "from", "to", "node", "focus", "width", "last", "at", "theme", "format", "threshold",
    "recording", "budget", "opened", "closed", "whole", "least", "top", "levels", "pv", "size", "show", "colour",
    "trace", "iteration", "phase", "name", "limit",
]  # fmt: skip
ADDRESSES = [
    "/", "/static/<a>", "/assets/<a>", "/<a>/<b>", "/_dash-component-suites/<a>/<b>", "/api/start",
    "/api/match/<a>/zip",
    *(f"/api/trace/<key>/{rest}" for rest in (
        "view", "window", "icicle", "path/<a>", "timeline", "node/<a>", "export", "sizes", "picture.svg", "events",
        "board/<a>.svg", "rollout/<a>/<b>/<c>.svg", "live", "truth", "marks", "first-visit", "findings", "notes",
        "file", "notes/export", "view", "window", "icicle", "<a>",
    )),
]  # fmt: skip
TARGETS = (
    "trace_bytes", "metadata", "rows", "events", "llm_reasoners", "snapshots", "snapshot", "unknown", "notes",
    "notes_file", "routes", "callbacks", "uploads", "agent_logs", "documents", "many", "index", "fleet",
)  # fmt: skip


def fuzz(fuzzed: Fuzzed, target: str, seed: int) -> bool:
    """Feed one input; whether it was taken, or refused in the package's own words. Raises everything else."""
    run: Callable[[random.Random], None] = getattr(fuzzed, target)
    try:
        with redirect_stderr(io.StringIO()):
            run(random.Random(f"{target} {seed}"))
    except RefusedError:
        return False
    return True


def _rows_of_players(path: Path) -> tuple[TraceMeta, Rows]:
    """Of a search of three with values for each."""
    search = MaxN()
    with mv.record(path, root=search.root, **FIELDS) as rec:
        for _ in range(40):
            search.step()
            rec.iteration(outcome=search.outcome)
    file = TraceFile(path)
    return file.meta, joined([*file.rows()])


def _with_checksum(text: bytes) -> bytes:
    return b"%08x " % zlib.crc32(text) + text


def _parts(wanted: list[dict[str, str]], cursor: object) -> list[dict[str, Any]]:
    """Inputs of a callback: the cursor, the tab that is open, nothing else."""
    tab = next(
        (each["id"].removeprefix("cursor-") for each in wanted if each["id"].startswith("cursor-")),
        None,
    )
    values = {"tabs": tab}
    return [
        {**each, "value": cursor if each["id"].startswith("cursor") else values.get(each["id"])}
        for each in wanted
    ]


def _outputs(output: str) -> Any:
    """Of a callback, as a browser sends them."""
    if not output.startswith(".."):
        return dict(zip(("id", "property"), output.rsplit(".", 1)))
    parts = [each.rsplit(".", 1) for each in output[2:-2].split("...")]
    return [dict(zip(("id", "property"), part)) for part in parts]


def _own(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except mv.MctsVizError as err:
        raise _said(err) from err


def _said(err: mv.MctsVizError) -> RefusedError:
    if not str(err):
        raise AssertionError("an error without a word")
    return RefusedError()


def _ask(trace: mv.Trace, questions: bool = False) -> None:
    """What the page and the commands ask of every trace."""
    last = trace.n_iterations
    _allowed(lambda: trace.at(last).to_json())
    str(trace.status)
    repr(trace)
    if questions:
        for question in (
            lambda: trace.iteration(last), lambda: str(trace.explain()), trace.check, trace.events,
            lambda: trace.rollouts(1), lambda: trace.history(0),
        ):  # fmt: skip
            _allowed(question)


def _allowed(question: Callable[[], Any]) -> None:
    try:
        question()
    except mv.MctsVizError as err:
        _said(err)


def _answered(answer: Any) -> None:
    if answer.status_code >= 500:
        raise AssertionError(f"status {answer.status_code}: {answer.get_data()[:300]!r}")
    if answer.status_code >= 400:
        raise RefusedError


def _quoted(word: str) -> str:
    return quote(word.encode(errors="surrogatepass"), safe="%")


def _worse_array(rng: random.Random, values: Any) -> Any:
    made = values.copy()
    if len(made) == 0:
        return made
    for _ in range(rng.choice((1, 1, 3))):
        kind = made.dtype.kind
        choices: list[float] = [0, 1, -1, 2, 127, -128, 2**31 - 1, -(2**31)]
        if kind == "f":
            choices += [float("nan"), float("inf"), -float("inf"), 1e308, 1e-320, -0.0]
        elif made.dtype.itemsize == 8:
            choices += [2**63 - 1, -(2**63)]
        with np.errstate(all="ignore"):
            made[rng.randrange(len(made))] = np.array(rng.choice(choices)).astype(made.dtype)
    return made
