"""A fleet in a store: traces and tables at an address of fsspec's."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from mcts_viz.errors import TraceError
from tests.lazy import fsspec, moto
from tests.variants import few


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of a store on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "something")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        fsspec.filesystem("s3").mkdir("fleet")
        yield "s3://fleet"
        server.stop()


@pytest.fixture(params=few(["memory", "s3"]))
def address(request: pytest.FixtureRequest) -> str:
    root = "memory:/" if request.param == "memory" else request.getfixturevalue("s3")
    return f"{root}/{uuid.uuid4().hex}/runs"


def put(folder: Path, address: str) -> None:
    files, root = fsspec.core.url_to_fs(address)
    for path in folder.rglob("*"):
        if path.is_file() and "fleet-tables" not in path.parts:
            files.pipe_file(f"{root}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def same_but_for_files(fleet: mv.Fleet, other: mv.Fleet) -> bool:
    """Times of files differ, and the name of the run that files in no folder belong to."""
    left = ["file_state", "run"]
    return bool(fleet.searches.drop_columns(left).equals(other.searches.drop_columns(left)))


def test_a_fleet_in_a_store_is_that_of_the_folder(traces: Path, address: str) -> None:
    put(traces, address)
    fleet, local = mv.fleet(address), mv.fleet(traces)
    assert same_but_for_files(fleet, local)
    assert fleet.sql("select count(*) from moves").fetchall() == [(local.moves.num_rows,)]
    trace = fleet.open("a.many#3")
    assert trace.best_action == local.open("a.many#3").best_action
    assert mv.fleet(address).searches.equals(fleet.searches)
    fleet.compact()
    assert mv.fleet(address).searches.equals(fleet.searches)
    fleet.delete_run("second")
    assert len(mv.fleet(address)) == len(local) - 5


def test_an_address_that_cannot_be_reached_is_an_error_in_words() -> None:
    with pytest.raises(TraceError, match=r"nowhere://x: cannot be reached: .*; pip install"):
        mv.fleet("nowhere://x")


def test_a_store_that_lets_nobody_in_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Errors of a store's library are of classes of its own."""

    class NoCredentialsError(Exception):
        pass

    def find(*_: object, **__: object) -> None:
        raise NoCredentialsError("Unable to locate credentials")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "find", find)
    assert main(["fleet", "build", "memory://runs", "--quiet"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("mcts-viz: memory://runs: cannot be read: Unable to locate credentials")
    assert "the access to it in the environment" in said
