"""Logs of llm-reasoners and sequences of snapshots become one trace, number by number."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from tests.complaints import complaints

LOG = Path(__file__).parent / "llm_reasoners_log.json"


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(LOG.read_text(encoding="utf-8"))["logs"]
    return found


def node_of(trace: mv.Trace, t: int, path: list[str]) -> int:
    """The node at the end of the log's path of ids, by places among siblings."""
    entry, at = entries()[t - 1], 0
    for above, node in itertools.pairwise(path):
        siblings = [str(e["target"]) for e in entry["edges"].values() if str(e["source"]) == above]
        (at,) = (
            child
            for child in trace.at(t).children(at)
            if trace.at(t).action[child] == siblings.index(node)
        )
    return at


def test_a_log_and_snapshots_are_told_by_how_they_begin(tmp_path: Path) -> None:
    log = mv.import_trace(LOG, tmp_path / "log.mcts")
    told = mv.open(tmp_path / "log.mcts")
    assert (log.n_iterations, log.n_nodes) == (told.n_iterations, told.n_nodes)
    assert told.n_iterations == len(entries())
    search = mv.search("tic_tac_toe", iterations=30, seed=1)
    files = [tmp_path / f"{t}.json" for t in (10, 20, 30)]
    for t, file in zip((10, 20, 30), files):
        search.at(t).to_json(file)
    report = mv.import_trace(files, tmp_path / "three.mcts")
    three = mv.open(tmp_path / "three.mcts")
    assert (report.n_iterations, three.n_iterations) == (3, 3)
    assert three.at(2).visits.tolist() == search.at(20).visits.tolist()


def test_what_is_read_as_a_whole_does_not_come_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LOG.open() as stdin, monkeypatch.context() as patched:
        patched.setattr("sys.stdin", stdin)
        refuse(tmp_path)


def refuse(tmp_path: Path) -> None:
    with pytest.raises(mv.ImportFormatError, match="write it to a file first"):
        mv.import_trace("-", tmp_path / "log.mcts", format="llm-reasoners")


def test_every_q_of_the_log_is_the_mean_at_its_iteration(tmp_path: Path) -> None:
    mv.from_llm_reasoners(LOG, tmp_path / "run.mcts")
    trace = mv.open(tmp_path / "run.mcts")
    assert (trace.n_iterations, trace.complete) == (len(entries()), True)
    for t, entry in enumerate(entries(), start=1):
        snapshot = trace.at(t)
        assert len(snapshot) == len(entry["nodes"])
        assert snapshot.visits[0] == t
        into = {str(edge["target"]): edge for edge in entry["edges"].values()}
        for node in entry["nodes"]:
            path = [node]
            while path[0] in into:
                path.insert(0, str(into[path[0]]["source"]))
            here = node_of(trace, t, path)
            if here and snapshot.visits[here]:
                assert snapshot.mean_value[here] == pytest.approx(into[node]["data"]["Q"])


def test_visits_are_the_paths_that_the_search_took() -> None:
    """Counted by the script that made the log, which knows them."""
    trace = mv.from_llm_reasoners(LOG)
    last = trace.at(trace.n_iterations)
    assert sorted(last.visits[last.depth == 1].tolist(), reverse=True) == VISITS_BELOW_THE_ROOT
    assert complaints(trace) == []


VISITS_BELOW_THE_ROOT = json.loads(LOG.read_text(encoding="utf-8"))["visits_below_the_root"]


def test_it_says_what_the_log_does_not_tell() -> None:
    trace = mv.from_llm_reasoners(LOG)
    assert {"outcome", "rollout", "value of the root"} <= set(trace.meta["not_observed"])
    assert "no visits" in trace.meta["notes"][0]
    assert trace.meta["players"] == ["language model"]
    last = trace.at(trace.n_iterations)
    visited = int(last.visits[1:].argmax()) + 1
    assert "answer: " in str(last.state(visited))
    assert last.label(visited).startswith("How many")


@pytest.mark.parametrize("q", [1e308, -1e300, 3.5e38])
def test_a_value_that_no_trace_can_hold_is_refused_at_its_place(q: float, tmp_path: Path) -> None:
    logs = entries()
    edges = logs[1]["edges"]
    edge = next(iter(edges.values() if isinstance(edges, dict) else edges))
    edge["data"]["Q"] = q
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"logs": logs}), encoding="utf-8")
    with pytest.raises(mv.ImportFormatError, match=r"logs\[1\]: edge .*more than a trace can hold"):
        mv.from_llm_reasoners(path)


def test_a_log_without_marked_paths_says_so(tmp_path: Path) -> None:
    logs = entries()
    for entry in logs:
        for node in entry["nodes"].values():
            node["selected_edge"] = None
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"logs": logs}), encoding="utf-8")
    trace = mv.from_llm_reasoners(path)
    assert trace.at(trace.n_iterations).visits[1:].sum() == 0
    assert len(trace.meta["notes"]) == 1


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "log.json: not JSON: it ends too early.*TreeLog"),
        ("[]", r"the JSON: \[\] is not an object; a log of llm-reasoners is .*TreeLog"),
        ('{"logs": []}', r"logs: \[\] is not a list of length >= 1; a log of llm-reasoners"),
        ("[" * 100_000, r"the JSON: the value there is not an object"),
        ('{"logs": [{"nodes": {}, "edges": {}}]}', r"logs\[0\]: 0 nodes have no parent"),
        ('{"logs": [{"nodes": [1], "edges": {}}]}', r"logs\[0\]\.nodes\[0\]: 1 is not an object"),
        (
            '{"logs": [{"nodes": {"0": {"id": 0}}, "edges": {"0": {"id": 0, "source": 0, "target": 5}}}]}',
            "edge 0 leads from 0 to 5, which makes no tree",
        ),
        (
            json.dumps(
                {
                    "logs": [
                        {
                            "nodes": {str(i): {"id": i} for i in range(4)},
                            "edges": [
                                {"id": 0, "source": 0, "target": 3},
                                {"id": 1, "source": 1, "target": 2},
                                {"id": 2, "source": 2, "target": 1},
                            ],
                        }
                    ]
                }
            ),
            r"logs\[0\]: the edges 2 → 1 → 2 make a circle that the root 0 does not lead to",
        ),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, document: str, message: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(document, encoding="utf-8")
    with pytest.raises(mv.ImportFormatError, match=message):
        mv.from_llm_reasoners(path)


