"""Records a search of the user's own: ties the watched tree to our games, formulas and traces.

The only place that knows both. The search's code is not touched and its result not changed.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcts_viz import games
from mcts_viz.errors import GameError, SearchError, TraceError
from mcts_viz.games.position import StartPosition, recorded_with
from mcts_viz.recording.actions import ActionIds
from mcts_viz.recording.counted_method import CountedMethod
from mcts_viz.recording.declared import declared_policies
from mcts_viz.recording.fields import Field, Node, NodeFields
from mcts_viz.recording.metadata import PLAYERS, GameFacts, foreign_meta
from mcts_viz.recording.own_scores import Score
from mcts_viz.recording.recording import AnyTrace, Recording, TraceMaker
from mcts_viz.recording.tables import Edge
from mcts_viz.recording.values import Values, checked_range
from mcts_viz.recording.virtual_loss import VirtualLoss
from mcts_viz.recording.watched_graph import WatchedGraph
from mcts_viz.recording.watched_node import shared_key
from mcts_viz.recording.watched_tables import WatchedTables
from mcts_viz.recording.watched_tree import FUNCTIONS, KeptTree, WatchedTree, root_of
from mcts_viz.trace.columns import Columns
from mcts_viz.trace.format import document_of
from mcts_viz.trace.many_writer import About, ManyWriter
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import MOST_PLAYERS
from mcts_viz.trace.reader import TraceFile
from mcts_viz.trace.software import software
from mcts_viz.trace.states import STATE_FORMATS


def record(
    trace: TraceMaker[AnyTrace],
    /,
    path: str | Path | None = None,
    *,
    root: Any,
    children: Field,
    visits: Field,
    value: Field,
    action: Field | None = None,
    to_move: Field | None = None,
    prior: Field | None = None,
    state: Field | None = None,
    state_format: str | None = None,
    label: Field | None = None,
    outcome: Field | None = None,
    chance: Field | None = None,
    simultaneous: bool | Field = False,
    proven: Field | None = None,
    reward: Field | None = None,
    shared: bool | Field = False,
    virtual_loss: Field | None = None,
    score: Score | None = None,
    documents: Field | None = None,
    belief: Field | None = None,
    particles: Field | None = None,
    evaluation: Field | None = None,
    gumbel: Field | None = None,
    phase: Field | None = None,
    game: str | games.FlatGame | games.Game | None = None,
    start: Sequence[str | int] = (),
    value_view: str = "mover",
    value_kind: str = "sum",
    value_range: tuple[float, float] = (-1.0, 1.0),
    reward_range: tuple[float, float] | None = None,
    players: Sequence[str] | None = None,
    discount: float | None = None,
    step_rewards: bool = False,
    selection: str | None = None,
    c: float | None = None,
    unvisited: float | str | None = None,
    n: str | None = None,
    backup: str | None = None,
    final_move: str | None = None,
    on: tuple[object, str] | tuple[object, str, Callable[..., object]] | None = None,
    policies: Mapping[str, Any] | None = None,
    thorough: bool = False,
    sync: float | None = None,
    into: ManyWriter | None = None,
    about: About | Callable[[], About] | None = None,
) -> Recording[AnyTrace]:
    """Watch a search of your own; docs/watch-your-own-search.md shows how.

        with mcts_viz.record("mine.mcts", root=search.root, children="children", visits="visits",
                             value="value", action="action") as rec:
            for _ in rec.steps(search.step, 1000):
                pass
        rec.trace

    path: the file to write; None keeps the trace in memory. root: the tree's root, or a function
    that gives it, None as long as there is none, and which follows when the search replaces it: `traces` has one for
    each root.

    Each field of a node is an attribute's name, a key, or a function of the node. children: a list,
    tuple or dict of nodes, or None. visits: a whole number. value: see below; a sequence has an entry for
    each player; None where a node keeps none. action: the move into the node. to_move: the player, from 0 on.
    prior: of the move into the node.
    state: the position, a text, or a nested list or an array of rows, which is shown as a grid;
    state_format: what a text is written in: "text", "markdown" or "grid" (lines of cells, tabs
    between them). label: a readable name of the move. outcome: result of the game
    where it is over at the node, view of player 0 and from −1 to 1 (see reward_range), else None.
    chance: true where nobody moves, but chance does. simultaneous: true where all players choose at once, everywhere
    or as a field: the move into a child is then a tuple with an entry for each. proven: the result that the search has
    proven at the node, view of player 0, else None.
    reward: what the move into the node brings, view of the player who made it. shared: True
    where several parents may lead to the same node (transpositions, graph search: the same object, or one that is equal
    by `__eq__` and `__hash__`), which is then recorded once;
    or a field, where nodes are ways to what is shared, each with visits and values of its own: what these have in
    common, such as the key of a position, None as long as it is not known. virtual_loss: how many visits the node
    carries for paths that are still on their way, each with the value of a loss, if its visits count them;
    these are taken off its numbers.
    score: of a child, by which the search selects, the highest first: a field of the child, or a function of parent and
    child; the choices of each descent are compared with it, up to the first that goes elsewhere. documents: the node's
    documents, by name: texts, pairs of a kind (text, markdown, code, diff, image, json) and a text, bytes of pictures.
    belief: what is known of the hidden state at the node: a text, particles, or weights by state; summed up when its
    visits have doubled. particles: how many there are, read at every visit. evaluation: what an evaluator gave for the
    node, view of the player to move there. gumbel: noise of the move into it. phase: of sequential halving, that the
    move has reached; read at every visit. What is None when a node is first seen is read again at its next visits.

    on: a class of the search and the name of its method that ends each iteration, (MCTS, "backpropagate"), for loops
    inside a function: each return of it counts as one; root may then be a function of the method's arguments. Where it
    is called for each node of the path, a function of the same arguments says which calls count.

    game: a built-in game's name, for boards, or a game of your own; actions are then its action ids
    or names, and it is asked who moves where no to_move is given. Any other name is a name only.
    start: its moves up to the root. value_view: whose view values are: "mover" (the player who moved into the node),
    "to_move", "player0", or "root" (the player to move at the root). value_kind: "sum" or "mean".
    value_range: least and greatest value of one visit; values of the other player's view are turned
    round about its middle. reward_range: the same of outcomes. players: their names, up to 16; one name for
    a search without an opponent, whose values are all its own. discount: what a value is multiplied
    by on its way from a node to its parent. step_rewards: moves bring rewards, not the end alone.
    selection, c: the formula that the search selects by, such as "ucb1" with c=1.4, so that the page
    can show its terms; any other name is a name only. unvisited: what a child without visits counts as:
    a number, "first" (before all others), "parent" (its parent's value), "loss" or "win". n: whose visits N
    in the formula is, "parent" or "children" (all of them together). backup: what the value of a node is
    of its children's: "mean", "max" (one player) or "minimax". final_move: the rule by which the move is
    played, such as "most_visits" or "highest_mean"; any other name is a name only. policies: what else is
    known of its phases, as in docs/trace-format.md.
    thorough: look at every node after every iteration, not only below nodes whose visits changed.
    sync: seconds after which what was recorded is on the disk, should the machine fail; without, at the
    end. A disk that is full does not stop the search: the recording goes on in memory, and its end tells.
    into: a file of many searches (`ManyWriter`), to which the trace is added when it has ended. about: what the
    tables of a fleet shall say of it, as `ManyWriter.append` takes it: {"slot": 2, "seed": 5, "game_id": "17"}; or a
    function that gives it then, when the result of the game is known.

    Raises TraceError, GameError or SearchError naming what is wrong and what to write instead.
    """
    _check_path(path)
    played = _game(game)
    fields = NodeFields(
        children, visits, value, action, to_move, prior, state, label, outcome, chance, proven,
        reward, documents, evaluation, gumbel, phase, shared_key if shared is True else shared or None, score,
        _always if simultaneous is True else simultaneous or None, belief, particles,
    )  # fmt: skip
    values = Values.checked(value_view, value_kind, value_range)
    virtual = None
    if virtual_loss is not None:
        virtual = VirtualLoss(virtual_loss, visits, value, values)
        fields = fields._replace(visits=virtual.visits, value=virtual.value)
    known = {
        **_checked_policies(policies),
        **declared_policies(selection, c, unvisited, n, backup, final_move, values),
    }
    n_players = _n_players(players)
    if played is not None and n_players > len(played.players):
        raise GameError(
            f"players= names {n_players}, and {played.name} has {len(played.players)}; name those, or leave it out"
        )
    alone = n_players == 1
    _check_view(value_view, n_players)
    facts = GameFacts(
        {},
        players=PLAYERS if players is None else tuple(players),
        reward_range=checked_range("reward_range", reward_range or _rewards(alone, values)),
        discount=_checked_discount(discount),
        step_rewards=step_rewards or reward is not None,
        state_format=_checked_format(state_format, state),
    )
    actions = ActionIds(None if played is None else played.action)

    moves_before = list(start)
    thorough = bool(thorough)
    method = None if on is None else CountedMethod(on)
    if method is not None and isinstance(root, FUNCTIONS):
        root = method.root_of(root)

    def watch(moves: Sequence[int], kept: KeptTree) -> tuple[WatchedTree, TraceMeta] | None:
        if isinstance(root, FUNCTIONS) and root_of(root) is None:
            return None
        told = _facts(facts, played, game, [*moves_before, *moves], players is not None)
        tree = _kind_of_tree(root, shared)(
            root,
            fields,
            values,
            actions,
            *_rules(played, told.start),
            thorough=thorough,
            alone=alone,
            virtual_loss=virtual,
            n_players=n_players,
        )
        if kept.visits is not None:  # the root may be seen first after its first iteration
            tree.root_visits = min(kept.visits, tree.root_visits)
        meta = foreign_meta(
            tree, fields, values, told, known, thorough, software(), unturned=kept.unturned
        )
        return tree, meta

    def made(meta: TraceMeta, columns: Columns, file: TraceFile | None, complete: bool) -> AnyTrace:
        one = trace(meta, columns, file, complete)
        if played is not None and not isinstance(game, str):
            recorded_with(one, played)
        return one

    return Recording(watch, actions, path, made, method, sync=sync, into=into, about=about)


def _kind_of_tree(root: Node, shared: bool | Field) -> type[WatchedTree]:
    """The class that watches it."""
    if shared is True:
        return WatchedGraph
    top = root_of(root) if isinstance(root, FUNCTIONS) else root
    return WatchedTables if isinstance(top, Edge) else WatchedTree


def _checked_format(state_format: str | None, state: Field | None) -> str | None:
    if state_format is None:
        return None
    if state_format not in STATE_FORMATS:
        raise TraceError(
            f"state_format={state_format!r} is not known; choose one of: {', '.join(STATE_FORMATS)}"
        )
    if state is None:
        raise TraceError(
            "state_format= says what states are written in, and there is no state=; give that as well"
        )
    return state_format


def _rules(
    played: games.FlatGame | None, start: Sequence[int]
) -> tuple[int | None, StartPosition | None]:
    """Who moves first in a game in which players take turns, else the rules to ask."""
    if played is None:
        return None, None
    rules = StartPosition(played, start)
    if played.name.partition(":")[0] in games.GAMES:  # by turns, and the page has boards
        return rules.to_move(rules.state()), None
    return None, rules


def _check_path(path: object) -> None:
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TraceError(
            f"path={path!r} is no file's name; write a text such as 'mine.mcts', or None for a trace in memory"
        )


def _checked_policies(policies: object) -> dict[str, Any]:
    """The given policies of the search's phases; raises SearchError for what a file cannot hold."""
    if policies is None:
        return {}
    try:
        if not isinstance(policies, Mapping):
            raise TypeError("not a dict")
        document_of(policies)
    except (TypeError, ValueError, RecursionError) as err:
        raise SearchError(
            f"policies={policies!r}: {err}; give a dict of plain texts and numbers, such as "
            "policies={'selection': {'name': 'my rule', 'c': 1.4}}"
        ) from err
    return dict(policies)


def _rewards(alone: bool, values: Values) -> tuple[float, float]:
    """The range of outcomes where none is given."""
    return (values.low, values.high) if alone else (-1.0, 1.0)


def _game(game: str | games.FlatGame | games.Game | None) -> games.FlatGame | None:
    """The game whose rules are known; None for another one."""
    if game is None or (isinstance(game, str) and game.partition(":")[0] not in games.GAMES):
        return None
    return games.any_game(game)


def _n_players(players: Sequence[str] | None) -> int:
    """How many there are; raises GameError for what is no list of names."""
    if players is None:
        return 2
    names = [] if isinstance(players, str) else list(players)
    if not 1 <= len(names) <= MOST_PLAYERS or not all(
        isinstance(name, str) and name for name in names
    ):
        raise GameError(
            f"players={players!r} are no names of 1 to {MOST_PLAYERS} players; write players=('X', 'O'), "
            "players=('red', 'green', 'blue'), or players=('agent',) for a search without an opponent"
        )
    return len(names)


def _always(node: object) -> bool:
    """Of a search in which all players choose at once at every node."""
    return True


def _check_view(value_view: str, n_players: int) -> None:
    """Refuse views that say nothing where there is no single other player."""
    if n_players > 2 and value_view in ("to_move", "player0", "root"):
        raise TraceError(
            f"value_view={value_view!r} with {n_players} players: a value of one player says nothing of the others'; "
            "give value= in the view of the player who moved into the node, or a sequence with an entry for each player"
        )


def _checked_discount(discount: float | None) -> float | None:
    if discount is None:
        return None
    number = not isinstance(discount, bool) and isinstance(discount, numbers.Real)
    if not number or not 0 < discount <= 1:
        raise SearchError(
            f"discount={discount!r} is not a number above 0 and up to 1; give what a value is multiplied by from a "
            "node to its parent, such as discount=0.99"
        )
    return float(discount)


def _facts(
    known: GameFacts,
    played: games.FlatGame | None,
    game: Any,
    start: Sequence[str | int],
    named: bool,
) -> GameFacts:
    """The game in the metadata; `named`: the players' names were given."""
    if played is None:
        if not all(isinstance(move, numbers.Integral) for move in start):
            raise GameError(
                f"start={start!r}: the game is not built in, so only action ids can be given"
            )
        name = {"name": "unknown game" if game is None else str(game)}
        moves = [int(move) for move in start]
        return known._replace(game=name, start=moves)
    _, ids = played.position(start)
    return known._replace(
        game=played.facts,
        start=ids,
        action_labels=played.action_labels,
        players=known.players if named else played.players,
    )
