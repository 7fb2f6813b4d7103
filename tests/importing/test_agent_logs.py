"""Logs whose records name their parents become traces: those of four programs, and any with its fields named once."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.importing.json_records import RawRecord, converted, text_of
from mcts_viz.web.panels.tree.tree import trace_note
from tests.complaints import complaints
from tests.importing import make_agent_logs as made
from tests.variants import few

RECORDS: list[dict[str, Any]] = [
    {"id": "a", "parent": None, "score": 0.5, "text": "Begin", "tokens": 10},
    {"id": "b", "parent": "a", "score": 0.25, "text": "Left", "tokens": 20},
    {"id": "c", "parent": "a", "score": 1.0, "text": "Right", "tokens": 30},
    {"id": "d", "parent": "c", "score": None, "text": "Right, right", "error": "Traceback …"},
]


def write(path: Path, records: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def imported(source: Path, folder: Path, **options: Any) -> mv.Trace:
    report = mv.import_trace(source, folder / "run.mcts", **options)
    return mv.open(report.path)


def below(parent: Mapping[Any, Any], node: Any) -> list[Any]:
    """The node and all below it."""
    return [
        node,
        *(each for child in parent if parent[child] == node for each in below(parent, child)),
    ]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    made.write(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "program"),
    [("evolution_trace.jsonl", "OpenEvolve"), ("aide_journal.json", "AIDE"),
     ("scientist_journal.json", "AI-Scientist-v2"), ("moatless_tree.json", "moatless")],
)  # fmt: skip
def test_each_program_is_told_by_how_its_log_begins_and_is_healthy(
    name: str, program: str, logs: Path, tmp_path: Path
) -> None:
    trace = imported(logs / name, tmp_path)
    assert trace.meta["game"]["name"] == program
    assert complaints(trace) == []
    assert trace.complete
    assert "rollout" in trace.meta["not_observed"]


def test_openevolve_visits_are_programs_and_values_their_mean_score(
    logs: Path, tmp_path: Path
) -> None:
    lines = made.openevolve_log()
    trace = imported(logs / "evolution_trace.jsonl", tmp_path)
    parent = {line["child_id"]: line["parent_id"] for line in lines}
    score = {line["child_id"]: line["child_metrics"]["combined_score"] for line in lines}
    score["p0"] = lines[0]["parent_metrics"]["combined_score"]
    last = trace.at(trace.n_iterations)
    assert trace.n_iterations == len(score)  # the initial program, and one a line
    for node, id_ in enumerate(score_order := ["p0", *parent]):
        under = below(parent, id_)
        assert last.visits[node] == len(under)
        assert last.mean_value[node] == pytest.approx(
            sum(score[each] for each in under) / len(under)
        )
        assert node == 0 or score_order[last.parent[node]] == parent[id_]
    assert "derived" in trace.meta["notes"][0]
    assert {"visits", "value"} <= set(trace.meta["not_observed"])
    assert "derived" in trace_note(trace)
    assert "record-derived" in {found.check for found in trace.check()}


def test_the_explanation_names_the_best_node_by_its_own_score(logs: Path, tmp_path: Path) -> None:
    lines = made.openevolve_log()
    trace = imported(logs / "evolution_trace.jsonl", tmp_path)
    best = max(range(len(lines)), key=lambda n: lines[n]["child_metrics"]["combined_score"]) + 1
    told = trace.explain()
    assert told.best is not None
    assert told.best.node == best
    assert f"By the nodes' own scores the best is node {best}, program p{best}, with" in str(told)
    assert "The log has no visits: they are derived" in str(told)


def test_a_journal_has_its_drafts_below_a_root_and_failures_as_the_lowest_score(
    logs: Path, tmp_path: Path
) -> None:
    nodes = made.journal()["nodes"]
    trace = imported(logs / "aide_journal.json", tmp_path)
    last = trace.at(trace.n_iterations)
    assert trace.n_nodes == len(nodes) + 1
    assert last.label(1) == "draft: Fit a polynomial, attempt 1."
    scores = [None if node["is_buggy"] else -node["metric"]["value"] for node in nodes]
    low = min(score for score in scores if score is not None)
    for t, score in enumerate(scores, 1):
        assert trace.iteration(t).outcome == pytest.approx(low if score is None else score)
    assert trace.iteration(3).elapsed == 120 * 10**9
    assert any("no score" in note for note in trace.meta["notes"])


def test_a_scientists_metric_is_the_mean_over_its_data_sets(tmp_path: Path) -> None:
    journal = made.journal(seed=2, scientist=True)
    node = next(node for node in journal["nodes"] if not node["is_buggy"])
    data = node["metric"]["value"]["metric_names"][0]["data"]
    data.append(
        {"dataset_name": "more", "final_value": data[0]["final_value"] + 2.0, "best_value": 0}
    )
    path = tmp_path / "journal.json"
    path.write_text(json.dumps(journal), encoding="utf-8")
    trace = imported(path, tmp_path)
    assert trace.meta["game"]["name"] == "AI-Scientist-v2"
    outcome = trace.iteration(node["step"] + 1).outcome
    assert outcome == pytest.approx(-(data[0]["final_value"] + 1.0))


@pytest.mark.parametrize("shape", ["list", "nested", "whole search"])
def test_moatless_visits_and_values_are_found_again(shape: str, tmp_path: Path) -> None:
    nodes = made.moatless_tree()
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(in_shape(shape, nodes)), encoding="utf-8")
    trace = imported(path, tmp_path)
    last = trace.at(trace.n_iterations)
    assert last.visits.tolist() == [node["visits"] for node in nodes]
    assert last.value_sum.tolist() == pytest.approx([node["value"] for node in nodes])
    assert last.terminal.tolist() == [node["terminal"] for node in nodes]
    assert trace.n_iterations > len(nodes)
    assert "come last" in trace.meta["notes"][0]
    assert complaints(trace) == []


def in_shape(shape: str, nodes: list[dict[str, Any]]) -> object:
    if shape == "list":
        return nodes
    held = [{**node, "children": []} for node in nodes]
    for node in held[1:]:
        held[node.pop("parent_id")]["children"].append(node)
    del held[0]["parent_id"]
    return held[0] if shape == "nested" else {"selector": {}, "expander": {}, "root": held[0]}


def test_numbers_that_do_not_add_up_end_as_the_log_has_them(tmp_path: Path) -> None:
    nodes = made.moatless_tree()
    nodes[1]["visits"] = 1
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(nodes), encoding="utf-8")
    trace = imported(path, tmp_path)
    assert trace.at(trace.n_iterations).visits[1] == 1
    assert any("last iteration holds the difference" in note for note in trace.meta["notes"])


@pytest.mark.parametrize("as_list", [True, False])
def test_any_log_is_read_by_the_names_of_its_fields(as_list: bool, tmp_path: Path) -> None:
    renamed = [
        {"uid": each["id"], "mother": each["parent"], "at": 9 - n, "loss": -(each["score"] or 0.0) or None,
         "said": {"prompt": "p", "answer": each["text"]}} for n, each in enumerate(reversed(RECORDS))
    ]  # fmt: skip
    path = write(tmp_path / "log.jsonl", renamed)
    if as_list:
        path.write_text(json.dumps({"run": 1, "nodes": renamed}), encoding="utf-8")
    fields = {
        "id": "uid",
        "parent": "mother",
        "value": "-loss",
        "order": "at",
        "text": "said.prompt+said.answer",
    }
    trace = imported(path, tmp_path, fields=fields)
    last = trace.at(trace.n_iterations)
    assert last.visits.tolist() == [4, 1, 2, 1]
    assert last.parent.tolist() == [-1, 0, 0, 2]
    assert last.mean_value[2] == pytest.approx(
        (1.0 + 0.25) / 2
    )  # the one without a score counts as the lowest
    assert texts_of(trace, 3) == {
        "said.prompt": "p", "said.answer": "Right, right"
    }  # fmt: skip


def test_the_usual_names_need_not_be_given(tmp_path: Path) -> None:
    trace = imported(write(tmp_path / "log.jsonl", RECORDS), tmp_path)
    last = trace.at(trace.n_iterations)
    assert last.visits.tolist() == [4, 1, 2, 1]
    assert last.label(2) == "Right"
    assert last.numbers["tokens"].tolist()[:3] == [10, 20, 30]
    assert last.numbers["error"].tolist()[3] == 1
    assert texts_of(trace, 3) == {
        "error": "Traceback …", "text": "Right, right"
    }  # fmt: skip


def test_what_nodes_cost_is_summed_over_subtrees(logs: Path, tmp_path: Path) -> None:
    trace = imported(logs / "moatless_tree.json", tmp_path)
    nodes = made.moatless_tree()
    parent = {node["node_id"]: node["parent_id"] for node in nodes}
    used = {
        node["node_id"]: node["completions"]["build_action"]["usage"]["completion_cost"]
        for node in nodes[1:]
    }
    sums = trace.at(trace.n_iterations).subtree_sum("cost")
    for id_ in parent:
        assert sums[id_] == pytest.approx(sum(used.get(each, 0.0) for each in below(parent, id_)))
    assert {each.kind for each in trace.documents(3)} >= {"markdown", "json"}


def test_a_log_that_is_opened_as_a_trace_is_told_by_name_with_what_to_do(logs: Path) -> None:
    for name, title in (
        ("aide_journal.json", "a journal.json of AIDE"),
        ("moatless_tree.json", "a tree of moatless"),
        ("evolution_trace.jsonl", "an evolution trace of OpenEvolve"),
    ):
        with pytest.raises(mv.ImportFormatError, match=f"{title}.*mcts-viz import .*{name}"):
            mv.open(logs / name)


SECRETS = ["sk-abcdefghijklmnop1234", "ghp_" + "a" * 36, "AKIAABCDEFGHIJKLMNOP", "hf_" + "b" * 30]


def test_secrets_are_struck_out_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"Use {' and '.join(SECRETS)}; API_KEY='q1w2e3r4'; Authorization: Bearer abcdefghijklmnop; tokens: 812"
    said = f"api_key={SECRETS[0]} {said}"  # struck out once
    path = write(
        tmp_path / "log.jsonl", [{"id": 1, "parent": None, "text": said, "error": SECRETS[0]}]
    )
    assert main(["import", str(path), "-o", str(tmp_path / "run.mcts"), "--redact"]) == 0
    assert "8 secrets struck out" in capsys.readouterr().err  # one of them in the error
    found = {each.name: each.text for each in mv.open(tmp_path / "run.mcts").documents(0)}
    for secret in (*SECRETS, "q1w2e3r4", "abcdefghijklmnop"):
        assert secret not in found["text"] + found["error"]
    assert found["text"].startswith("api_key=[struck out] Use [struck out] and")
    assert found["text"].endswith("tokens: 812")
    content = (tmp_path / "run.mcts").read_bytes()
    assert SECRETS[0].encode() not in content
    with pytest.raises(
        mv.ImportFormatError, match="redact: secrets can be struck out of logs of agents"
    ):
        mv.import_trace(
            write(tmp_path / "e.ndjson", [{"leaf": 0, "outcome": 1}]),
            tmp_path / "e.mcts",
            redact=True,
        )


def texts_of(trace: mv.Trace, node: int) -> dict[str, str]:
    return {each.name: each.text for each in trace.documents(node) if each.name != "record"}


def test_the_command_line_takes_the_names_of_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(
        tmp_path / "log.jsonl", [{"n": 1, "up": None, "s": 1}, {"n": 2, "up": 1, "s": 3}]
    )
    line = [
        "import",
        str(source),
        "-o",
        str(tmp_path / "run.mcts"),
        "--fields",
        "id=n,parent=up,value=s",
    ]
    assert main(line) == 0
    assert "2 iterations, 2 nodes" in capsys.readouterr().out
    assert main([*line[:-1], "id=n,parent"]) == 2
    assert "write meaning=name" in capsys.readouterr().err


BAD: list[tuple[Callable[[list[Any]], object], str]] = [
    (lambda records: records[1].pop("id"), r"line 2: id: missing; .*--fields id=NAME.*parent"),
    (lambda records: records[1].update(id="a"), r"line 2: id: 'a' is the id of .*line 1"),
    (lambda records: records[1].update(parent="x"), r"line 2: parent: there is no record with the id 'x'"),
    (lambda records: records[2].update(parent="d"), r"parent: the record is its own ancestor \(.*c.*\)"),
    (lambda records: records[1].update(score="high"), r"line 2: score: 'high' is not a number; .*value=NAME"),
    (lambda records: records[1].update(score=1e300), r"line 2: score: 1e\+300 is beyond what a trace can hold"),
    (lambda records: records[1].update(visits=-1), r"line 2: visits: -1 is not a whole number from 0 on"),
    (lambda records: records.insert(1, [1]), r"line 2: not an object"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_a_bad_record_is_named_with_its_line_field_and_remedy_and_may_be_skipped(
    spoil: Callable[[list[Any]], object], message: str, tmp_path: Path
) -> None:
    records = [dict(each) for each in RECORDS]
    spoil(records)
    path = write(tmp_path / "log.jsonl", records)
    with pytest.raises(mv.ImportFormatError, match=message):
        imported(path, tmp_path)
    report = mv.import_trace(path, tmp_path / "run.mcts", lenient=True)
    assert report.n_skipped >= 1
    assert 1 <= report.n_nodes <= 4


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"id": 1, "parent": null}\n{"id": 2,\n', "line 2: not JSON: .*; correct or remove the line"),
     ('[{"id": 1, "parent": null}, 5]', r"record\[1\]: not an object"),
     ("[" * 100_000, "nested too deeply")],
)  # fmt: skip
def test_what_is_no_json_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(mv.ImportFormatError, match=message):
        imported(path, tmp_path, format="records")


def test_a_field_nested_more_deeply_than_it_can_be_written_is_named() -> None:
    """JSON is read to a greater depth than it is written."""
    nested: list[Any] = []
    for _ in range(500_000):
        nested = [nested]
    raw, skipped = RawRecord("log.jsonl: line 2", {"plan": nested}), list[str]()
    with pytest.raises(mv.ImportFormatError, match=r"line 2: .*nested too deeply; flatten them"):
        converted(raw, lambda raw: text_of(raw.found["plan"]), None)
    converted(raw, lambda raw: text_of(raw.found["plan"]), lambda words, _: skipped.append(words))
    assert len(skipped) == 1


def test_a_number_of_thousands_of_digits_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"id": 1, "parent": null}\n{"id": 2, "parent": ' + "9" * 5000 + "}")
    with pytest.raises(mv.ImportFormatError, match="line 2: a number has thousands of digits; c"):
        imported(path, tmp_path)


def test_a_chain_whose_paths_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    records = [{"id": n, "parent": n - 1 if n else None, "score": 1} for n in range(6400)]
    path = write(tmp_path / "log.jsonl", records)
    with pytest.raises(
        mv.ImportFormatError, match=r"20,483,200 nodes on their paths.*6,400 nodes long.*part"
    ):
        imported(path, tmp_path)
    for record in records:
        record |= {"visits": 7000 - int(str(record["id"]))}
    with pytest.raises(mv.ImportFormatError, match="on their paths"):
        imported(write(path, records), tmp_path)


@pytest.mark.parametrize("last", few(["none", 0]))
def test_chains_without_a_root_and_circles_are_told_at_once(last: object, tmp_path: Path) -> None:
    """Each took the square of their length."""
    records: list[dict[str, object]] = [{"id": "root", "parent": None, "score": 1}]
    records += [{"id": n, "parent": n + 1, "score": 1} for n in range(30_000)]
    records.append({"id": 30_000, "parent": last, "score": 1})
    path = write(tmp_path / "log.jsonl", records)
    began = time.process_time()
    report = mv.import_trace(path, tmp_path / "run.mcts", lenient=True)
    assert time.process_time() - began < 20
    assert (report.n_nodes, report.n_skipped) == (1, 30_001)
    with pytest.raises(mv.ImportFormatError) as refused:
        imported(path, tmp_path)
    assert len(str(refused.value)) < 400


def test_records_of_pandas_have_numbers_with_a_point_and_nan_for_none(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"id": 1, "parent": NaN, "score": 1}\n{"id": 2, "parent": 1.0, "score": 0.5}\n'
        '{"id": 3.0, "parent": 2.0, "score": 0.5}\n{"id": 4.5, "parent": 3, "score": 0.5}\n'
    )
    trace = imported(path, tmp_path)
    assert trace.at(trace.n_iterations).parent.tolist() == [-1, 0, 1, 2]


def test_times_may_be_dates(tmp_path: Path) -> None:
    dates = ["2026-01-31T12:00:02Z", "2026-01-31T12:00:00Z", "2026-01-31T14:00:01.500+02:00", None]
    records = [{**each, "timestamp": date} for each, date in zip(RECORDS, dates)]
    path = write(tmp_path / "log.jsonl", records)
    trace = imported(path, tmp_path)
    assert [trace.iteration(t).elapsed for t in (1, 2, 3)] == [2e9, 2e9, 2e9]
    days = ["2026-01-01", "2026-01-03", "2026-01-02", "2026-01-02T01"]
    write(path, [{**each, "made": day} for each, day in zip(RECORDS, days)])
    trace = imported(path, tmp_path, fields={"order": "made"})
    last = trace.at(trace.n_iterations)
    assert [last.label(node) for node in range(4)] == ["Begin", "Right", "Right, right", "Left"]
    write(path, [{**each, "timestamp": "soon"} for each in RECORDS])
    with pytest.raises(mv.ImportFormatError, match="line 1: timestamp: 'soon' is not a number"):
        imported(path, tmp_path)


def test_a_text_named_record_is_kept_beside_what_is_told_of_it(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [{**each, "record": "mine"} for each in RECORDS])
    trace = imported(path, tmp_path, fields={"text": "record"})
    told = {document.name: document.text for document in trace.documents(1)}
    assert told["record"] == "mine"
    assert told["record of the log"].startswith("id: b\nparent: a\n")
    assert [hit.node for hit in trace.find_text("mine").hits] == [0, 1, 2, 3]


def test_names_of_fields_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", RECORDS)
    with pytest.raises(
        mv.ImportFormatError, match="value=reward: no record has this field; there are: id, parent"
    ):
        imported(path, tmp_path, fields={"value": "reward"})
    with pytest.raises(mv.ImportFormatError, match="fields: worth=x: give the names of id, parent"):
        imported(path, tmp_path, fields={"worth": "x"})
    with pytest.raises(mv.ImportFormatError, match="aide has its own names of fields"):
        imported(path, tmp_path, fields={"value": "x"}, format="aide")


def test_means_over_visits_are_those_of_the_log_and_no_mistake(tmp_path: Path) -> None:
    """As LATS and others write them: a value is the mean of what came at and below a record."""
    parent: list[int | None] = [None, 0, 0, 1, 1, 2, 3, 3, 5, 6]
    own = [0.0, 0.5, 0.25, 1.0, 0.0, 0.75, 0.5, 0.25, 1.0, 0.125]
    visits, total = [0] * 10, [0.0] * 10
    for node in range(1, 10):
        above: int | None = node
        while above is not None:
            visits[above], total[above] = visits[above] + 1, total[above] + own[node]
            above = parent[above]
    records = [
        {"id": i, "parent": parent[i], "visits": visits[i], "value": total[i] / visits[i]}
        for i in range(10)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    mv.import_trace(tmp_path / "log.jsonl", tmp_path / "run.mcts")
    trace = mv.open(tmp_path / "run.mcts")
    last = trace.at(trace.n_iterations)
    assert last.visits.tolist() == visits
    assert last.value_sum == pytest.approx(total)
    assert {found.severity for found in trace.check()} <= {"note"}
