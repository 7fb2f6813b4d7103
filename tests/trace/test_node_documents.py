"""Documents of nodes lie beside the columns, and are read when somebody asks; numbers of nodes travel with them."""

import json
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.trace.node_documents import MOST, NodeDocument, given_documents
from mcts_viz.trace.recovery import recover
from mcts_viz.trace.trace import Trace

TEXTS = {
    "plan": "Try **this**.",
    "code": "print('<b>ä</b>')",
    "diff": "-a\n+b",
    "data": {"k": [1, 2]},
    "picture": b"\x89PNG\r\n\x1a\n...",
    "said": ("markdown", "# Head"),
}


class Node:
    def __init__(self, parent: "Node | None" = None, number: int = 0) -> None:
        self.parent, self.children = parent, list["Node"]()
        self.n, self.w, self.number = 0, 0.0, number
        self.texts: dict[str, Any] | None = dict(TEXTS) if number % 2 == 0 else None


def recorded(path: Path | None, n: int = 6) -> tuple[Trace, Node]:
    root = Node()
    with mv.record(
        path,
        root=root,
        children="children",
        visits="n",
        value="w",
        players=("agent",),
        documents="texts",
    ) as rec:
        for number in range(1, n + 1):
            node = Node(root, number)
            root.children.append(node)
            for each in (root, node):
                each.n, each.w = each.n + 1, each.w + 0.5
            rec.iteration()
    return rec.trace, root


@pytest.mark.parametrize("in_file", [True, False])
def test_documents_of_a_recorded_search_come_back(in_file: bool, tmp_path: Path) -> None:
    trace, _ = recorded(tmp_path / "run.mcts" if in_file else None)
    if in_file:
        trace = mv.open(tmp_path / "run.mcts")
    for node in (0, 2, 4):
        found = {each.name: each for each in trace.documents(node)}
        assert {name: each.kind for name, each in found.items()} == {
            "plan": "markdown", "code": "code", "diff": "diff", "data": "json", "picture": "image",
            "said": "markdown",
        }  # fmt: skip
        assert found["code"].text == TEXTS["code"]
        assert json.loads(found["data"].text) == TEXTS["data"]
        assert found["picture"].content == TEXTS["picture"]
        assert found["code"].size == len("print('<b>ä</b>')".encode())
    assert trace.documents(1) == []
    with pytest.raises(mv.TraceError, match="node 99"):
        trace.documents(99)


def test_a_document_that_comes_late_is_read_at_the_next_visit(tmp_path: Path) -> None:
    root = Node()
    root.texts = None
    child = Node(root, 1)
    with mv.record(
        tmp_path / "run.mcts",
        root=root,
        children="children",
        visits="n",
        value="w",
        documents="texts",
    ) as rec:
        root.children.append(child)
        for t in range(3):
            root.n += 1
            child.n += 1
            child.texts = {"answer": "now"} if t else None
            rec.iteration()
    assert [each.text for each in mv.open(tmp_path / "run.mcts").documents(1)] == ["now"]


def test_what_is_no_document_is_refused_with_its_node() -> None:
    root = Node()
    root.children = [Node(root, 2)]
    root.children[0].texts = 5  # type: ignore[assignment]
    rec = mv.record(None, root=root, children="children", visits="n", value="w", documents="texts")
    root.n = root.children[0].n = 1
    with pytest.raises(mv.TraceError, match=r"documents= gives int; give a dict of texts by name"):
        rec.iteration()


def test_a_document_keeps_its_first_megabyte_and_says_so(tmp_path: Path) -> None:
    root = Node()
    root.texts = {"log": "ä" * MOST}
    with mv.record(
        tmp_path / "run.mcts",
        root=root,
        children="children",
        visits="n",
        value="w",
        documents="texts",
    ) as rec:
        root.n = 1
        rec.iteration()
    (found,) = mv.open(tmp_path / "run.mcts").documents(0)
    assert (found.size, found.is_cut, len(found.content)) == (2 * MOST, True, MOST)
    assert set(found.text) == {"ä"}


def test_a_file_that_is_gone_is_said_and_opening_reads_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcts"
    recorded(path)
    trace = mv.open(path)
    found = trace.documents(0)[0]
    path.unlink()
    with pytest.raises(mv.TraceError, match=r"run\.mcts: its documents cannot be read any more"):
        _ = found.text
    recorded(path)
    with monkeypatch.context() as patched:
        patched.setattr(NodeDocument, "content", property(lambda _: pytest.fail("was read")))
        reopened = mv.open(path)
        assert [each.name for each in reopened.documents(2)] == list(TEXTS)


def test_a_recovered_trace_keeps_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    recorded(path)
    cut = tmp_path / "cut.mcts"
    cut.write_bytes(path.read_bytes()[:-8])
    recover(cut, tmp_path / "saved.mcts")
    found = {each.name: each.text for each in mv.open(tmp_path / "saved.mcts").documents(4)}
    assert found["code"] == TEXTS["code"]


def test_kinds_are_told_by_names_and_contents() -> None:
    found = given_documents(
        {"my code": "x", "patch": "y", "action": "none", "completions": "[]", "prompt": "z"}
    )
    assert [kind for kind, _ in found.values()] == ["code", "diff", "text", "json", "markdown"]
    assert given_documents("one")["text"] == ("text", "one")
