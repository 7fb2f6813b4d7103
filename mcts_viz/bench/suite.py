"""A suite: positions, seeds and budgets, and whose search is run on them. Read from TOML or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from mcts_viz.errors import SearchError
from mcts_viz.games import FlatGame, any_game
from mcts_viz.health.acceptance import checked_reasons
from mcts_viz.runs.probe_positions import ProbePosition
from mcts_viz.trace.strict_json import is_not_utf8

Count = Annotated[int, msgspec.Meta(ge=1)]


class SuitePosition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position by the moves that lead to it."""

    moves: list[str | int] = []
    name: str = ""  # "": its moves


class SuiteDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says."""

    game: str
    iterations: Annotated[list[Count], msgspec.Meta(min_length=1)]
    seeds: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)] = (1,)
    positions: Annotated[tuple[SuitePosition, ...], msgspec.Meta(min_length=1)] = (SuitePosition(),)
    search: str = ""  # "module:function"
    command: list[str] = []  # writes events; {moves}, {seed} and {iterations} are put in
    truth: Annotated[int, msgspec.Meta(ge=0)] = 200_000  # positions for the solver, for each move
    accept: dict[str, str] = {}  # checks whose findings are all right, with the reason


DECODER = msgspec.json.Decoder(SuiteDocument)


class BenchTask(NamedTuple):
    """One search of a suite."""

    name: str
    position: ProbePosition
    seed: int
    iterations: int


class Suite(NamedTuple):
    """A suite, checked."""

    path: Path
    document: SuiteDocument
    game: FlatGame
    positions: Sequence[tuple[str, ProbePosition]]

    @property
    def tasks(self) -> Iterator[BenchTask]:
        """All searches, in their order."""
        for iterations in self.document.iterations:
            for name, position in self.positions:
                for seed in self.document.seeds:
                    told = f"{name}, seed {seed}, {iterations} iterations"
                    yield BenchTask(told, position, seed, iterations)

    @property
    def whose(self) -> str:
        """The search, as the file names it."""
        return self.document.search or " ".join(self.document.command)


def read_suite(path: str | Path) -> Suite:
    """Raises SearchError or GameError that name the place, what is wrong there and what to write."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as err:
        raise SearchError(f"{path}: cannot be read: {err.strerror}; name a suite") from err
    try:
        if path.suffix == ".json":
            document = DECODER.decode(content)
        else:
            document = msgspec.toml.decode(content, type=SuiteDocument)
    except (ValueError, TypeError) as err:  # msgspec's errors are ValueErrors
        if is_not_utf8(err):
            raise SearchError(
                f"{path}: not a suite, as it is not a text; docs/bench.md has an example of one"
            ) from err
        raise SearchError(f"{path}: {err}; docs/bench.md has an example of a suite") from err
    if bool(document.search) == bool(document.command):
        raise SearchError(
            f"{path}: give either search = 'module:function' or command = ['program', '{{moves}}', '{{seed}}', "
            "'{iterations}']"
        )
    checked_reasons(document.accept)
    game = any_game(document.game)
    positions = []
    for each in document.positions:
        _, actions = game.position(each.moves)
        name = each.name or ", ".join(game.action_labels[action] for action in actions) or "start"
        positions.append((name, ProbePosition(game, tuple(actions), name)))
    names = [name for name, _ in positions]
    if len(set(names)) < len(names):
        raise SearchError(f"{path}: two positions have one name: {', '.join(names)}; rename one")
    return Suite(path, document, game, positions)
