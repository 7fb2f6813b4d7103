"""What a bench has kept, and what another one is held against: a file of many searches, each with its name."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mcts_viz.bench.running import BenchResult
from mcts_viz.bench.suite import Suite
from mcts_viz.errors import SearchError
from mcts_viz.fleets.parting import Parting, parting
from mcts_viz.trace.format import MANY_SUFFIX
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.trace.trace import Trace


class BenchDifference(NamedTuple):
    """Searches that are not what they were."""

    differ: list[str]  # names, in the suite's order
    missing: list[str]  # of the suite, and not in the baseline
    n_compared: int
    first: Parting | None  # of the first of those that differ


def save_results(results: Sequence[BenchResult], path: str | Path) -> None:
    """Keep all searches, to be held against later. Raises TraceError."""
    with ManyWriter(path) as many:
        for result in results:
            many.append(result.trace, bench=result.task.name, digest=result.digest)


def differences(results: Sequence[BenchResult], baseline: ManyFile[Trace]) -> BenchDifference:
    """The differing searches by name; their trees differ where their digests do."""
    before = {str(trace.meta.bench): (trace.meta.digest, k) for k, trace in enumerate(baseline)}
    there = [each for each in results if each.task.name in before]
    differ = [each for each in there if before[each.task.name][0] != each.digest]
    first = None
    if differ:
        first = parting(baseline[before[differ[0].task.name][1]], differ[0].trace)
    missing = [each.task.name for each in results if each.task.name not in before]
    return BenchDifference([each.task.name for each in differ], missing, len(there), first)


def _check_searches(baseline: ManyFile[Trace], suite: Suite) -> None:
    names = {task.name for task in suite.tasks}
    if not any(str(trace.meta.bench) in names for trace in baseline):
        raise SearchError(f"{baseline.path}: has no search of this suite; make it with -o")


def check_baseline(against: str, suite: Suite) -> None:
    """Raises SearchError or TraceError where there is neither such a file nor such a commit: before the suite runs."""
    if Path(against).is_file():
        _check_searches(ManyFile(against), suite)
        return
    if Path(against).is_dir():
        raise SearchError(
            f"--against {against}: is a folder; name a file in it that -o has made, such as before.many"
        )
    if against.endswith(MANY_SUFFIX):
        raise SearchError(f"--against {against}: there is no such file; make one with -o {against}")
    _repository(against, suite.path.resolve().parent)


@contextmanager
def opened_baseline(against: str, suite: Suite) -> Iterator[ManyFile[Trace]]:
    """The searches of a file, or of a commit of the suite's repository, which is checked out and run. Raises
    SearchError, TraceError."""
    if Path(against).is_file():
        yield ManyFile(against)
        return
    with tempfile.TemporaryDirectory() as place:
        found = ManyFile[Trace](_run_commit(against, suite, Path(place)))
        _check_searches(found, suite)
        yield found


def _run_commit(commit: str, suite: Suite, place: Path) -> Path:
    """Run today's suite on the program as of a commit, in another folder and another Python."""
    folder = suite.path.resolve().parent
    top = _repository(commit, folder)
    tree, kept = place / "tree", place / f"kept{MANY_SUFFIX}"
    _git(commit, top, "worktree", "add", "--detach", "--quiet", str(tree), commit)
    try:
        there = tree / folder.relative_to(top) / suite.path.name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(suite.path, there)
        command = [sys.executable, "-m", "mcts_viz", "bench", str(there), "-o", str(kept)]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if not kept.exists() or done.returncode not in (0, 1):
            raise SearchError(f"--against {commit}: its bench fails: {done.stderr.strip()[-500:]}")
    finally:
        _git(commit, top, "worktree", "remove", "--force", str(tree))
    return kept


def _repository(commit: str, folder: Path) -> Path:
    """The folder of the repository; raises SearchError where it does not have the commit."""
    top = Path(_git(commit, folder, "rev-parse", "--show-toplevel").strip())
    _git(commit, top, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    return top


def _git(commit: str, folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError as err:
        raise SearchError(
            f"--against {commit}: no such file, and git cannot be run: {err}"
        ) from err
    if done.returncode:
        raise SearchError(
            f"--against {commit}: neither a file nor a commit of the suite's repository: "
            f"{done.stderr.strip() or 'git does not know it'}; name a file that -o has made, or a commit"
        )
    return done.stdout
