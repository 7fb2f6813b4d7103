from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flask.testing import FlaskClient

import mcts_viz as mv
from mcts_viz.page import make_app
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.web.access import Access
from mcts_viz.web.cache import Cache
from mcts_viz.web.routes.binary import pack, unpack
from mcts_viz.web.routes.messages import Final
from tests.indexed import in_memory
from tests.js.page import page_app
from tests.trace.files import messages, record
from tests.views.synthetic import uct_trace
from tests.waiting import wait_until

SAMPLES = Path(__file__).parents[2] / "samples"
TRACE = uct_trace(600, branching=4, max_depth=8)


@pytest.fixture
def client() -> FlaskClient:
    return page_app({"uct": TRACE, "foreign": TRACE}).test_client()


def ask(client: FlaskClient, url: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    response = client.get(url)
    assert response.status_code == 200, response.text
    return unpack(response.data)


def test_pack_aligns_every_column_and_survives_the_way_back() -> None:
    columns = {
        "a": np.arange(3, dtype=np.int8),
        "b": np.array([0.5]),
        "c": np.arange(5, dtype=">i4"),
    }
    meta, back = unpack(pack({"n": 1}, columns))
    assert meta == {"n": 1}
    assert all((back[name] == columns[name]).all() for name in columns)


@pytest.mark.parametrize("column", [np.arange(3), np.zeros((2, 2)), np.array(["a"])])
def test_pack_refuses_what_a_browser_has_no_array_for(column: npt.NDArray[Any]) -> None:
    with pytest.raises(TypeError, match="column 'x'"):
        pack({}, {"x": column})


def test_a_view_says_everything_about_its_items(client: FlaskClient) -> None:
    meta, columns = ask(client, "/api/trace/uct/view?budget=40&opened=2&closed=3")
    n_items = len(columns["node"])
    n_nodes = meta["n_visible"]
    for name in ("parent", "x", "depth", "order", "final_visits", "hidden_children"):
        assert len(columns[name]) == n_items
    for name in ("born", "mover", "outcome", "prior", "label", "n_children"):
        assert len(columns[name]) == n_nodes
    assert ViewSpec.from_query(meta["view"]) == ViewSpec(40, frozenset({2}), frozenset({3}))
    assert meta["labels"][columns["label"][0]] == "root"
    assert columns["mover"][:2].tolist() == [1, 0]  # X moves at the root


@pytest.mark.parametrize(("sample", "offered"), [("planning", False), ("tic_tac_toe_1000", True)])
def test_the_colour_of_exact_results_is_for_two_players(sample: str, offered: bool) -> None:
    trace = mv.open(SAMPLES / f"{sample}.mcts")
    meta, _ = ask(page_app({"a": trace}).test_client(), "/api/trace/a/view")
    assert ("true_value" in meta["colour_modes"]) is offered
    assert ("true_value" in meta["scales"]) is offered


@pytest.mark.parametrize(("sample", "known"), [("planning", False), ("tic_tac_toe_1000", True)])
def test_a_view_says_whether_the_rule_of_the_final_move_is_known(sample: str, known: bool) -> None:
    trace = mv.open(SAMPLES / f"{sample}.mcts")
    meta, _ = ask(page_app({"a": trace}).test_client(), "/api/trace/a/view")
    assert meta["final_move"] == {"name": trace.meta.policies.final_move.rule, "known": known}


def test_a_window_names_the_move_that_would_be_played_after_every_iteration(
    client: FlaskClient,
) -> None:
    _, columns = ask(client, "/api/trace/uct/window?budget=40&from=0&to=600")
    assert columns["chosen"][0] == -1
    for t in range(1, 601, 50):
        snapshot = TRACE.at(t)
        children = np.flatnonzero(snapshot.parent == 0)
        order = np.lexsort((-snapshot.mean_value[children], -snapshot.visits[children]))
        assert columns["chosen"][t] == children[order[0]]


def test_an_icicle_tells_its_items_and_the_nodes_below_the_focus(client: FlaskClient) -> None:
    meta, columns = ask(client, "/api/trace/uct/icicle?from=300&to=400&focus=1&width=50")
    n_items, n_nodes = len(columns["node"]), meta["n_visible"]
    assert columns["node"][0] == 1
    assert columns["parent"][0] == -1
    assert sorted(columns["order"].tolist()) == list(range(n_items))
    for name in ("mover", "outcome", "prior", "label"):
        assert len(columns[name]) == n_nodes
    nodes = columns["node"][:n_nodes]
    assert np.array_equal(columns["outcome"], TRACE.columns.nodes.outcome[nodes], equal_nan=True)
    at_300 = TRACE.at(300)
    assert columns["base_visits"][0] == at_300.visits[1]
    below = [v for v in range(len(at_300)) if 1 in at_300.path(v)]
    assert columns["n_below"][0] == len(below)
    assert len(columns["n_below"]) == 101
    assert "base_last_visit" not in columns
    asked = ask(client, "/api/trace/uct/icicle?from=300&to=400&last=1")[1]
    assert asked["base_last_visit"].max() == 300


def test_the_path_to_a_node_is_told_as_moves(client: FlaskClient) -> None:
    snapshot = TRACE.at(600)
    told = client.get("/api/trace/uct/path/77").get_json()
    assert told == {"text": ", ".join(snapshot.label(v) for v in snapshot.path(77)[1:])}
    assert client.get("/api/trace/uct/path/0").get_json() == {"text": ""}


def test_the_timeline_is_exact_and_in_the_view_of_player_0(client: FlaskClient) -> None:
    meta, columns = ask(client, "/api/trace/uct/timeline")
    assert columns["iteration"].tolist() == list(range(601))
    assert "view of X" in meta["view_text"]
    assert np.isnan(columns["root_value"][0])
    for t in (1, 300, 600):
        assert columns["root_value"][t] == pytest.approx(1 - TRACE.at(t).mean_value[0])


def test_a_node_card_before_the_nodes_birth_says_so(client: FlaskClient) -> None:
    assert client.get("/api/trace/uct/node/500?t=1").json == {
        "node": 500,
        "iteration": 1,
        "exists": False,
    }
    card = client.get("/api/trace/foreign/node/1?t=600").json
    assert card is not None
    assert card["board_svg"] is None
    assert card["visits"] == TRACE.at(600).visits[1]
    assert card["path"] == [0, 1]


@pytest.mark.parametrize(
    ("url", "status", "message"),
    [
        ("/api/trace/nowhere/view", 404, "there is no trace 'nowhere'"),
        ("/api/trace/uct/view?focus=9999", 400, "focus=9999: no such node"),
        ("/api/trace/uct/view?budget=300000", 400, "budget=300000"),
        ("/api/trace/uct/window?from=5", 400, "to='': a whole number is expected"),
        ("/api/trace/uct/window?from=5&to=601", 400, "this trace has 0 to 600"),
        ("/api/trace/uct/window?from=0&to=99999", 400, "at most 20,000 iterations"),
        ("/api/trace/uct/end", 400, "known='': a whole number is expected"),
        ("/api/trace/uct/node/9999?t=1", 400, "node 9999: no such node"),
        ("/api/trace/uct/node/1?t=601", 400, "t=601"),
        ("/api/trace/uct/view?n_iterations=700", 400, "n_iterations=700"),
        ("/api/trace/uct/view?top=few", 400, "top='few': a whole number is expected"),
        ("/api/trace/uct/view?opened=1,x", 400, "opened='x': a whole number is expected"),
        ("/api/trace/uct/icicle?from=5&to=601", 400, "from=5&to=601: no such run of iterations"),
        ("/api/trace/uct/icicle?from=9&to=5", 400, "from=9&to=5: no such run of iterations"),
        ("/api/trace/uct/icicle?from=0&to=5&focus=9999", 400, "focus=9999: no such node"),
        ("/api/trace/uct/icicle?from=0&to=5&width=0", 400, "width=0: choose a number of pixels"),
    ],
)
def test_errors_are_json_that_names_what_is_wrong(
    client: FlaskClient, url: str, status: int, message: str
) -> None:
    response = client.get(url)
    assert response.status_code == status
    assert response.json is not None
    assert message in response.json["error"]


def test_a_view_of_a_growing_trace_keeps_to_the_iterations_it_was_opened_with(
    client: FlaskClient,
) -> None:
    early, columns = ask(client, "/api/trace/uct/view?budget=40&n_iterations=100")
    assert early["n_iterations"] == 100
    assert columns["born"].max() <= 100
    _, window = ask(client, "/api/trace/uct/window?budget=40&n_iterations=100&from=50&to=100")
    assert len(window["base_visits"]) == len(columns["node"])


@pytest.mark.parametrize("n", [300, 1_024, 2_000])
def test_one_answer_has_all_that_shows_the_end_of_a_recording(tmp_path: Path, n: int) -> None:
    path = tmp_path / "a.mcts"
    trace = mv.search("connect_four", iterations=n, seed=1, path=path, rollouts=False)
    client = make_app([path], tmp_path, access=Access()).server.test_client()
    asked = f"/api/trace/{client.get('/api/start').get_json()['key']}"
    view = "budget=40&opened=2"

    def end(known: int, recording: str = trace.recording) -> tuple[dict[str, Any], dict[str, Any]]:
        return ask(client, f"{asked}/end?{view}&known={known}&recording={recording}")

    standing, parts = end(n - 100)
    assert standing == client.get(f"{asked}/live").get_json()
    begin = (n - 1) // 1_024 * 1_024
    for name, route in (
        ("view", f"view?{view}&n_iterations={n}"),
        ("window", f"window?{view}&n_iterations={n}&from={begin}&to={n}"),
        ("timeline", f"timeline?n_iterations={n}"),
    ):
        assert parts[name].tobytes() == client.get(f"{asked}/{route}").data
    assert end(n) == (standing, {})
    assert end(0, "another") == (standing, {})
    path.unlink()
    standing, parts = end(0)
    assert (standing["state"], parts) == ("missing", {})


def test_the_cache_makes_each_thing_once_whoever_asks_and_forgets_the_oldest() -> None:
    cache, made = Cache(2), []
    start = threading.Barrier(8)

    def ask_for(key: str) -> None:
        start.wait()
        cache.get(key, lambda: made.append(key))

    threads = [threading.Thread(target=ask_for, args=(key,)) for key in "aaaabbbb"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == ["a", "b"]
    cache.get("c", lambda: made.append("c"))
    cache.get("c", lambda: made.append("c"))
    assert len(made) == 3


@in_memory  # nobody holds this file: by an index it is one that was interrupted
def test_pictures_of_a_growing_trace_do_not_pile_up(tmp_path: Path) -> None:
    whole = record(tmp_path / "whole.mcts", iterations=900)
    assert whole.path is not None
    header, first, *others, _ = messages(whole.path.read_bytes())
    path = tmp_path / "growing" / "a.mcts"
    path.parent.mkdir()
    path.write_bytes(header + first)
    client = make_app([path], path.parent, access=Access()).server.test_client()
    key = client.get("/api/start").get_json()["key"]
    for number, batch in enumerate(others, 2):
        with path.open("ab") as file:
            file.write(batch)
        meta, _ = ask(client, f"/api/trace/{key}/view")
        assert meta["n_iterations"] == 100 * number

    def held() -> list[int]:
        gc.collect()
        made = [
            each for each in gc.get_objects() if type(each) is Final
        ]  # `isinstance` asks dead proxies
        return sorted(
            each.snapshot.iteration for each in made if getattr(each.trace, "path", None) == path
        )

    wait_until(lambda: held() == [800, 900], lambda: f"held: {held()}")
