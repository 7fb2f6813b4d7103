"""Watches the policies of mctx while they run, also inside `jax.jit`: every batch of searches becomes traces."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Generic, ParamSpec, TypeVar

from mcts_viz.errors import TraceError
from mcts_viz.recording.libraries.mctx import FIELDS, from_mctx
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.types import ReadDocument

P = ParamSpec("P")
Output = TypeVar("Output")

POLICIES = ("muzero_policy", "gumbel_muzero_policy")
NOTHING = (
    "no policy of mctx was seen in the block. Call it as mctx.gumbel_muzero_policy, not by a name imported before, and "
    "jax.jit the function around it inside the block; or give what it returns to mcts_viz.from_mctx"
)


def watch_mctx(
    trace: TraceMaker[AnyTrace], /, path: str | Path | None = None, **options: object
) -> WatchedMctx[AnyTrace]:
    """Watch mctx: every search of a batch that `muzero_policy` or `gumbel_muzero_policy` makes in the `with` block is a
    trace, with the keywords that the policy was called with.

        with mcts_viz.watch_mctx("run.many") as watched:
            output = mctx.gumbel_muzero_policy(params, key, root, recurrent_fn, num_simulations=32)
        watched.traces

    path: a file of many searches (.many); None keeps the traces in memory. options: players, game, action_labels and
    state of `from_mctx`. Inside a compiled function the trees are handed over whenever it runs, as long as it was
    compiled in the block. Raises TraceError when nothing was seen.
    """
    return WatchedMctx(trace, path, options)


class _Tree:
    """The arrays of a search tree, by name."""

    def __init__(self, arrays: ReadDocument) -> None:
        vars(self).update(arrays)


class WatchedMctx(Generic[AnyTrace]):
    """What `mcts_viz.watch_mctx` gives."""

    def __init__(
        self, trace: TraceMaker[AnyTrace], path: str | Path | None, options: ReadDocument
    ) -> None:
        self._trace, self._path, self._options = trace, path, options
        self._lock = threading.Lock()
        self._file: ManyWriter | None = None
        self._before: dict[str, Callable[..., object]] = {}
        self._is_open = False
        self._error: TraceError | OSError | None = None
        self.traces: list[AnyTrace] = []  # in the order in which the searches ended

    @property
    def trace(self) -> AnyTrace:
        """That of the last search."""
        if not self.traces:
            raise TraceError(NOTHING)
        return self.traces[-1]

    def __enter__(self) -> WatchedMctx[AnyTrace]:
        import mctx  # type: ignore[import-untyped]

        self._module = mctx
        if self._path is not None:
            self._file = ManyWriter(self._path)
        for name in POLICIES:
            self._before[name] = getattr(mctx, name)
            setattr(mctx, name, self._watched(self._before[name]))
        self._is_open = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        import jax

        for name, policy in self._before.items():
            setattr(self._module, name, policy)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # what compiled functions are still handing over
        with self._lock:
            self._is_open = False
        if self._file is not None:
            self._file.close()
        if kind is None and self._error is not None:
            raise self._error
        if kind is None and not self.traces:
            raise TraceError(NOTHING)

    def _watched(self, policy: Callable[P, Output]) -> Callable[P, Output]:
        import jax

        @functools.wraps(policy)
        def watched(*arguments: P.args, **named: P.kwargs) -> Output:
            output = policy(*arguments, **named)
            tree = output.search_tree  # type: ignore[attr-defined]
            arrays = {name: getattr(tree, name) for name in (*FIELDS, "root_invalid_actions")}
            if tree.extra_data is not None:
                arrays["root_gumbel"] = tree.extra_data.root_gumbel
            constants = {name: each for name, each in named.items() if not _is_traced(jax, each)}
            jax.debug.callback(functools.partial(self._take, constants), arrays)
            return output

        return watched

    def _take(self, named: ReadDocument, arrays: ReadDocument) -> None:
        with self._lock:
            if not self._is_open or self._error is not None:
                return
            try:
                self.traces += from_mctx(
                    self._trace, _Tree(arrays), into=self._file, options=named, **self._options
                )
            except (TraceError, OSError) as err:  # the search goes on; the block's end tells
                self._error = err


def _is_traced(jax: ModuleType, value: object) -> bool:
    """Whether a value is known only when the compiled function runs."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree_util.tree_leaves(value))
