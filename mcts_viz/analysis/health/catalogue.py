"""Every check: what it verifies, what usually causes a finding, how to confirm it. One dict."""

from __future__ import annotations

from typing import Any

from mcts_viz.analysis.health.finding import Check, Finding

PATH = "Step to the iteration and compare its updates with its path."
CHECKS: dict[str, Check] = {
    # visits
    "visits-root": Check(
        "error",
        "Each iteration adds a visit to the root.",
        "Backpropagation stops before the root: `while node.parent` in place of `while node`.",
        "The root's visits are fewer than the iterations.",
    ),
    "visits-leaf": Check(
        "error",
        "A new node is visited in the iteration that makes it.",
        "Backpropagation begins at the parent of the node that was simulated from.",
        "Step to the iteration: the new node has no visits after it.",
    ),
    "visits-missing": Check(
        "error",
        "Each node of the path gets a visit.",
        "Backpropagation skips nodes: every second one, or those of one player.",
        PATH,
    ),
    "visits-double": Check(
        "error",
        "Nodes of one path get the same number of visits.",
        "A node is counted when it is made, or selected, and again in backpropagation.",
        PATH,
    ),
    "visits-off-path": Check(
        "error",
        "Only nodes of the path get visits.",
        "A node object shared by several parents, or updates of siblings (all moves as first) in the "
        "counts that selection reads.",
        PATH,
    ),
    "visits-shrink": Check(
        "error",
        "Visits never fall.",
        "Virtual losses taken back twice, counts decayed, or a node replaced by a new one.",
        "Look at the node's visits over time.",
    ),
    "visits-children": Check(
        "error",
        "A node has at least as many visits as its children together.",
        "Children inherited from another tree, or counts of shared nodes.",
        "Add up the visits of the node's children.",
    ),
    # value
    "value-out-of-range": Check(
        "error",
        "One visit adds a value within the declared range.",
        "A sentinel such as the least integer written as a score; a sum over several rollouts; or a "
        "range declared too narrow (`value_range=`).",
        "Look at the value that the iteration adds to the node.",
    ),
    "value-one-side": Check(
        "error",
        "Nodes of both players collect values.",
        "Only wins of the searching player are credited: the opponent's moves then all look alike, the "
        "search expects him to play at random, and it loses games that it believes won.",
        "Look at the means of the opponent's moves: they are all the same.",
    ),
    "value-same-view": Check(
        "error",
        "What one player gains the other loses.",
        "The sign is not turned from level to level; or it is right, and `value_view=` of the recording "
        "says otherwise.",
        PATH,
    ),
    "value-wrong-view": Check(
        "error",
        "A node's value is high where the player who moved into it wins.",
        "The result is in the view of the player to move at the leaf and taken for that of the player "
        "who moved there; or `value_view=` of the recording says the wrong one.",
        "Step to a leaf where the game is over: its winner's own move has the low value.",
    ),
    "value-uneven": Check(
        "error",
        "All nodes of one player on a path get the same value.",
        "The simulation is asked again for each node, or the sign turns at the wrong levels.",
        PATH,
    ),
    "value-discount": Check(
        "warning",
        "Values do not depend on the distance from the leaf.",
        "A discount or a depth factor; right if you mean it: declare it then, `discount=` of the "
        "recording.",
        PATH,
    ),
    "value-not-discounted": Check(
        "error",
        "Values shrink by the declared discount from each node to its parent.",
        "The discount is applied twice, or not at every level; or another one than declared.",
        PATH,
    ),
    "value-overwritten": Check(
        "error",
        "Values are added to a sum.",
        "`node.value = result` in place of `node.value += result`.",
        "Look at the node's mean over time: it falls towards zero.",
    ),
    "value-mean": Check(
        "error",
        "The sum of values is a sum.",
        "The search keeps a mean where it divides by the visits once more; or the recording was not "
        "told `value_kind='mean'`.",
        "Look at the node's mean over time: it falls towards zero.",
    ),
    "value-leaf": Check(
        "error",
        "The leaf gets a value with its visit.",
        "The value is added from the leaf's parent upwards, or before the result is known.",
        PATH,
    ),
    "value-root": Check(
        "note",
        "The root gets a value with its visit.",
        "The root has no move to be judged, so many searches leave it out.",
        PATH,
    ),
    "value-not-the-result": Check(
        "error",
        "The same result adds the same value.",
        "The value is that of another simulation, or has noise or a bonus in it.",
        "Compare the value that the iteration adds with its outcome.",
    ),
    "value-draw-as-win": Check(
        "error",
        "A draw is worth less than a win.",
        "`result >= 0` in place of `result > 0`, or no winner taken for the mover.",
        "Step to an iteration that ends in a draw.",
    ),
    "value-draw-as-loss": Check(
        "note",
        "A draw is worth more than a loss.",
        "Only wins are counted; the search then sees no reason to save a draw.",
        "Step to an iteration that ends in a draw.",
    ),
    "value-off-path": Check(
        "error",
        "Values change only with a visit.",
        "Values shared between nodes, decayed or normalised.",
        PATH,
    ),
    # selection
    "selection-rule": Check(
        "note",
        "Which rule and which c explain the choices.",
        "This is what the search does.",
        "Compare with the constant in the search's own code.",
    ),
    "selection-not-declared": Check(
        "error",
        "The choices are those of the declared rule and c.",
        "The search uses another constant or formula than it says.",
        "Step to the iteration: the child taken has not the highest score.",
    ),
    "selection-unexplained": Check(
        "warning",
        "Some rule explains the choices.",
        "A rule that is not known here (a bonus, noise, RAVE, virtual losses), random choices, or a "
        "mistake that is not a usual one.",
        "Step to the iteration and compare the children's statistics.",
    ),
    "selection-argmin": Check(
        "error",
        "The child with the highest score is taken.",
        "`min` in place of `max`, or a comparison the wrong way round.",
        "Step to the iteration: the child taken has the lowest score.",
    ),
    "selection-wrong-view": Check(
        "error",
        "The player who chooses takes what is good for himself.",
        "Values are in the view of the player to move at the child and taken for the chooser's own; or "
        "`value_view=` of the recording says the wrong one.",
        "A child that wins for the player who chooses gets few visits.",
    ),
    "selection-one-view": Check(
        "error",
        "Each player takes what is good for himself.",
        "Values in the view of one player are maximised at all nodes: the opponent helps.",
        "At the opponent's nodes the most visited child is the worst for him.",
    ),
    "selection-root-log": Check(
        "error",
        "N in the logarithm is the parent's visits.",
        "The number of iterations or the root's visits is used at every node.",
        "Choices at the root are right, those below are not.",
    ),
    "selection-child-log": Check(
        "error",
        "N in the logarithm is the parent's visits.",
        "`log(child.visits)` in place of `log(node.visits)`.",
        "A child that is not visited does not gain with time.",
    ),
    "selection-no-root": Check(
        "error",
        "The exploration term has its square root.",
        "The square root is missing.",
        "Compute the scores of the iteration without it.",
    ),
    "selection-no-log": Check(
        "error",
        "The exploration term has its logarithm.",
        "The logarithm is missing.",
        "Compute the scores of the iteration without it.",
    ),
    "selection-integer-mean": Check(
        "error",
        "The mean value keeps its fraction.",
        "`//` in place of `/`, or a division of integers.",
        "Compute the scores of the iteration with rounded means.",
    ),
    "selection-sum": Check(
        "error",
        "Mean values are compared.",
        "The sum was not divided by the visits.",
        "The first child that wins is visited ever after.",
    ),
    "selection-ignored-child": Check(
        "error",
        "All children are compared.",
        "A loop that begins or ends one too soon.",
        "The first or last child of every node has next to no visits.",
    ),
    "selection-unvisited": Check(
        "warning",
        "Children without visits come first.",
        "Their score is 0 or they are skipped; right if you mean it (first-play urgency).",
        "Step to the iteration: a sibling of the child taken has no visits.",
    ),
    "selection-untried": Check(
        "warning",
        "All moves of a node are tried before one is chosen.",
        "The test for a fully expanded node is wrong; right if you mean it (progressive widening).",
        "Step to the iteration: the node gets more children later.",
    ),
    "selection-greedy": Check(
        "warning",
        "Something is explored.",
        "c is 0, or the exploration term is left out.",
        "Look at the root's visits: one move has nearly all.",
    ),
    # expansion
    "expansion-duplicate": Check(
        "error",
        "No node has two children for the same move.",
        "Moves are not taken off the list of untried ones, or a leaf is expanded twice.",
        "Look at the children of the node.",
    ),
    "expansion-illegal": Check(
        "error",
        "Moves into nodes are legal.",
        "Moves are those of another position: of the parent, or of a state that was changed meanwhile.",
        "Look at the board of the node's parent.",
    ),
    "expansion-missing": Check(
        "warning",
        "Every legal move of a node gets a child.",
        "A loop that ends one too soon; right if you mean it (pruning, progressive widening).",
        "Compare the node's children with the moves on its board.",
    ),
    "expansion-below-end": Check(
        "error",
        "Where the game is over there are no children.",
        "The end of the game is not tested before expansion.",
        "Look at the board of the node's parent.",
    ),
    "expansion-equal-states": Check(
        "warning",
        "Children of a node are different positions.",
        "The children share one state object: it was not copied before the move was played.",
        "Look at the positions of the children.",
    ),
    "expansion-state-changes": Check(
        "error",
        "The position of a node stays what it is.",
        "Rollouts, or the way down the tree, are played on the node's own board in place of a copy; or "
        "one board serves all nodes. Or `state=` of the recording shows more than the position.",
        "Print the position of the node before and after an iteration that passes it.",
    ),
    "expansion-player": Check(
        "error",
        "The player to move at a node is the one that the rules say.",
        "The player is not turned with the move, or is that of the parent.",
        "Look at the board of the node.",
    ),
    "expansion-outcome": Check(
        "error",
        "A finished game has its true result.",
        "The test for the winner misses a line, or tests the wrong player's.",
        "Look at the board of the node.",
    ),
    # simulation
    "simulation-terminal": Check(
        "error",
        "An iteration that ends in a finished game has that game's result.",
        "A rollout is played on from a finished game, or its winner is told wrongly.",
        "Look at the board of the leaf and at the outcome.",
    ),
    "simulation-illegal": Check(
        "error",
        "Moves of rollouts are legal.",
        "The rollout begins at another position than the leaf's, or goes on after the end.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-unfinished": Check(
        "warning",
        "Rollouts are played to the end of the game.",
        "A limit of length; right if you mean it.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-outcome": Check(
        "error",
        "The outcome is that of the game which the rollout played.",
        "The rollout begins with the wrong player, or its winner is told wrongly.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-repeats": Check(
        "warning",
        "Rollouts differ.",
        "The random numbers begin anew in each iteration, or the first legal move is always taken.",
        "Compare the rollouts of several iterations.",
    ),
    "simulation-impossible": Check(
        "warning",
        "Near the end of the game simulations end as a game can from there, whoever plays.",
        "The outcome is told in another view than player 0's, or is that of another leaf; right if it is "
        "an evaluation: say so then, `policies={'simulation': {'name': 'value'}}`.",
        "Play on from the leaf in every way there is.",
    ),
    "simulation-against-truth": Check(
        "note",
        "From positions near the end that one side can win by force, simulations are won by that side no "
        "less often than by the other (by 5 standard deviations).",
        "Outcomes in the view of the other player; rollouts that play badly for one side; or a game "
        "in which random play favours who would lose.",
        "Compare the outcomes with `trace.truth()`.",
    ),
    "simulation-not-random": Check(
        "note",
        "Simulations end as random play from the same positions does (three ways to end, each within "
        "5 standard deviations of what 4 playouts from each leaf lead to expect).",
        "Heavy rollouts or a value function, which are legitimate; or a rollout that draws its moves "
        "unevenly, plays well for one side only, or keeps the best of several.",
        "Count how the simulations from one node end, and play some on from its position.",
    ),
    # final choice
    "choice-final-move": Check(
        "error",
        "The move played is the one that the final-move rule gives.",
        "The move is chosen by the selection score, exploration included, or by another rule.",
        "Rank the root's children by the rule.",
    ),
    "choice-starved": Check(
        "note",
        "No move at the root is all but given up.",
        "The search is sure; or c is small, and an early bad rollout decided.",
        "Run the search again with another seed.",
    ),
    "choice-never-visited": Check(
        "note",
        "No move at the root stays without a visit.",
        "Priors or a first-play urgency keep it back.",
        "Look at the root's children.",
    ),
    "reuse-doubled": Check(
        "error",
        "An inherited node has at least as many visits as its children.",
        "Statistics of the old tree are added to those of the new one.",
        "Look at iteration 0.",
    ),
    "reuse-lost": Check(
        "warning",
        "Visits of an inherited node are those of its children, but for its own evaluation.",
        "Children were dropped and their parent's visits kept.",
        "Look at iteration 0.",
    ),
}


def found(
    check: str, iteration: int | None, node: int | None, message: str, **evidence: Any
) -> Finding:
    """A finding of that check, with its severity."""
    return Finding(check, CHECKS[check].severity, iteration, node, message, evidence)
