"""Notes beside a trace: none is lost, whoever else writes, and whatever the folder is like."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.errors import PageError
from mcts_viz.web.library import Library
from mcts_viz.web.routes import notes_file as notes
from mcts_viz.web.routes.notes_file import Note, markdown, notes_file, read, remove, save

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=timezone.utc)
LATER = datetime(2026, 11, 21, 13, 30, tzinfo=timezone.utc)
A, B, SPARE = "aaaaaaaa", "bbbbbbbb", "cccccccc"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.notes.json"


def test_the_file_lies_beside_the_trace_and_two_traces_never_share_one() -> None:
    assert notes_file(Path("x/run.mcts")) == Path("x/run.notes.json")
    assert notes_file(Path("x/run.json")) == Path("x/run.json.notes.json")


def test_a_note_is_kept_and_changed_and_deleted(file: Path) -> None:
    first = save(file, Note(A, 214, 17, "why?"), NOON, SPARE)
    assert first == Note(
        A, 214, 17, "why?", 1, "2026-11-21T12:00:00+00:00", "2026-11-21T12:00:00+00:00"
    )
    second = save(file, Note(A, 214, 17, "because", first.revision), LATER, SPARE)
    assert (second.revision, second.created, second.changed[11:16]) == (2, first.created, "13:30")
    assert read(file) == [second]
    remove(file, A, second.revision)
    assert read(file) == []
    remove(file, A, 2)  # gone already


def test_the_file_says_what_it_is_and_what_the_notes_are(file: Path) -> None:
    save(file, Note(B, 5, 2, "later"), NOON, SPARE)
    save(file, Note(A, 1, 0, "first"), NOON, SPARE)
    document = json.loads(file.read_text(encoding="utf-8"))
    assert (document["kind"], document["format_version"]) == ("notes", 1)
    assert [note["id"] for note in document["notes"]] == [A, B]
    assert notes.is_notes_file(file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]  # nothing is left behind


def test_two_who_write_different_notes_keep_both(file: Path) -> None:
    save(file, Note(A, 1, 0, "one tab"), NOON, SPARE)
    save(file, Note(B, 2, 0, "another tab, which never saw the first note"), NOON, SPARE)
    assert [note.id for note in read(file)] == [A, B]


def test_of_two_texts_for_one_note_both_stay(file: Path) -> None:
    seen = save(file, Note(A, 1, 0, "seen by both"), NOON, SPARE)
    save(file, Note(A, 1, 0, "theirs", seen.revision), NOON, SPARE)
    mine = save(file, Note(A, 1, 0, "mine", seen.revision), LATER, SPARE)
    assert mine.id == SPARE
    assert {note.id: note.text for note in read(file)} == {A: "theirs", SPARE: "mine"}


def test_the_same_text_twice_is_one_note(file: Path) -> None:
    save(file, Note(A, 1, 0, "sent again, as the answer was lost"), NOON, SPARE)
    save(file, Note(A, 1, 0, "sent again, as the answer was lost"), LATER, SPARE)
    assert [note.revision for note in read(file)] == [1]


def test_a_change_of_a_note_that_was_deleted_elsewhere_is_kept(file: Path) -> None:
    save(file, Note(A, 1, 0, "x"), NOON, SPARE)
    remove(file, A, 1)
    save(file, Note(A, 1, 0, "still wanted", 1), LATER, SPARE)
    assert [note.text for note in read(file)] == ["still wanted"]


def test_a_note_that_was_changed_elsewhere_is_not_deleted(file: Path) -> None:
    save(file, Note(A, 1, 0, "x"), NOON, SPARE)
    save(file, Note(A, 1, 0, "more", 1), NOON, SPARE)
    with pytest.raises(PageError, match="changed elsewhere"):
        remove(file, A, 1)
    assert [note.text for note in read(file)] == ["more"]


def write_many(folder: str, worker: int) -> None:
    """What a worker of a server does."""
    for n in range(25):
        save(
            Path(folder) / "run.notes.json",
            Note(f"{worker:04x}{n:04x}", n, worker, "x"),
            NOON,
            SPARE,
        )


@pytest.mark.thorough
def test_several_processes_at_once_lose_no_note(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(str(file.parent), i)) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 2
    assert len(read(file)) == 50


def test_a_folder_that_cannot_be_written_is_named_with_the_remedy(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(file, Note(A, 1, 0, "x"), NOON, SPARE)
    before = file.read_bytes()
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(
        PageError, match=r"run\.notes\.json: cannot be written: .* Make its folder writ"
    ):
        save(file, Note(B, 1, 0, "y"), NOON, SPARE)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def refuse(*_: Any) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "its kind is not 'notes'"),
        ('{"kind": "notes", "format_version": 9, "notes": []}', "format version 9"),
        ('{"kind": "notes", "format_version": 1}', "no list of notes"),
        ('{"kind": "notes", "format_version": 1, "notes": [{"id": "../x"}]}', "hexadecimal"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(file: Path, content: str, words: str) -> None:
    file.write_text(content)
    with pytest.raises(PageError, match=words):
        save(file, Note(A, 1, 0, "x"), NOON, SPARE)
    assert file.read_text() == content


def test_markdown_says_where_and_holds_no_markup_of_others() -> None:
    text = markdown(
        "run.mcts", [(Note(A, 1_214, 3, "a < b & <script>x</script>\n- point"), "<img> *a*\n# x")]
    )
    assert text == (
        "# Notes on run.mcts\n\n## Iteration 1,214, \\<img\\> \\*a\\* \\# x\n\n"
        "a &lt; b &amp; &lt;script>x&lt;/script>\n- point\n"
    )


# ---- over HTTP -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "run.mcts"
    mv.search("tic_tac_toe", iterations=100, seed=1, path=path)
    return path


@pytest.fixture
def client(tmp_path: Path, trace: Path) -> FlaskClient:
    shutil.copy(trace, tmp_path)
    return pages.make_app([tmp_path], store=tmp_path).server.test_client()


@pytest.fixture
def address(tmp_path: Path) -> str:
    key = Library([], tmp_path).key_of(tmp_path / "run.mcts")
    return f"/api/trace/{key}/notes"


def test_a_note_that_was_put_is_told_with_its_line_of_moves(
    client: FlaskClient, address: str, tmp_path: Path
) -> None:
    node = mv.open(tmp_path / "run.mcts").n_nodes - 1
    put = client.put(f"{address}/{A}", json={"iteration": 100, "node": node, "text": "x"})
    assert put.status_code == 200
    told = client.get(address).get_json()
    tree = mv.open(tmp_path / "run.mcts").at(100)
    assert told["file"] == "run.notes.json"
    assert told["notes"] == [put.get_json()]
    assert put.get_json()["where"] == " · ".join(tree.label(v) for v in tree.path(node)[1:])
    assert [note.text for note in read(tmp_path / "run.notes.json")] == ["x"]
    gone = client.delete(f"{address}/{A}", json={"revision": 1})
    assert gone.status_code == 200
    assert client.get(address).get_json()["notes"] == []


def test_two_servers_over_one_folder_see_each_others_notes(
    client: FlaskClient, address: str, tmp_path: Path
) -> None:
    other = pages.make_app([tmp_path], store=tmp_path).server.test_client()
    client.put(f"{address}/{A}", json={"iteration": 1, "node": 0, "text": "here"})
    other.put(f"{address}/{B}", json={"iteration": 2, "node": 0, "text": "there"})
    for each in (client, other):
        assert [note["text"] for note in each.get(address).get_json()["notes"]] == ["here", "there"]


@pytest.mark.parametrize(
    ("id_", "body", "words"),
    [
        (A, {"iteration": 101, "node": 0}, "this trace has 100 iterations"),
        (A, {"iteration": 1, "node": 9_999}, "nodes 0 to"),
        (A, {"iteration": -1}, "iteration = -1"),
        (A, {"text": "x" * 20_001}, "at most 20,000 characters"),
        (A, {"text": 7}, "at most 20,000 characters"),
        ("nonsense", {}, "hexadecimal"),
        (A, [], "a JSON object is expected"),
    ],
)
def test_a_note_that_cannot_be_is_refused_in_words(
    client: FlaskClient, address: str, id_: str, body: Any, words: str
) -> None:
    answer = client.put(f"{address}/{id_}", json=body)
    assert answer.status_code == 400
    assert words in answer.get_json()["error"]


def test_a_form_of_another_site_cannot_write_notes(client: FlaskClient, address: str) -> None:
    body = json.dumps({"iteration": 1, "node": 0, "text": "x"})
    answer = client.put(f"{address}/{A}", data=body, content_type="text/plain")
    assert answer.status_code == 400
    assert client.get(address).get_json()["notes"] == []


def test_all_notes_are_exported_as_a_file(client: FlaskClient, address: str) -> None:
    client.put(f"{address}/{A}", json={"iteration": 7, "node": 0, "text": "kept"})
    text = client.get(f"{address}/export?format=md")
    assert (
        text.get_data(as_text=True) == "# Notes on run.mcts\n\n## Iteration 7, the root\n\nkept\n"
    )
    assert "run.notes.md" in text.headers["Content-Disposition"]
    document = client.get(f"{address}/export?format=json").get_json(force=True)
    assert [note["text"] for note in document["notes"]] == ["kept"]


def test_a_file_of_notes_is_not_listed_as_a_trace(tmp_path: Path, trace: Path) -> None:
    shutil.copy(trace, tmp_path)
    save(tmp_path / "run.notes.json", Note(A, 1, 0), NOON, SPARE)
    mv.open(trace).at(50).to_json(tmp_path / "a snapshot.notes.json")
    names = [entry.name for entry in Library([tmp_path], tmp_path).entries()]
    assert names == ["a snapshot.notes", "run"]


def test_a_note_on_a_node_that_a_new_recording_lacks_is_still_told(
    client: FlaskClient, address: str, tmp_path: Path
) -> None:
    save(tmp_path / "run.notes.json", Note(A, 999, 99_999, "of before"), NOON, SPARE)
    (told,) = client.get(address).get_json()["notes"]
    assert told["where"] == "node 99,999, which is not in this trace"