def test_a_q_beyond_all_floats_counts_as_none(tmp_path: Path) -> None:
    logs = entries()
    edge = next(iter(logs[0]["edges"].values()))
    edge["data"] = {"Q": 10**400, "reward": 0.25}
    logs[0]["nodes"][str(edge["source"])]["selected_edge"] = edge["id"]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"logs": logs[:1]}), encoding="utf-8")
    assert mv.from_llm_reasoners(path).at(1).value_sum[1] == 0.25


# ---- snapshots -------------------------------------------------------------------------------------------------------


def snapshots(tmp_path: Path, seed: int = 1) -> tuple[mv.Trace, list[Path]]:
    trace = mv.search("tic_tac_toe", "uct", iterations=300, seed=seed, compile=False)
    paths = []
    for t in (300, 40, 120):
        paths.append(tmp_path / f"{seed}-{t}.json")
        trace.at(t).to_json(paths[-1])
    return trace, paths


def test_a_sequence_of_snapshots_is_a_trace_with_a_row_for_each(tmp_path: Path) -> None:
    original, paths = snapshots(tmp_path)
    mv.from_snapshots(paths, tmp_path / "all.mcts")
    trace = mv.open(tmp_path / "all.mcts")
    assert trace.meta["snapshot_iterations"] == [40, 120, 300]
    for row, t in enumerate((40, 120, 300), start=1):
        expected, found = original.at(t), trace.at(row)
        assert found.parent.tolist() == expected.parent.tolist()
        assert found.visits.tolist() == expected.visits.tolist()
        assert found.value_sum.tolist() == expected.value_sum.tolist()
        assert found.labels() == expected.labels()
    assert complaints(trace) == []
    assert "single iterations" in trace.meta["not_observed"]


def test_snapshots_of_two_searches_are_refused(tmp_path: Path) -> None:
    _, first = snapshots(tmp_path, 1)
    _, second = snapshots(tmp_path, 2)
    with pytest.raises(mv.ImportFormatError, match=r"as .*1-300\.json was; leave one"):
        mv.from_snapshots([first[0], first[0]])
    later = json.loads(first[1].read_text(encoding="utf-8"))  # after 40 iterations
    later["graph"]["iteration"] = 400
    second[0].write_text(json.dumps(later), encoding="utf-8")
    with pytest.raises(mv.ImportFormatError, match="lacks nodes that an earlier snapshot has"):
        mv.from_snapshots([first[0], second[0]])
    with pytest.raises(mv.ImportFormatError, match="no snapshots were given"):
        mv.from_snapshots([])


def test_one_snapshot_may_be_given_by_its_name_alone(tmp_path: Path) -> None:
    original, paths = snapshots(tmp_path)
    for name in (paths[0], str(paths[0])):
        assert mv.from_snapshots(name).at(1).visits.tolist() == original.at(300).visits.tolist()


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("seed", 2),
        ("policies", {"selection": {"name": "puct", "c": 2.0}}),
        ("recorded_at", "2020-01-01T00:00:00+00:00"),
    ],
)
def test_snapshots_whose_files_tell_of_other_searches_are_refused(
    tmp_path: Path, name: str, other: Any
) -> None:
    _, paths = snapshots(tmp_path)
    later = json.loads(paths[0].read_text(encoding="utf-8"))
    for fits in (False, True):
        if fits and name == "policies":
            later["graph"][name] = {}  # every snapshot has them
        elif fits:
            del later["graph"][name]
        else:
            later["graph"][name] = other
        paths[0].write_text(json.dumps(later), encoding="utf-8")
        if fits:
            assert mv.from_snapshots(paths).n_iterations == 3
        else:
            with pytest.raises(
                mv.ImportFormatError, match=rf"1-300\.json: its {name} is .* not .* of one search"
            ):
                mv.from_snapshots(paths)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (b"\x1f\x8b\x08\x00", "packed by gzip; unpack it first: gunzip"),
        (b"PK\x03\x04\x14\x00", "packed by zip; unpack it first: unzip"),
        (b"\x28\xb5\x2f\xfd\x04", "packed by zstd; unpack it first: zstd -d"),
    ],
)
@pytest.mark.parametrize("format", [None, "openevolve"])
def test_a_packed_file_is_named_and_not_unpacked(
    tmp_path: Path, begin: bytes, said: str, format: str | None
) -> None:
    packed = tmp_path / "log.jsonl"
    packed.write_bytes(begin + bytes(500))
    with pytest.raises(mv.ImportFormatError, match=said):
        mv.import_trace(packed, tmp_path / "a.mcts", format=format)
    assert not (tmp_path / "a.mcts").exists()
