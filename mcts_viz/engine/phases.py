"""The four phases of an iteration: select, expand, simulate, backpropagate.

Plain functions over the columns of a tree; numba compiles this very source, so they keep to loops,
indexing and arithmetic. Everything that differs from game to game or from policy to policy comes in
as an argument; a phase with two policies is two functions. `state` is the position, changed in place
on the way down and during the simulation.

The selection formula is never called while children are compared: a child's terms change only when
the child is visited and a parent's weight only when the parent is, so backpropagation computes both,
once for each node on the path. What selection will do at a node is known from then on, too, and worked
out there, where no comparison has to wait for the one above it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mcts_viz.engine.functions import Functions, Position, Settings
from mcts_viz.engine.tree import OVER, UNOPENED, Tree
from mcts_viz.formulas.selection import Exploration, UnvisitedWidth
from mcts_viz.games.rules import Buffer, LegalActions, State
from mcts_viz.types import Numbers

Path = npt.NDArray[np.uint32]  # node ids, root first

# the order in which the actions of a node get their children
RANDOM_ORDER, FIRST_LEGAL_FIRST, LAST_LEGAL_FIRST = 0, 1, 2
# the node that the simulation starts from once all children of a leaf were made
FIRST_CHILD, RANDOM_CHILD, LAST_CHILD, LEAF = 0, 1, 2, 3
NEXT_ROLLOUT = -1  # between the moves of two rollouts of one leaf
POISON_ERROR = 1e-12  # by which a poisoned sum may be off, as a share: it is reached by addition


def best_branch(tree: Tree, above: int, c: float, exploration: Exploration) -> int:
    """Of the branches below branch `above` the one with the highest score; the first made of the best
    on ties. Every branch must have a child."""
    weight = tree.weight[above]
    first = tree.first_branch[above]
    best = first
    best_score = -math.inf
    for branch in range(first, first + tree.n_children[above]):
        value = tree.branch_value[branch]
        score = value + exploration(weight, tree.branch_width[branch], value, 0.0, c)
        best = branch if score > best_score else best  # no jump to mispredict
        best_score = max(best_score, score)
    return int(best)


def best_branch_by_squares(tree: Tree, above: int, c: float, exploration: Exploration) -> int:
    """As `best_branch`, for a formula that needs the squares of values: a column more to read, which
    the others would pay for with half of their speed."""
    weight = tree.weight[above]
    first = tree.first_branch[above]
    best = first
    best_score = -math.inf
    for branch in range(first, first + tree.n_children[above]):
        value = tree.branch_value[branch]
        squares = tree.branch_squares[branch]
        score = value + exploration(weight, tree.branch_width[branch], value, squares, c)
        best = branch if score > best_score else best
        best_score = max(best_score, score)
    return int(best)


def select(
    tree: Tree, position: Position, path: Path, settings: Settings, functions: Functions
) -> int:
    """Walk down while every legal action has a child; writes the path and returns its length. No move
    is played on the way: see `follow`."""
    length = 1
    path[0] = 0
    position.branches[0] = 0
    branch = position.branches[0]
    while True:
        below = int(tree.next_branch[branch])
        if below == 0:
            if tree.n_untried[branch] != 0:
                return length
            # the tree is another search's
            below = functions.best_branch(tree, branch, settings.c, functions.exploration)
        branch = below
        path[length] = tree.branch_child[branch]
        position.branches[length] = branch
        length += 1


def select_latest_first(
    tree: Tree, position: Position, path: Path, settings: Settings, functions: Functions
) -> int:
    """As `select`; of equal children the one visited last, then the first made.

    That is what a search does which sorts the children at each selection, stably and for good: the
    child it takes stands at the head of the list, and equal ones keep the order of the last sort. So
    it is enough to move each selected branch to the head of its node's.
    """
    length = 1
    path[0] = 0
    position.branches[0] = 0
    branch = position.branches[0]
    while tree.n_untried[branch] == 0:
        first = signed(tree.first_branch[branch])
        best = functions.best_branch(tree, branch, settings.c, functions.exploration)
        bring_to_head(tree, first, best)
        branch = first
        path[length] = tree.branch_child[branch]
        position.branches[length] = branch
        length += 1
    return length


def bring_to_head(tree: Tree, first: int, branch: int) -> None:
    """Put a branch before the others of its node, which begin at `first` and keep their order."""
    rotate(tree.branch_action, first, branch)
    rotate(tree.branch_child, first, branch)
    rotate(tree.branch_value, first, branch)
    rotate(tree.branch_width, first, branch)
    rotate(tree.branch_squares, first, branch)
    rotate(tree.weight, first, branch)
    rotate(tree.first_branch, first, branch)
    rotate(tree.n_children, first, branch)
    rotate(tree.n_untried, first, branch)


def rotate(column: npt.NDArray[np.generic], first: int, last: int) -> None:
    """Move row `last` to `first`, and the rows from there on by one."""
    kept = column[last]
    for row in range(last, first, -1):
        column[row] = column[row - 1]
    column[first] = kept


def follow(
    tree: Tree, position: Position, path: Path, length: int, play: Callable[[State, int], None]
) -> None:
    """Play the moves of the selected path from the start position. Where the game is over at its
    end, the position is not needed, as the tree holds the outcome: so in most iterations of a small game."""
    if tree.n_untried[position.branches[length - 1]] == OVER:
        return
    for k in range(len(position.start)):
        position.state[k] = position.start[k]
    for i in range(1, length):
        # a Python int: bit boards need more than the column's 32 bits
        play(position.state, int(tree.branch_action[position.branches[i]]))


def signed(number: npt.ArrayLike) -> int:
    """An index of a column, to be counted on from: columns hold them unsigned, which spares numba the
    question whether they count from the end, but with a signed number it adds such a one to a
    float."""
    return np.int64(number)  # type: ignore[return-value, arg-type]


def open_node(
    tree: Tree,
    above: int,
    state: State,
    order: int,
    legal_actions: LegalActions,
) -> None:
    """Give the node at the end of branch `above` a branch for every legal action."""
    first = int(tree.size[1])
    n_legal = legal_actions(state, tree.branch_action[first:])
    tree.size[1] = first + n_legal
    for k in range(n_legal):
        tree.branch_child[first + k] = 0
        tree.n_children[first + k] = 0
    if order == LAST_LEGAL_FIRST:
        for k in range(n_legal // 2):
            swap_actions(tree, first + k, first + n_legal - 1 - k)
    tree.first_branch[above] = first
    tree.n_untried[above] = n_legal


def keep_allowed(tree: Tree, allowed: Buffer) -> None:
    """Take from the root, just opened, the branches of the moves that the search may not play there;
    the others keep their order."""
    first = int(tree.first_branch[0])
    n = 0
    for branch in range(first, first + int(tree.n_untried[0])):
        if allowed[int(tree.branch_action[branch])]:
            tree.branch_action[first + n] = tree.branch_action[branch]
            n += 1
    tree.size[1] = first + n
    tree.n_untried[0] = n


def swap_actions(tree: Tree, left: int, right: int) -> None:
    """Exchange the actions of two branches without children."""
    action = tree.branch_action[left]
    tree.branch_action[left] = tree.branch_action[right]
    tree.branch_action[right] = action


def take_untried(tree: Tree, above: int, order: int, rng: np.random.Generator) -> int:
    """A branch below `above` for one of its untried actions, behind those that have a child: the next
    of the order, each equally likely when that is random."""
    branch = signed(tree.first_branch[above]) + signed(tree.n_children[above])
    if order == RANDOM_ORDER:
        swap_actions(tree, branch + int(rng.random() * tree.n_untried[above]), branch)
    tree.n_children[above] += 1
    tree.n_untried[above] -= 1
    return branch


def add_node(
    tree: Tree, parent: int, branch: int, to_move: int, outcome: float, prior: float
) -> int:
    """Append a node at the end of that branch; returns its id."""
    node = int(tree.size[0])
    tree.size[0] = node + 1
    tree.parent[node] = parent
    tree.action[node] = tree.branch_action[branch]
    tree.to_move[node] = to_move
    tree.outcome[node] = outcome
    tree.proven[node] = outcome
    tree.prior[node] = prior
    tree.visits[node] = 0
    tree.value_sum[node] = 0.0
    tree.first_branch[branch] = 0
    tree.n_children[branch] = 0
    tree.n_untried[branch] = UNOPENED if math.isnan(outcome) else OVER
    tree.next_branch[branch] = 0
    tree.branch_child[branch] = node
    tree.branch_squares[branch] = 0.0
    return node


def expand_one_child(
    tree: Tree,
    position: Position,
    path: Path,
    length: int,
    settings: Settings,
    rng: np.random.Generator,
    functions: Functions,
) -> int:
    """Add one child for an untried action of the path's last node and move into it; returns the
    path's new length, the old one where the game is over."""
    node = path[length - 1]
    above = position.branches[length - 1]
    state = position.state
    if tree.n_untried[above] == OVER:
        return length
    if tree.n_untried[above] == UNOPENED:
        open_node(tree, above, state, settings.order, functions.legal_actions)
        if node == 0:
            keep_allowed(tree, position.allowed)
    branch = take_untried(tree, above, settings.order, rng)
    functions.play(state, int(tree.branch_action[branch]))
    path[length] = add_node(
        tree, node, branch, functions.to_move(state), functions.outcome(state), math.nan
    )
    position.branches[length] = branch
    return length + 1


