"""OpenSpiel's Python `MCTSBot`: every search of a bot, iteration by iteration.

A node's value is in the view of the player who moved into it; where an event of chance led to it, of
the player who moved before; the root's in that of the player to move, so that it is turned round here
where two play. Where more than two play, or one does not win what the other loses, each node's sums for all
players are added up here from what the bot hears (max-n). The bot makes a root of its own for each search, so it is
listened to: its methods are called as before, and what they return is what they return. Needs no OpenSpiel itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeAlias

from mcts_viz.errors import TraceError
from mcts_viz.recording.fields import Node
from mcts_viz.recording.record import record
from mcts_viz.recording.recording import AnyTrace, Recording, TraceMaker
from mcts_viz.trace.players import MOST_PLAYERS

# games of which the package has boards, with the same action ids
BOARDS = {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four"}
SELECTION = {"uct_value": ("ucb1", "first"), "puct_value": ("puct", 0.0)}
LISTENED_TO = ("mcts_search", "_apply_tree_policy", "evaluator")

Sums: TypeAlias = dict[int, list[float]]
Begin = Callable[[int, dict[str, Any]], Recording[AnyTrace]]  # number of the search, its arguments


def watch_open_spiel(
    trace: TraceMaker[AnyTrace], /, bot: Any, path: str | Path | None = None, **changes: Any
) -> WatchedBot[AnyTrace]:
    """Watch OpenSpiel's Python MCTSBot: every search that it makes in the `with` block is a trace.

        with mcts_viz.watch_open_spiel(bot, "run.mcts") as watched:
            action = bot.step(state)
        watched.trace

    The searches after the first one go to run-2.mcts, run-3.mcts, … The bot moves as it would alone.
    changes: any argument of `record`. Raises TraceError for a game of more players than a trace has.
    """

    def begin(number: int, told: dict[str, Any]) -> Recording[AnyTrace]:
        file = None if path is None else Path(path)
        if file is not None and number > 1:
            file = file.with_stem(f"{file.stem}-{number}")
        return record(trace, file, **{**told, **changes})

    return WatchedBot(bot, begin)


class WatchedBot(Generic[AnyTrace]):
    """What `mcts_viz.watch_open_spiel` gives: inside its `with` block every search that the bot makes
    becomes a trace. Raises TraceError for a game that a trace cannot tell of."""

    def __init__(self, bot: Any, begin: Begin[AnyTrace]) -> None:
        self._bot, self._begin = bot, begin
        if not hasattr(bot, "_game"):
            raise TraceError(
                f"bot={bot!r:.60} is no MCTSBot; give one of open_spiel.python.algorithms.mcts"
            )
        self._game = bot._game
        check_game(self._game)
        self._recording: Recording[AnyTrace] | None = None
        self._n_searches = 0
        self._returns: Any = None  # of the evaluation under way
        # by id of a node its sum of returns for each player, where all are needed; the path under way
        self._sums: Sums | None = None
        self._path: list[Node] = []
        self.traces: list[AnyTrace] = []  # one a search

    @property
    def trace(self) -> AnyTrace:
        """That of the last search."""
        if not self.traces:
            raise TraceError(
                "the bot has not searched yet; let it move inside the block: bot.step(state)"
            )
        return self.traces[-1]

    def __enter__(self) -> WatchedBot[AnyTrace]:
        bot = self._bot
        self._search, self._descend = bot.mcts_search, bot._apply_tree_policy
        self._evaluator = bot.evaluator
        self._before = {name: vars(bot)[name] for name in LISTENED_TO if name in vars(bot)}
        bot.mcts_search, bot._apply_tree_policy = self._whole_search, self._one_descent
        bot.evaluator = _Listener(self._evaluator, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for name in LISTENED_TO:  # other code may listen, too
            delattr(self._bot, name)
            if name in self._before:
                setattr(self._bot, name, self._before[name])

    def _hear(self, returns: Any) -> None:
        self._returns = returns

    def _whole_search(self, state: Any) -> Node:
        self._recording = None
        try:
            root = self._search(state)
        except BaseException as err:
            self._end(type(err), err)
            raise
        self._record()
        self._end(None, None)
        return root

    def _one_descent(self, root: Node, state: Any) -> Any:
        """Called at the beginning of each iteration: the one before is over."""
        if self._recording is None:
            self._n_searches += 1
            self._sums = None if takes_turns_to_win(self._game) else {}
            told = arguments(self._bot, root, state, self._sums)
            self._recording = self._begin(self._n_searches, told)
        else:
            self._record()
        path, reached = self._descend(root, state)
        self._path = list(path)  # the bot takes it apart
        if reached.is_terminal():
            self._returns = reached.returns()
        return path, reached

    def _record(self) -> None:
        if self._recording is None:
            return
        if self._sums is None:
            self._recording.iteration(outcome=float(self._returns[0]))
            return
        for node in self._path:
            before = self._sums.get(id(node), [0.0] * len(self._returns))
            self._sums[id(node)] = [total + more for total, more in zip(before, self._returns)]
        self._recording.iteration(outcome=[float(each) for each in self._returns])

    def _end(self, kind: type[BaseException] | None, error: BaseException | None) -> None:
        if self._recording is not None:
            self._recording.__exit__(kind, error, None)
            self.traces.append(self._recording.trace)


class _Listener:
    """An evaluator that lets hear what it says."""

    def __init__(self, evaluator: Any, hear: Callable[[Any], None]) -> None:
        self._evaluator, self._hear = evaluator, hear

    def evaluate(self, state: Any) -> Any:
        """What the evaluator says."""
        returns = self._evaluator.evaluate(state)
        self._hear(returns)
        return returns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evaluator, name)


def check_game(game: Any) -> None:
    """Refuse a game with more players than a trace has."""
    name, n = game.get_type().short_name, game.num_players()
    if n > MOST_PLAYERS:
        raise TraceError(
            f"the game {name} has {n} players, and a trace up to {MOST_PLAYERS}: record the search of such a game with "
            "mcts_viz.record and a value of your choice"
        )


def takes_turns_to_win(game: Any) -> bool:
    """Whether one value says all: of one player, or of two of whom one wins what the other loses."""
    return game.num_players() == 1 or (game.num_players() == 2 and _is_zero_sum(game))


def _is_zero_sum(game: Any) -> bool:
    return str(game.get_type().utility).rpartition(".")[2] in ("ZERO_SUM", "CONSTANT_SUM")


def arguments(bot: Any, root: Node, state: Any, sums: Sums | None = None) -> dict[str, Any]:
    """The keyword arguments that watch one search of the bot; sums: see `WatchedBot`."""
    game = bot._game
    name = str(game).removesuffix("()")  # with its parameters, where it has some
    low, high = float(game.min_utility()), float(game.max_utility())
    told: dict[str, Any] = {
        "root": root,
        "children": "children",
        "visits": "explore_count",
        "value": "total_reward" if game.num_players() == 1 else _value(root, game),
        "action": "action",
        "prior": "prior",
        "value_range": (low, high),
        "reward_range": (low, high),
        "policies": policies(bot, low, high),
    }
    n = game.num_players()
    if sums is not None:
        told["value"] = lambda node: sums.get(id(node), [0.0] * n)
        told["players"] = tuple(f"player {player}" for player in range(n))
    elif low == -high and n == 2:
        told["proven"] = _proven
    if name in BOARDS:
        return {**told, "game": BOARDS[name], "start": state.history()}
    if n == 1:
        told["players"] = ("player",)
    return {**told, "game": name, **_Positions(root, state).fields()}


def _value(root: Node, game: Any) -> Callable[[Node], float]:
    """A field: the sum of the rewards, at the root as well in the view of the player not to move."""
    both = float(game.utility_sum() or 0.0)  # what the two get together

    def value(node: Node) -> float:
        total: float = node.total_reward
        return total if node is not root else both * node.explore_count - total

    return value


def _proven(node: Node) -> float | None:
    return None if node.outcome is None else float(node.outcome[0])


def policies(bot: Any, low: float, high: float) -> dict[str, Any]:
    """What the bot says of its phases."""
    selection = SELECTION.get(getattr(bot._child_selection_fn, "__name__", ""))
    two_even_sides = low == -high and takes_turns_to_win(bot._game) and bot._game.num_players() == 2
    told: dict[str, Any] = {"final_move": {"name": "most_visits"}}
    if selection is not None and two_even_sides:
        # a finished game, or one proven by the solver, competes by its result alone
        told["selection"] = {"name": selection[0], "c": float(bot.uct_c), "unvisited": selection[1]}
        told["backpropagation"] = {
            "name": "scores", "win": high, "draw": 0.0, "loss": low, "collect": "both",
            "poison": None, "solver": True, "carried": bool(bot.solve),
        }  # fmt: skip
    else:
        told["selection"] = {"name": getattr(bot._child_selection_fn, "__name__", "unknown")}
    if str(bot._game.get_type().utility).rpartition(".")[2] == "IDENTICAL":
        told["backpropagation"] = {"name": "common"}
    n_rollouts = getattr(bot.evaluator, "n_rollouts", None)
    if n_rollouts is None:
        told["simulation"] = {"name": "value", "evaluator": type(bot.evaluator).__name__}
    else:
        told["simulation"] = {"name": "random", "rollouts": int(n_rollouts)}
    return told


class _Positions:
    """The game's states at the nodes, made when they are asked for: nodes keep none."""

    def __init__(self, root: Node, state: Any) -> None:
        self._state = {id(root): state.clone()}
        self._above: dict[int, Node] = {}  # parent of each node; the search keeps all of them alive

    def fields(self) -> dict[str, Any]:
        """Those of a recording that only the states tell."""
        return {
            "children": self.children,
            "to_move": self.to_move,
            "chance": lambda node: self.of(node).is_chance_node(),
            "label": self.label,
            "state": lambda node: str(self.of(node)),
        }

    def children(self, node: Node) -> list[Node]:
        """The node's children; notes whose they are."""
        found: list[Node] = node.children
        if found and id(found[0]) not in self._above:
            for child in found:
                self._above[id(child)] = node
        return found

    def of(self, node: Node) -> Any:
        """The state at a node."""
        if id(node) not in self._state:
            state = self.of(self._above[id(node)]).clone()
            state.apply_action(node.action)
            self._state[id(node)] = state
        return self._state[id(node)]

    def to_move(self, node: Node) -> int | None:
        """None at the end of the game."""
        player = int(self.of(node).current_player())
        return player if player >= 0 else None

    def label(self, node: Node) -> str | None:
        """The move into the node in the game's words."""
        above = self._above.get(id(node))
        if above is None:
            return None
        state = self.of(above)
        return str(state.action_to_string(state.current_player(), node.action))
