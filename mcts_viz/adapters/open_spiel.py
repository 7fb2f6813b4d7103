"""OpenSpiel's Python `MCTSBot`: every search of a bot, iteration by iteration.

A node's value is in the view of the player who moved into it; where an event of chance led to it, of
the player who moved before; the root's in that of the player to move, so that it is turned round here
where two play. The bot makes a root of its own for each search, so it is listened to:
its methods are called as before, and what they return is what they return. Needs no OpenSpiel itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic

from mcts_viz.adapters.fields import Node
from mcts_viz.adapters.recording import AnyTrace, Recording
from mcts_viz.errors import TraceError

# games of which the package has boards, with the same action ids
BOARDS = {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four"}
SELECTION = {"uct_value": ("ucb1", "first"), "puct_value": ("puct", 0.0)}
LISTENED_TO = ("mcts_search", "_apply_tree_policy", "evaluator")

Begin = Callable[
    [int, dict[str, Any]], Recording[AnyTrace]
]  # the how-manieth search, its arguments


class WatchedBot(Generic[AnyTrace]):
    """What `mcts_viz.watch_open_spiel` gives: inside its `with` block every search that the bot makes
    becomes a trace. Raises TraceError for a game that a trace cannot tell of."""

    def __init__(self, bot: Any, begin: Begin[AnyTrace]) -> None:
        self._bot, self._begin = bot, begin
        self._game = bot._game
        check_game(self._game)
        self._recording: Recording[AnyTrace] | None = None
        self._n_searches = 0
        self._returns: Any = None  # of the evaluation under way
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        for name in LISTENED_TO:  # somebody else may listen, too
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
            self._recording = self._begin(self._n_searches, arguments(self._bot, root, state))
        else:
            self._record()
        path, reached = self._descend(root, state)
        if reached.is_terminal():
            self._returns = reached.returns()
        return path, reached

    def _record(self) -> None:
        if self._recording is not None:
            self._recording.iteration(outcome=float(self._returns[0]))

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
    """Refuse a game whose values no trace can keep."""
    name, n = game.get_type().short_name, game.num_players()
    if n > 2 or (n == 2 and not _is_zero_sum(game)):
        kind = f"has {n} players" if n > 2 else "is not zero-sum"
        raise TraceError(
            f"the game {name} {kind}; a trace tells of one player, or of two of whom one wins what the other loses: "
            "record the search of such a game with mcts_viz.record and a value of your choice"
        )


def _is_zero_sum(game: Any) -> bool:
    return str(game.get_type().utility).rpartition(".")[2] in ("ZERO_SUM", "CONSTANT_SUM")


def arguments(bot: Any, root: Node, state: Any) -> dict[str, Any]:
    """The keyword arguments that watch one search of the bot."""
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
    if low == -high and game.num_players() == 2:
        told["proven"] = _proven
    if name in BOARDS:
        return {**told, "game": BOARDS[name], "start": state.history()}
    if game.num_players() == 1:
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
    two_even_sides = low == -high and bot._game.num_players() == 2
    told: dict[str, Any] = {"final_move": {"name": "most_visits"}}
    if selection is not None and two_even_sides:
        # a finished game, or one proven by the solver, competes by its result alone
        told["selection"] = {"name": selection[0], "c": float(bot.uct_c), "unvisited": selection[1]}
        told["backpropagation"] = {
            "name": "scores", "win": high, "draw": 0.0, "loss": low, "collect": "both",
            "poison": None, "solver": True,
        }  # fmt: skip
    else:
        told["selection"] = {"name": getattr(bot._child_selection_fn, "__name__", "unknown")}
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
        """0 or 1; None at the end of the game."""
        player = int(self.of(node).current_player())
        return player if player in (0, 1) else None

    def label(self, node: Node) -> str | None:
        """The move into the node in the game's words."""
        above = self._above.get(id(node))
        if above is None:
            return None
        state = self.of(above)
        return str(state.action_to_string(state.current_player(), node.action))