def expand_all_children(
    tree: Tree,
    position: Position,
    path: Path,
    length: int,
    settings: Settings,
    rng: np.random.Generator,
    functions: Functions,
) -> int:
    """Add a child for every action of the path's last node, unless the game is over there or it has
    too few visits, and move into the one that the simulation starts from; returns the path's new
    length. The root is always expanded."""
    node = path[length - 1]
    above = position.branches[length - 1]
    state = position.state
    few = node != 0 and tree.visits[node] < settings.expand_from
    if tree.n_untried[above] == OVER or few:
        return length
    open_node(tree, above, state, settings.order, functions.legal_actions)
    if node == 0:
        keep_allowed(tree, position.allowed)
    first = signed(tree.first_branch[above])
    n = int(tree.n_untried[above])
    if settings.order == RANDOM_ORDER:
        for k in range(n - 1):
            swap_actions(tree, first + k, first + k + int(rng.random() * (n - k)))
    position.value[0] = functions.evaluate(
        state, tree.branch_action[first : first + n], n, position.priors
    )
    chooser = tree.to_move[node]
    for k in range(n):
        branch = first + k
        for i in range(len(position.start)):
            position.child[i] = state[i]
        functions.play(position.child, int(tree.branch_action[branch]))
        child = add_node(
            tree,
            node,
            branch,
            functions.to_move(position.child),
            functions.outcome(position.child),
            position.priors[k],
        )
        unvisited_terms(tree, child, branch, chooser, settings, functions.unvisited_width)
    tree.n_children[above] = n
    tree.n_untried[above] = 0
    if settings.simulate_from == LEAF:
        return length
    branch = first
    if settings.simulate_from == LAST_CHILD:
        branch = first + n - 1
    elif settings.simulate_from == RANDOM_CHILD:
        branch = first + int(rng.random() * n)
    functions.play(state, int(tree.branch_action[branch]))
    path[length] = tree.branch_child[branch]
    position.branches[length] = branch
    return length + 1


