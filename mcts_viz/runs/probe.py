"""Runs a user's search from a spread of positions, records and checks each: mistakes at the end of
games show near the end of games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from mcts_viz.errors import MctsVizError, SearchError
from mcts_viz.games import FlatGame, Game, any_game
from mcts_viz.games.position import StartPosition, start_position
from mcts_viz.health.catalogue import found
from mcts_viz.health.checking import check_trace
from mcts_viz.health.finding import Finding
from mcts_viz.recording.record import record
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.runs.probe_positions import ProbePosition, own_positions, probe_positions
from mcts_viz.runs.probe_report import Probe, Probed, report
from mcts_viz.runs.progress import bar_of_searches
from mcts_viz.solver import plain
from mcts_viz.solver.alpha_beta import HORIZON
from mcts_viz.trace.trace import Trace
from mcts_viz.types import ReadDocument, is_whole

GAME, ITERATIONS = "connect_four", 400
GROWING = 0.5  # nodes for an iteration
SOLVER_LOOKS = 20_000  # positions, for a move that is not one of the right ones
TOLD = frozenset({"outcome", "rollout"})  # what a step may give
MAKES = (
    "give the root, the function that does one iteration, and the fields for mcts_viz.record: "
    'return search.root, search.step, {"children": "children", "visits": "visits", "value": "value", "action": "move"}'
)

# one of: None; what `rec.iteration` takes, as a dict
Step: TypeAlias = Callable[[], object]
MakeSearch: TypeAlias = Callable[[ProbePosition], "tuple[object, Step, ReadDocument]"]


def probe(
    trace: TraceMaker[AnyTrace],
    /,
    make_search: MakeSearch,
    game: str | Game | FlatGame = GAME,
    *,
    iterations: int = ITERATIONS,
    positions: Sequence[Sequence[str | int]] | None = None,
    accept: Mapping[str, str] | None = None,
    seed: int = 1,
    folder: str | Path | None = None,
    progress: bool = False,
) -> Probe[AnyTrace]:
    """Run your search from some 30 positions, record and check each, and say what is wrong in one table:
    docs/probe.md.

        def make_search(position):
            board = Board()
            for move in position:  # action ids; position.names are their names
                board.play(move)
            search = Search(board)
            return search.root, search.step, {"children": "children", "visits": "visits", …}

        print(mv.probe(make_search, game="connect_four"))

    make_search: a function of a position that gives the tree's root (or a function that gives it), the
    function that does one iteration, and the fields for `record`, in which game and start may be left
    out. A position is a sequence of the action ids that lead to it from the game's first position;
    `position.state` is a fresh state, of your own `Game` or of ours. A step may return what
    `rec.iteration` takes, {"outcome": 1.0, "rollout": […]}. game: a built-in game's name, or your own.

    positions: sequences of moves, instead of those that random play finds with `seed`: the opening, the
    middle, 3 to 5 moves before the end, few moves left, and wins and losses in one and two moves.
    iterations: of each search. accept: names of checks, each with the reason why its findings are all
    right. folder: keep the traces there. progress: show a bar in the terminal.

    Raises SearchError where the search fails at every position, and GameError and TraceError for what
    is given wrong. A search that fails at some positions only has a finding of that.
    """
    _checked(make_search, iterations)
    played = any_game(game)
    own = not isinstance(game, (str, FlatGame))
    if positions is None:
        chosen = probe_positions(played, own, seed)
    else:
        chosen = list(own_positions(played, own, positions))
    if not chosen:
        raise SearchError("positions=[]: there is none to search from; give some, or leave it out")
    kept = None if folder is None else Path(folder)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
    probed = []
    with bar_of_searches(len(chosen), progress) as advance:
        for i, position in enumerate(chosen):
            file = _file(kept, i, position)
            probed.append(_probed(trace, make_search, position, int(iterations), file))
            advance(i + 1, len(chosen))
    _raise_common(probed)
    return report(played.name, int(iterations), probed, accept or {})


def _checked(make_search: object, iterations: object) -> None:
    if not callable(make_search):
        raise SearchError(
            f"make_search={make_search!r} cannot be called; it is a function of a position: {MAKES}"
        )
    if not is_whole(iterations) or iterations < 1:
        raise SearchError(f"iterations={iterations!r} is not a whole number from 1 up; give one")


def _file(folder: Path | None, index: int, position: ProbePosition) -> Path | None:
    kind = position.kind.replace(" ", "-")
    return None if folder is None else folder / f"{index + 1:02}-{kind}.mcts"


def _probed(
    trace: TraceMaker[AnyTrace],
    make_search: MakeSearch,
    position: ProbePosition,
    iterations: int,
    path: Path | None,
) -> Probed[AnyTrace]:
    """Search from one position. What the search raises is kept."""
    try:
        told = recorded(trace, make_search, position, iterations, path)
        rules = start_position(told.meta.game.name, told.meta.start)
        if rules is None and told.meta.game.name == position.game.name:
            rules = StartPosition(position.game, position.moves)
        findings = [each for each in check_trace(told, rules) if _counts(each, told)]
        chosen = told.at(told.n_iterations).best_action
    except Exception as error:  # noqa: BLE001 (somebody else's code: where it fails is a finding)
        return Probed(position, None, [_failure(error)], None, None, error)
    return Probed(position, told, findings, chosen, _solved(position, chosen))


def recorded(
    trace: TraceMaker[AnyTrace],
    make_search: MakeSearch,
    position: ProbePosition,
    iterations: int,
    path: Path | None,
) -> AnyTrace:
    """The trace of one search; raises SearchError for what `make_search` gives wrong."""
    made = make_search(position)
    try:
        root, step, fields = made
        known = {"game": position.game, "start": position.moves, **fields}
    except (TypeError, ValueError) as err:
        raise SearchError(
            f"make_search gave {type(made).__name__} {str(made)[:60]!r}; {MAKES}"
        ) from err
    if not callable(step):
        raise SearchError(f"make_search gave the step {step!r}, which cannot be called; {MAKES}")
    try:
        recording = record(trace, path, root=root, **known)
    except TypeError as err:
        raise SearchError(f"the fields that make_search gave: {err}; {MAKES}") from err
    with recording:
        for _ in range(iterations):
            told = step()
            given = isinstance(told, Mapping) and told and set(told) <= TOLD
            recording.iteration(**(told if given else {}))  # type: ignore[arg-type]
    return recording.trace


def _counts(finding: Finding, trace: Trace) -> bool:
    """Selection is the same everywhere, so it is judged where the tree grows: with few moves left, and
    every line looked at many times, too many rules explain the same choices."""
    grows = trace.n_nodes >= GROWING * trace.n_iterations
    return grows or finding.severity == "note" or not finding.check.startswith("selection-")


def _failure(error: Exception) -> Finding:
    return found("search-fails", None, None, f"{type(error).__name__}: {error}")


def _raise_common(probed: Sequence[Probed[Trace]]) -> None:
    """What is wrong everywhere is wrong with what was given, and no finding."""
    first = probed[0].error
    if first is None or not all(each.error for each in probed):
        return
    if isinstance(first, MctsVizError):
        raise first
    raise SearchError(
        f"the search fails at every position, first at {probed[0].position}: "
        f"{type(first).__name__}: {first}"
    ) from first


def _solved(position: ProbePosition, chosen: int | None) -> bool | None:
    """Whether the move is one of the right ones, or as good as those by the solver."""
    if position.right is None:
        return None
    if chosen is None or chosen in position.right or chosen not in position.legal:
        return chosen in position.right
    best = _value(position, min(position.right))
    return best is not None and best == _value(position, chosen)


def _value(position: ProbePosition, action: int) -> int | None:
    """The result after a move, view of player 0; None where the solver does not settle it."""
    state = position.flat_state
    position.game.rules.play(state, action)
    value, _, done = plain.search(position.game, state, 0, -HORIZON, HORIZON, SOLVER_LOOKS)
    return (value > 0) - (value < 0) if done else None
