"""The project as a whole: what it depends on, what it installs, what it must not contain."""

import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
# a place on somebody's machine; put together here so that this file does not contain one
MACHINE_PATHS = re.compile(rb"/(?:home|Users|root|work)/\w|/\.pyenv/|[A-Z]:\\\\?Users")
BINARY = {".png", ".gif", ".woff2", ".ico"}


def requirements(file: str) -> list[Requirement]:
    """The requirements that a file lists itself, without those of the files that it includes."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    texts = [line.split("#")[0].strip() for line in lines]
    return [Requirement(text) for text in texts if text and not text.startswith("-")]


def files() -> list[Path]:
    """Every file that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def build_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it gets installed, built from a copy."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "mcts_viz", source / "mcts_viz", ignore=shutil.ignore_patterns("__pycache__")
    )
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    finished = subprocess.run(
        [sys.executable, "-c", build, str(folder)],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel's contents."""
    return zipfile.ZipFile(build_wheel(tmp_path_factory))


def metadata(wheel: zipfile.ZipFile) -> dict[str, list[str]]:
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    headers = Parser().parsestr(wheel.read(name).decode())
    return {key: headers.get_all(key, []) for key in headers}


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_has_a_lower_bound(file: str) -> None:
    unbound = [
        str(requirement)
        for requirement in requirements(file)
        if not any(specifier.operator == ">=" for specifier in requirement.specifier)
    ]
    assert not unbound


def test_the_installed_package_requires_what_requirements_txt_lists(wheel: zipfile.ZipFile) -> None:
    found = {Requirement(text) for text in metadata(wheel)["Requires-Dist"]}
    required = {requirement for requirement in found if "extra ==" not in str(requirement.marker)}
    assert {"cluster", "notebook"} <= set(metadata(wheel)["Provides-Extra"])
    listed = set(requirements("requirements.txt"))
    assert {(canonicalize_name(r.name), str(r.specifier)) for r in required} == {
        (canonicalize_name(r.name), str(r.specifier)) for r in listed
    }


def test_the_installed_package_has_every_module_and_asset(wheel: zipfile.ZipFile) -> None:
    installed = set(wheel.namelist())
    needed = {
        path.relative_to(ROOT).as_posix()
        for path in files()
        if path.is_relative_to(ROOT / "mcts_viz")
        and path.suffix != ".md"
        and not path.name.endswith(".d.ts")  # for the type check of the JavaScript alone
    }
    assert needed - installed == set()


def test_the_installed_package_starts_the_command_line(wheel: zipfile.ZipFile) -> None:
    name = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "mcts-viz = mcts_viz.cli:main" in wheel.read(name).decode()
    assert "[pytest11]\nmcts_viz = mcts_viz.pytest_plugin" in wheel.read(name).decode()


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_dependency_earns_its_place_in_a_line(file: str) -> None:
    """And no line is left of a dependency that is gone."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    tables = text.split("\n## Dependencies\n")[1].split("\n## ")[0].split("\n\n")
    table = next(
        table
        for table in tables
        if table.startswith("| for tests" if "dev" in file else "| at run")
    )
    explained = re.findall(r"^\| `([\w-]+)` \| \S.{10,} \|$", table, re.MULTILINE)
    assert sorted(explained) == sorted(requirement.name for requirement in requirements(file))


def test_the_change_log_names_the_version(wheel: zipfile.ZipFile) -> None:
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{metadata(wheel)['Version'][0]}]" in log


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0].decode()}"
        for path in files()
        if path.suffix not in BINARY
        for match in [MACHINE_PATHS.search(path.read_bytes())]
        if match is not None
    ]
    assert not found


def test_the_sources_are_small_enough_to_clone() -> None:
    """Recorded searches are the temptation; the bundled ones take under 2 MB together."""
    samples = sum(path.stat().st_size for path in files() if path.parent.name == "samples")
    assert samples < 2_000_000
    # half a megabyte is the page's Plotly, four are pictures
    assert sum(path.stat().st_size for path in files()) < 12_000_000


def test_a_small_search_waits_for_no_library_that_it_does_not_need() -> None:
    script = (
        "import sys, mcts_viz as mv; mv.search('connect_four', iterations=500, seed=1).best_action; "
        "print({'numba', 'networkx', 'dash', 'plotly', 'pandas', 'pyarrow.compute'} & set(sys.modules))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert finished.stdout.strip() == "set()"