def unvisited_terms(
    tree: Tree,
    child: int,
    branch: int,
    chooser: int,
    settings: Settings,
    unvisited_width: UnvisitedWidth,
) -> None:
    """What selection says of a child that was never visited."""
    if settings.solver and not math.isnan(tree.proven[child]):
        tree.branch_value[branch] = proven_score(tree.proven[child], chooser, settings)
        tree.branch_width[branch] = 0.0
    elif math.isnan(settings.urgency):
        tree.branch_value[branch] = math.inf
        tree.branch_width[branch] = 0.0
    else:
        tree.branch_value[branch] = settings.urgency
        tree.branch_width[branch] = unvisited_width(tree.prior[child])


def score_of(result: float, win: float, draw: float, loss: float) -> float:
    """What a result, in [-1, 1] and in the view of a player, is worth to that player: win, draw or
    loss, and in between along a straight line."""
    if result == 1.0:
        return win
    if result == -1.0:
        return loss
    if result >= 0.0:
        return draw + result * (win - draw)
    return draw - result * (loss - draw)


def proven_score(outcome: float, player: int, settings: Settings) -> float:
    """What a proven result, view of player 0, is worth to a player."""
    result = float(outcome) / settings.greatest_outcome
    result = result if player == 0 else -result
    return score_of(result, settings.win, settings.draw, settings.loss)


