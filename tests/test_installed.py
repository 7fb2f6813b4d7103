"""The wheel, installed into an empty environment, does what the README says.

The environment has nothing but the package; its dependencies come from the one that runs the tests,
so that nothing is downloaded.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.test_project import ROOT, build_wheel

SCRIPT = """
import sys, pathlib
import mcts_viz as mv
from mcts_viz import page
from mcts_viz.testing import assert_healthy

assert pathlib.Path(mv.__file__).is_relative_to(sys.prefix), mv.__file__
trace = mv.search("tic_tac_toe", iterations=200, seed=1, path="run.mcts")
assert mv.open("run.mcts").best_action == trace.best_action
assert_healthy(trace)
print(trace.explain())
tree = trace.at(200)
for name in ("tree.json", "tree.graphml", "tree.csv"):
    tree.export(name)
trace.to_html("steps.html")
client = page.make_app([pathlib.Path("run.mcts")]).server.test_client()
start = client.get("/").get_data(as_text=True)
assert "mcts_viz" in start
addresses = [part.split('"')[0] for part in start.split('src="')[1:]]
ours = [address for address in addresses if address.startswith("/assets/")]
assert len(ours) == 2  # ours as one file, and Plotly
assert [address for address in ours if client.get(address).status_code != 200] == []
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    interpreter = folder / "bin/python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run([str(interpreter), "-c", ask], folder).strip())
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    wheel = build_wheel(tmp_path_factory)
    install = [sys.executable, "-m", "pip", "--python", str(interpreter), "install", "--quiet"]
    run([*install, "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)], folder)
    return interpreter


def run(command: list[str], folder: Path) -> str:
    finished = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.thorough
def test_the_installed_package_records_checks_exports_and_serves(
    python: Path, tmp_path: Path
) -> None:
    assert "was chosen because" in run([str(python), "-c", SCRIPT], tmp_path)
    made = {path.name for path in tmp_path.iterdir()}
    assert {"run.mcts", "tree.json", "tree.graphml", "tree.csv", "steps.html"} <= made


def test_the_installed_command_records_and_checks(python: Path, tmp_path: Path) -> None:
    command = str(python.parent / "mcts-viz")
    run([command, "record", "tic_tac_toe", "--iterations", "100", "-o", "run.mcts"], tmp_path)
    assert "selection-rule" in run([command, "check", "run.mcts"], tmp_path)


def test_the_versions_of_python_are_those_that_the_environment_can_be_made_with() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    script = (ROOT / "scripts/make-venv.sh").read_text(encoding="utf-8")
    for minor in range(10, 15):
        assert f'"Programming Language :: Python :: 3.{minor}"' in project
        assert f"python3.{minor}" in script
    assert 'requires-python = ">=3.10"' in project