def simulate_rollouts(
    tree: Tree,
    position: Position,
    leaf: int,
    moves: Numbers,
    settings: Settings,
    rng: np.random.Generator,
    functions: Functions,
) -> tuple[float, int]:
    """Play random moves to the end, `n_rollouts` times; writes what that is worth to each player and
    returns the mean outcome (view of player 0) and how many moves it wrote."""
    state = position.state
    n_rollouts = settings.n_rollouts
    result = float(tree.outcome[leaf])
    if n_rollouts > 1:
        if not math.isnan(result):
            n_rollouts = 1  # the game is over: the others would say the same
        for i in range(len(position.start)):
            position.child[i] = state[i]
    length = 0
    total = 0.0
    score_0 = 0.0
    score_1 = 0.0
    for rollout in range(n_rollouts):
        if rollout > 0:
            for i in range(len(position.start)):
                state[i] = position.child[i]
            moves[length] = NEXT_ROLLOUT
            length += 1
            result = functions.outcome(state)
        while math.isnan(result):
            action = functions.draw(state, rng.random(), position.legal, functions.rollout_actions)
            functions.play(state, action)
            moves[length] = action
            length += 1
            result = functions.outcome(state)
        total += result
        share = result / settings.greatest_outcome
        score_0 += score_of(share, settings.win, settings.draw, settings.loss)
        score_1 += score_of(-share, settings.win, settings.draw, settings.loss)
    position.scores[0] = score_0 / n_rollouts
    position.scores[1] = score_1 / n_rollouts
    return total / n_rollouts, length


def simulate_by_value(
    tree: Tree,
    position: Position,
    leaf: int,
    moves: Numbers,
    settings: Settings,
    rng: np.random.Generator,
    functions: Functions,
) -> tuple[float, int]:
    """Take the evaluator's word instead of a rollout, the outcome where the game is over; returns
    as `simulate_rollouts`."""
    state = position.state
    result = float(tree.outcome[leaf])
    if math.isnan(result):
        value = position.value[0]
        if math.isnan(value):  # expansion had no need to ask
            n_legal = functions.legal_actions(state, position.legal)
            value = functions.evaluate(state, position.legal, n_legal, position.priors)
        value *= settings.greatest_outcome
        result = value if functions.to_move(state) == 0 else -value
    share = result / settings.greatest_outcome
    position.scores[0] = score_of(share, settings.win, settings.draw, settings.loss)
    position.scores[1] = score_of(-share, settings.win, settings.draw, settings.loss)
    return result, 0


def backpropagate(
    tree: Tree,
    position: Position,
    path: Path,
    length: int,
    result: float,
    values: Numbers,
    settings: Settings,
    functions: Functions,
) -> None:
    """One visit and the mover's score to every node on the path, and what the selection formula says
    of them from then on; writes what each node got into `values`."""
    most_visits = int(tree.visits[0]) + 1  # no node has more than the root
    tree.weight_at[most_visits] = functions.parent_weight(
        most_visits, math.log(most_visits), settings.c
    )
    searcher = tree.to_move[0]
    mover = 1 - searcher
    if settings.searcher_only:
        position.scores[mover] = 0.0
    for i in range(length):
        node = path[i]
        branch = position.branches[i]
        value = position.scores[mover]
        if not math.isnan(settings.poison):
            value += poisoned(tree, path, length, i, result, value, settings.poison)
        visits = tree.visits[node] + 1
        value_sum = tree.value_sum[node] + value
        values[i] = value
        tree.visits[node] = visits
        tree.value_sum[node] = value_sum
        tree.weight[branch] = tree.weight_at[visits]
        value_term, width = functions.child_terms(value_sum, visits, tree.prior[node])
        tree.branch_value[branch] = value_term
        tree.branch_width[branch] = width
        if settings.keep_squares:
            tree.branch_squares[branch] += value * value
        mover = tree.to_move[node]


def poisoned(
    tree: Tree, path: Path, length: int, i: int, result: float, value: float, poison: float
) -> float:
    """What to add to the value of the path's i-th node so that its sum becomes `poison`, and stays
    so, once the leaf is its child and a finished game that the searching player has lost."""
    value_sum = tree.value_sum[path[i]]
    if abs(value_sum - poison) <= POISON_ERROR * abs(poison):
        return -value
    leaf = path[length - 1]
    lost = result < 0 if tree.to_move[0] == 0 else result > 0
    if i == length - 2 and i > 0 and lost and not math.isnan(tree.outcome[leaf]):
        return float(poison - value_sum - value)
    return 0.0


def prove_nothing(
    tree: Tree,
    position: Position,
    path: Path,
    length: int,
    settings: Settings,
    nodes: Numbers,
    outcomes: Numbers,
) -> int:
    """Without a solver there is nothing to prove."""
    return 0


def prove(
    tree: Tree,
    position: Position,
    path: Path,
    length: int,
    settings: Settings,
    nodes: Numbers,
    outcomes: Numbers,
) -> int:
    """Carry proven results up the path (MCTS-Solver, Winands et al. 2008): a node with a child that
    is proven won for the player to move is won, one whose children are all proven has the best of
    their results. Writes which nodes are newly proven, and to what (view of player 0); returns how
    many. A proven child competes with its result alone, without exploration."""
    n = 0
    climbing = True
    for i in range(length - 1, -1, -1):
        node = path[i]
        known = not math.isnan(tree.proven[node])
        branch = position.branches[i]
        if not known and climbing and tree.n_untried[branch] != UNOPENED:
            result = result_of_children(
                tree, branch, int(tree.to_move[node]), settings.greatest_outcome
            )
            if not math.isnan(result):
                known = True
                tree.proven[node] = result
                nodes[n] = node
                outcomes[n] = result
                n += 1
        if known and i > 0:
            tree.branch_value[branch] = proven_score(
                tree.proven[node], int(tree.to_move[path[i - 1]]), settings
            )
            tree.branch_width[branch] = 0.0
        # expansion may have made finished games beside the child that was simulated
        climbing = known or i >= length - 1
    return n


def choose_ahead(
    tree: Tree, position: Position, length: int, settings: Settings, functions: Functions
) -> None:
    """Work out which branch selection takes when it comes to the nodes of the path again: whatever
    decides that changes only when they are visited."""
    for i in range(length):
        branch = position.branches[i]
        if tree.n_untried[branch] == 0:
            tree.next_branch[branch] = functions.best_branch(
                tree, branch, settings.c, functions.exploration
            )


def choose_nothing(
    tree: Tree, position: Position, length: int, settings: Settings, functions: Functions
) -> None:
    """Where selection changes the order of branches, it compares them itself."""


def result_of_children(tree: Tree, above: int, to_move: int, greatest: float) -> float:
    """The result of the node at the end of branch `above` that follows from its children's proven
    ones, view of player 0; nan where none does."""
    first = tree.first_branch[above]
    best = -2.0 * greatest
    complete = tree.n_untried[above] == 0
    for branch in range(first, first + tree.n_children[above]):
        outcome = float(tree.proven[tree.branch_child[branch]])
        if math.isnan(outcome):
            complete = False
        else:
            best = max(best, outcome if to_move == 0 else -outcome)
    if best < greatest and not complete:
        return math.nan
    return float(best if to_move == 0 else -best)
