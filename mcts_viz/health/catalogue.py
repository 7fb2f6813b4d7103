"""Every check: what it verifies, what usually causes a finding, how to confirm it. One dict."""

from __future__ import annotations

from typing import Any

from mcts_viz.health.finding import Check, Finding

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
        "A new node is visited in the iteration that makes it. Where an agent's nodes have a value without a visit, "
        "and visits count what was made below them (MCTS self-refine), it is a note.",
        "Backpropagation begins at the parent of the node that was simulated from.",
        "Step to the iteration: the new node has no visits after it.",
    ),
    "visits-missing": Check(
        "error",
        "Each node of the path gets a visit.",
        "Backpropagation skips nodes: every second one, those of one player, or some between the leaf and the root.",
        PATH,
    ),
    "visits-double": Check(
        "error",
        "Nodes of one path get the same number of visits.",
        "A node is counted when it is made, or selected, and again in backpropagation; or the result of a finished "
        "game is backed up where the end is met, and again after the loop.",
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
        "Children reused from another tree, or counts of shared nodes.",
        "Add up the visits of the node's children.",
    ),
    "visits-several-leaves": Check(
        "note",
        "An iteration evaluates one leaf.",
        "Leaves in batches, threads, or all children of a leaf evaluated at once.",
        "Look at the visits that the root gets in an iteration.",
    ),
    "visits-shared-nodes": Check(
        "note",
        "A node has one parent.",
        "Transpositions: one node object for a position that several paths lead to.",
        "Look at nodes off the path that get a visit.",
    ),
    "visits-lost": Check(
        "error",
        "The root gets a visit for each leaf that was evaluated.",
        "Threads that add to the same number without a lock; leaves that a batch met twice and backed up once.",
        "Compare the root's visits with the leaves told by `rec.iteration(leaves=k)`.",
    ),
    "virtual-loss-left": Check(
        "error",
        "Virtual losses are taken back when their path has been backed up.",
        "A back-up that does not undo them at each node of the path, or where the game is over, undoes them at other "
        "nodes, or undoes the visit and not the value; or one whose size has changed since it was put on.",
        "Look at what nodes carry after an iteration: `virtual_loss=` of the recording.",
    ),
    "virtual-loss-sign": Check(
        "error",
        "A virtual loss keeps the descents of one batch apart.",
        "It is a win for the player who chooses: the value that nodes keep is in one player's view, and the loss is "
        "not turned for the other one; or it is added after the choice.",
        "Look at the paths of an iteration, `trace.iteration(t).paths`: at nodes of that player they are the same.",
    ),
    "batch-one-value": Check(
        "warning",
        "Each leaf of a batch gets a value of its own.",
        "A variable of the loop over the leaves is used after it, or the first row of the network's answer for all of "
        "them.",
        "Look at the updates of an iteration, `trace.iteration(t).updates`: its leaves have the same value.",
    ),
    "batch-same-leaf": Check(
        "note",
        "An iteration evaluates a leaf once.",
        "A virtual loss that is too small, or of the wrong sign, or a batch that is large for the tree.",
        "Look at the paths of the iteration: `trace.iteration(t).paths`.",
    ),
    "shared-nodes": Check(
        "note",
        "A node has one parent.",
        "Transpositions, graph search: one node for a position that several paths lead to.",
        "Look at the node's parents in its card, and at the visits of each way to it.",
    ),
    "shared-stale-parent": Check(
        "error",
        "Back-up goes up the path by which the search came down.",
        "`node.parent` in a node that several parents lead to: it holds the first of them, or the last.",
        "Keep the path while selecting, and go back over it.",
    ),
    "shared-player": Check(
        "error",
        "A node that several parents lead to has one player to move.",
        "The key of a table of positions leaves out the player to move, while values are in one player's view: results "
        "of two positions are mixed in one node.",
        "Look at the node's ways: the moves that lead there are even in number for one, and odd for another.",
    ),
    "shared-cycle": Check(
        "note",
        "No move leads back to a position above it.",
        "Reversible moves with positions as keys of nodes.",
        "Look at the node that the way leads to: it is among its own ancestors.",
    ),
    "visits-given": Check(
        "note",
        "A new node has no visits and no value.",
        "Nodes begin with a visit or two, and a value: knowledge from before, or a way not to divide by 0.",
        "Look at the siblings of a new node.",
    ),
    # value
    "value-backup": Check(
        "note",
        "The value of a node is the mean of its visits.",
        "A back-up that keeps the best value: max, minimax, or the best result found; or an exponential average, whose "
        "latest results weigh most. An error where the best is that of the whole search, and not of each node. A "
        "warning where the best begins above every result, as at 0 where all results are negative, and never changes.",
        "Compare the value of a node with its children's.",
    ),
    "value-not-best": Check(
        "error",
        "With a max or minimax back-up the value of a node is that of its best child where a player chooses, and the "
        "mean of the outcomes where chance does.",
        "The best of the other player's children is taken, a node keeps an old value, children without visits count, "
        "or the best outcome of chance is taken, which nobody chooses.",
        "Compare the value of a node with its children's.",
    ),
    "value-out-of-range": Check(
        "error",
        "One visit adds a value within the declared range.",
        "A sentinel such as the least integer written as a score; a sum over several rollouts; or a "
        "range declared too narrow (`value_range=`).",
        "Look at the value that the iteration adds to the node.",
    ),
    "value-win-below-loss": Check(
        "error",
        "A win counts more than a loss.",
        "The scores of the two are swapped, or are those of the other player.",
        "Look at win= and loss= of the search.",
    ),
    "value-range": Check(
        "note",
        "The values are in the range that was told.",
        "`value_range=(0, 1)` was left out for a search that counts wins as 1 and losses as 0.",
        "Look at the values that an iteration adds to nodes of both players.",
    ),
    "value-one-side": Check(
        "error",
        "Nodes of both players collect values.",
        "Only wins of the searching player are credited: the opponent's moves then all look alike, the "
        "search expects random replies, and it loses games that it believes won.",
        "Look at the means of the opponent's moves: they are all the same.",
    ),
    "value-same-view": Check(
        "error",
        "What one player gains the other loses.",
        "The sign does not change from level to level; or it does, and `value_view=` of the recording "
        "is wrong.",
        PATH,
    ),
    "value-half-results": Check(
        "warning",
        "Values of one player (`value_view=` root or player0): a result adds the same to all nodes of its path.",
        "The back-up handles two cases of four: wins are added at nodes of one player alone, and losses are taken off "
        "at those of the other alone.",
        PATH,
    ),
    "value-same-entry": Check(
        "error",
        "Each player has a value of its own, and backs up its own (max-n).",
        "The result of one player, most often the first one or the one who moved last, is added to all nodes: "
        "`node.value += result[0]` in place of `result[player who moved there]`.",
        PATH,
    ),
    "value-wrong-player": Check(
        "error",
        "A node's value is the result of the player who moved into it.",
        "The entry is that of the player to move at the node, or the list begins with another player than the "
        "game does.",
        PATH,
    ),
    "value-wrong-view": Check(
        "error",
        "A node's value is high where the player who moved into it wins.",
        "The outcome is in the view of the player to move at the leaf, and is used as that of the player "
        "who moved there; or `value_view=` of the recording is wrong.",
        "Step to a leaf where the game is over: its winner's own move has the low value.",
    ),
    "value-uneven": Check(
        "error",
        "All nodes of one player on a path get the same value.",
        "The simulation is asked again for each node, the sign turns at the wrong levels, or a virtual loss is left in "
        "some of them.",
        PATH,
    ),
    "value-discount": Check(
        "warning",
        "Values do not depend on the distance from the leaf.",
        "A discount or a factor by depth; right if you mean it: then declare it, `discount=` of the "
        "recording.",
        PATH,
    ),
    "value-not-discounted": Check(
        "error",
        "Values shrink by the declared discount from each node to its parent.",
        "The discount is applied twice, or not at every level, or to a power that grows on the way (`gamma**i`); or "
        "another one than declared.",
        PATH,
    ),
    "value-reward": Check(
        "error",
        "A node gets the reward of the move and the discounted value of what follows (`reward=` of a recording).",
        "The reward is discounted as well, left out, or has the wrong sign; or the discount is applied twice.",
        PATH,
    ),
    "value-immediate": Check(
        "error",
        "What an action node gets depends on what comes after it, where the node above does (one who searches alone).",
        "The running mean is moved by the reward r in place of the return: `q.value += (r - q.value) / q.n` for `(R - "
        "q.value)`, with `R = r + gamma * simulate(…)`. Where a node is to keep the mean reward by itself, tell as its "
        "value what choices compare.",
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
        "The search keeps a mean where it divides by the visits once more, or one that is updated wrongly, as with the "
        "visits of the parent, `q += (v - q) / self.n`; or the recording lacks `value_kind='mean'`.",
        "Look at the node's mean over time: it falls towards zero, or hardly moves.",
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
    "value-fraction": Check(
        "warning",
        "The value of a visit keeps the fraction of its outcome, or of its evaluation (a note). An error where "
        "the sums themselves show that each was cut off.",
        "Sums of values are in an array of integers, `int()` or `//` is in the back-up; or a judge's score is divided "
        "by `//`, 7 // 10.",
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
        "Compare with the exploration weight in the search's own code.",
    ),
    "selection-not-declared": Check(
        "error",
        "The choices are those of the declared rule and c.",
        "The search uses another exploration weight or formula than it declares; or, a warning, another N (`n=`) or "
        "another number for children without visits (`unvisited=`).",
        "Step to the iteration: the child taken has not the highest score.",
    ),
    "selection-halving": Check(
        "error",
        "The root's visits are those of sequential halving, as `gumbel_muzero` declares it.",
        "A phase that ends too early or too late, moves that come back after they were dropped, another number of "
        "simulations or of considered moves than declared.",
        "Step to the simulation, and compare the visits of the root's moves with the phases.",
    ),
    "selection-noise-below": Check(
        "error",
        "Gumbel noise is added at the root alone.",
        "Noise is drawn for every node, so that values below the root are noisy, too.",
        'Go to the node and look at its number "gumbel".',
    ),
    "selection-fresh-noise": Check(
        "warning",
        "Noise is added to the root's priors once for a search.",
        "The noise is drawn where the score is computed, or added to the priors again in every iteration.",
        "Print the priors of the root's children in two iterations: they are the same.",
    ),
    "selection-scale": Check(
        "warning",
        "Q is scaled to [0, 1] by the least and greatest Q of the tree.",
        "The least and greatest are updated with the node's mean, without reward and discount, in place of "
        "reward + γ·mean.",
        "Print the scaled Q of the children: some are below 0 or above 1.",
    ),
    "selection-own-score": Check(
        "error",
        "The search takes the child with the highest score of its author's own (`score=` of a recording).",
        "A child that is cached, stale statistics, a random choice, or a score that is not the one the search uses.",
        "Step to the iteration and compare the two children.",
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
    "selection-minus": Check(
        "error",
        "The exploration term is added to the value.",
        "`-` in place of `+`, as in a lower bound: what was visited least is avoided.",
        "Compute value − exploration of the children: the child taken has the highest.",
    ),
    "selection-wrong-view": Check(
        "error",
        "The player who chooses takes what is good for that player.",
        "Values are in the view of the player to move at the child, and are used as the chooser's own; or "
        "`value_view=` of the recording is wrong.",
        "A child that wins for the player who chooses gets few visits.",
    ),
    "selection-one-view": Check(
        "error",
        "Each player takes the move that is best for that player.",
        "Values in the view of one player are maximised at all nodes: the opponent helps.",
        "At the opponent's nodes the most visited child is the worst one for the opponent.",
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
        "The exploration term has its square root, over N alone in PUCT.",
        "The square root is missing, or is taken twice, or a parenthesis closes too late: `sqrt(N / (1 + n))`.",
        "Compute the scores of the iteration without it.",
    ),
    "selection-no-log": Check(
        "error",
        "The exploration term has its logarithm.",
        "The logarithm is missing.",
        "Compute the scores of the iteration without it.",
    ),
    "selection-puct-log": Check(
        "warning",
        "PUCT explores with √N, and UCB1 with √(ln N / n).",
        "Half of each: `c * P * sqrt(log(N)) / (1 + n)`. Exploration grows by next to nothing, and moves with low "
        "priors are given up. A note where no rule is declared, as P-UCB of language models has it so (Zhang et al. "
        "2023).",
        "Compute the scores of the iteration with √(ln N) in place of √N.",
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
    "selection-reward": Check(
        "error",
        "The score of a child has the reward of its move once: Q = reward + γ·mean.",
        "The reward is left out of the score, or added although the child's value has it.",
        "Compute Q of the children of one node by hand, and compare with what the search computes.",
    ),
    "selection-parent-log": Check(
        "error",
        "N in the logarithm is the parent's visits.",
        "The visits are read before the step down the path: the loop uses the node of the step before.",
        "Compute the scores of the iteration with the grandparent's visits.",
    ),
    "selection-stale-log": Check(
        "error",
        "N in the exploration term is the parent's visits now.",
        "The logarithm is computed once, when the children are made, and kept; or a child's exploration term (`_u`) is "
        "computed where the child is updated, so that siblings that are passed over keep an old one.",
        "A child that is not visited does not gain with time. Compute the term where children are compared.",
    ),
    "selection-divided-twice": Check(
        "error",
        "Selection compares means.",
        "A node keeps its mean, and the score divides it by the visits again, as if it were the sum.",
        "Compute the scores of the iteration with the mean as it is.",
    ),
    "selection-swapped": Check(
        "error",
        "The exploration term grows with the parent's visits, and falls with the child's.",
        "N and n swapped: `log(child.visits) / parent.visits`.",
        "Compute the scores of the iteration with the two swapped.",
    ),
    "selection-other-prior": Check(
        "error",
        "The exploration term of a child has the prior of its own move.",
        "Priors in a list whose places are not those of the children: moves counted from 1, the list of all actions "
        "beside that of the legal ones (`P[i]` for `P[a]`), children made from the end; a list of children that "
        "is sorted in place, beside an array of priors that is not; the list of the position before; or equal priors "
        "in place of those of the network.",
        "Print the prior that the score of a child uses, beside that of its move.",
    ),
    "selection-log-priors": Check(
        "note",
        "Recorded priors are the P of the search's score.",
        "Logarithms of probabilities, as of a language model, or logits are recorded, and the search takes their "
        "exponent or softmax where it chooses. To see probabilities, record these: prior=.",
        "Compute e to the power of each recorded prior: the siblings' add up to 1 at most.",
    ),
    "selection-prior-in-value": Check(
        "error",
        "The value of a child does not have its prior.",
        "A plus for a times, q + P + c·√N / (1 + n), or a bracket in the wrong place, (q + c·√N / (1 + n))·P. A "
        "note where no rule is declared, as an evaluation told as the prior may be meant to count so.",
        "Compute the score of the children of one node by hand, and compare with what the search computes.",
    ),
    "selection-product": Check(
        "error",
        "A score is the sum of value and exploration term.",
        "`*` in place of `+` between the two.",
        "Compute the scores of the iteration as products.",
    ),
    "selection-sign-lost": Check(
        "error",
        "The score counts a loss as less than a draw.",
        "`abs(q)`, or a square, in place of the value.",
        "Compute the scores of the iteration with |q|.",
    ),
    "selection-fixed": Check(
        "error",
        "Selection looks at values.",
        "The first child in place of the best (a `max` without its key, a loop that stops at once), or the rule of the "
        "final move, most visits, used inside the tree.",
        "Look at which child is taken, and at its siblings' means.",
    ),
    "selection-variance": Check(
        "error",
        "UCB1-Tuned explores by min(1/4, V), where V is the variance of a child's values and √(2 ln N / n).",
        "A bracket that closes too soon, `sqrt(2 * log(N)) / n`, a term that is left out, or max in place of min.",
        "Print V of two children, and work it out by hand (Auer et al. 2002).",
    ),
    "selection-root-of-log": Check(
        "error",
        "The square root covers ln N / n.",
        "`sqrt(log(N)) / n` in place of `sqrt(log(N) / n)`: a parenthesis closed too soon.",
        "Compute the scores of the iteration so.",
    ),
    "selection-integer-log": Check(
        "error",
        "ln N / n keeps its fraction.",
        "`//` in place of `/` under the square root: children with more visits than ln N are not explored.",
        "Compute the scores of the iteration so.",
    ),
    "selection-no-visits": Check(
        "error",
        "The exploration term falls with the child's visits.",
        "The division by 1 + n is missing, or the brackets around it: the child with the highest prior is taken again "
        "and again.",
        "Compute the scores of the iteration so.",
    ),
    "selection-parent-mean": Check(
        "error",
        "The value sum is divided by the child's own visits.",
        "`child.value / node.visits` in place of `child.value / child.visits`.",
        "Children with few visits have values near 0.",
    ),
    "selection-no-value": Check(
        "error",
        "The value is part of the score.",
        "The value term is left out, or is 0: a value attribute that is never filled, an integer division.",
        "All moves of a node get the same number of visits, or visits in proportion to their priors.",
    ),
    "selection-first-value": Check(
        "error",
        "Q is the mean of all visits of the child.",
        "The score that a judge gave when the node was made, a field of its own, in place of the mean.",
        "Step to the iteration: what is compared is the value that the child had after its first visit.",
    ),
    "selection-cached": Check(
        "error",
        "Scores are computed anew at each choice.",
        "The best child is kept and returned again without looking at the others.",
        "Step through the iterations: the same child is taken though another one has the higher score.",
    ),
    "selection-random": Check(
        "error",
        "The child with the highest score is taken.",
        "A random move is taken now and then (ε-greedy), or children are sampled by their visits "
        "(a temperature), which belongs to the move played, not into the tree; or one of the best is drawn from a list "
        "that is not emptied when a better child comes.",
        "Step to the iteration: a child with a lower score is taken.",
    ),
    "selection-ignored-child": Check(
        "error",
        "All children are compared.",
        "A loop that begins or ends one too soon; or the best score so far begins with 0, and not with −∞, so that the "
        "first child is taken where none is better.",
        "The first or last child of every node has next to no visits; or it is taken though another has the higher "
        "score.",
    ),
    "selection-whole-tree": Check(
        "error",
        "The descent takes the best child at each level, down to a leaf.",
        "`max` over a list of all nodes of the tree, or of all leaves, as in some agents' `best_child`. A note where "
        "no rule is declared, as best-first searches are meant so.",
        "Step to the iteration: what is expanded is not below the root's best child.",
    ),
    "selection-stops": Check(
        "error",
        "The descent goes on as long as the node has all its children.",
        "The best score so far is set before the descent and not at each level, so that no child is taken where none "
        "beats the levels above; or it begins with 0.",
        "Step to the iteration: it ends at a node with children.",
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
    "selection-widening": Check(
        "note",
        "All moves of a node are tried before one is chosen.",
        "Progressive widening: the number of children grows with the visits of their parent. A warning where it grows "
        "with those of the root, at every node.",
        "Look at the visits of a node when its next child is made.",
    ),
    "selection-weight": Check(
        "note",
        "The exploration weight fits the scale of the values.",
        "Rewards of 0 to 100, or of 0 to 0.01, beside a c that is meant for values of 0 to 1.",
        "Compare c with the differences between the means of siblings.",
    ),
    "selection-first-choice": Check(
        "note",
        "Priors play a part in the first choice at a node.",
        "√N where N is the sum over the children: it is 0 at first, and all scores are equal.",
        "Go to a node that was visited twice: its first child has the visit.",
    ),
    "selection-from-leaf": Check(
        "note",
        "Each iteration selects from the root.",
        "`node = root` stands before the loop over the iterations, not in it.",
        "Step through the iterations: each goes on where the last one ended.",
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
        "No node has two children for the same move. A note where actions are drawn, and one may come again by right; "
        "or where rules are not known and some nodes alone have such moves, as with two equal cards.",
        "Moves are not taken off the list of untried ones, or a leaf is expanded twice.",
        "Look at the children of the node.",
    ),
    "expansion-again": Check(
        "warning",
        "A node that was expanded keeps its children, with their visits and values.",
        "It counts as not expanded, as while it has fewer children than wanted (duplicates were dropped), and at its "
        "next visit `node.children = [...]` puts new ones in place of the old.",
        "Compare the visits of a node with those of its present children together.",
    ),
    "expansion-illegal": Check(
        "error",
        "Moves into nodes are legal.",
        "The moves are those of another position: the parent's, the root's (a mask of legal moves that was computed "
        "once), or a state that has changed since.",
        "Look at the board of the node's parent.",
    ),
    "expansion-missing": Check(
        "warning",
        "Every legal move of a node gets a child.",
        "A loop that ends one too soon, a list that is looped over while moves are removed from it, or a kept list of "
        "legal moves from which nodes take theirs, `pop()`; right if you mean it (pruning, progressive widening).",
        "Compare the node's children with the moves on its board.",
    ),
    "expansion-priors": Check(
        "warning",
        "Priors of a node's legal moves add up to 1.",
        "The policy is normalised over all moves and illegal ones are dropped afterwards; or it is read by the place "
        "in the list of legal moves, `zip(legal, probs)` in place of `probs[legal]`; or the recording reads logits.",
        "Add up the priors of the node's children.",
    ),
    "expansion-same-priors": Check(
        "note",
        "Each position has priors of its own.",
        "The policy is asked for the root, or for one position, and its answer is used at all nodes; or it is not "
        "asked below the root, and all moves get the same prior.",
        "Print the priors of two nodes' children: they are the same for the same moves.",
    ),
    "expansion-priors-vary": Check(
        "note",
        "Equal positions have equal priors.",
        "Noise is added to the priors at every node, not at the root alone; or the policy depends on the history, or "
        "on a reflection drawn at random, or is drawn itself: the answers of a language model, counts of drawn "
        "actions, something at random that stands in for a network.",
        "Compare the priors below the two nodes.",
    ),
    "expansion-late-rewards": Check(
        "warning",
        "The reward of a move stands at the node that it leads to.",
        "New children get the reward of the move into their parent, `Node(prior, reward)` with what the model said of "
        "it: every reward is credited one move too late, and siblings all have the same.",
        "Compare the rewards of siblings, and those of the root's children with what their moves bring.",
    ),
    "expansion-stops": Check(
        "warning",
        "The tree grows while there are moves to try.",
        "A limit of depth or of nodes, or leaves that are marked as finished; right if you mean it. Or a player "
        "without a move has to pass, and the tree has no child for it.",
        "Step through the last iterations: none adds a node.",
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
        "The children share one state object: it was not copied before the move was played, or the move was not taken "
        "back completely.",
        "Look at the positions of the children.",
    ),
    "expansion-from-root": Check(
        "error",
        "A child is its parent's position with one move made.",
        "The moves on the way down are not played on the board, so that each child is made from the root's position.",
        "Look at the positions of the nodes on a path of three moves: only the last move of each shows.",
    ),
    "expansion-state-changes": Check(
        "error",
        "The position of a node stays what it is.",
        "Rollouts, or the way down the tree, are played on the node's own board in place of a copy; or "
        "one board serves all nodes, and moves on it are not taken back completely (undo). Or `state=` of the "
        "recording shows more than the position.",
        "Print the position of the node before and after an iteration that passes it.",
    ),
    "expansion-player": Check(
        "error",
        "The player to move at a node is the one that the rules say; where they are not known, it is not one player at "
        "all nodes of a game of two.",
        "The player does not change with the move, or is that of the parent.",
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
        "A rollout goes on after the end of the game, or the wrong winner is taken; or a new node is evaluated before "
        "anybody asks whether the game is over there. Of one player: what was collected on the way is left out; or a "
        'judge\'s score is read in part, "10/10" as 1.',
        "Look at the board of the leaf and at the outcome.",
    ),
    "simulation-flipped": Check(
        "error",
        "A leaf is worth what games from there come to.",
        "The outcome of the rollout, or the value of the evaluator, is in the view of another player than "
        "backpropagation takes it for: of the player to move at the leaf, of the winner, of the searcher.",
        "Step to a leaf next to the end of the game: the side that wins there gets the low value.",
    ),
    "simulation-illegal": Check(
        "error",
        "Moves of rollouts are legal.",
        "The rollout begins at another position than the leaf's, or with another player, or goes on after the end.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-limit": Check(
        "note",
        "A line that runs out of steps is not a success.",
        "Terminal is what is solved or too deep, and all that is terminal is rewarded. Right where to hold out is the "
        "aim, or only solutions get so deep.",
        "Look at the nodes at the greatest depth: is each of them solved?",
    ),
    "simulation-unfinished": Check(
        "warning",
        "Rollouts are played to the end of the game, and have the reward of its last move.",
        "A limit of length; right if you mean it; or `if done: break` before the reward of that step is added.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-outcome": Check(
        "error",
        "The outcome is that of the game which the rollout played; where the rules are not known, a rollout that comes "
        "to a node told to be finished has that result.",
        "The rollout begins with the wrong player, or the wrong winner is taken; or it goes on after somebody has won, "
        "until the board is full (a note where none is over before one number of moves); or its sum begins with 0, "
        "and not with what was collected on the way to the leaf.",
        "Play the path and the rollout on a board.",
    ),
    "simulation-repeats": Check(
        "warning",
        "Rollouts differ.",
        "The random numbers begin anew in each iteration, or each rollout, or the first legal move is always taken. A "
        "warning where rollouts are told, or where chance decides below leaves whose results never vary.",
        "Compare the rollouts of several iterations.",
    ),
    "simulation-values-vary": Check(
        "warning",
        "Equal positions have equal evaluations, not opposite ones.",
        "A cache of evaluations holds the array, or the object, in which the back-up turns the value round: "
        "`value *= -1` changes the entry, and later hits get it as it was left.",
        "Print the cache's entry of the position before and after a back-up.",
    ),
    "simulation-shared-value": Check(
        "note",
        "Different positions have evaluations of their own; so do those with the same text and the other player to "
        "move (a warning where these games can end in one way only, and the evaluation is the opposite result).",
        "A cache of evaluations whose key leaves out the player to move, or the score, so that a position gets the "
        "value of another one. Right where the evaluation does not see what differs.",
        "Put all of the position into the key, or turn the cache off, and compare the values of both nodes.",
    ),
    "simulation-last-move": Check(
        "note",
        "What a leaf gets depends on all that led there.",
        "A cache whose key is the last step alone; or a prompt, or an evaluation, without the steps before it. Right "
        "where the last move is all that counts.",
        "Compare the first values of two nodes with the same last move and different parents.",
    ),
    "simulation-ignored-move": Check(
        "warning",
        "Rollouts play any legal move.",
        "The bound of a random index is off by one: `randrange(len(moves) - 1)`, `randint(1, n)`.",
        "Count at which place in the list of legal moves those of the rollouts are.",
    ),
    "simulation-impossible": Check(
        "warning",
        "Near the end of a game, simulations have an outcome that some line of play leads to.",
        "The outcome is in another view than player 0's, or is that of another leaf; right if it is "
        "an evaluation: then declare it, `policies={'simulation': {'name': 'value'}}`.",
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
    "simulation-first-move": Check(
        "warning",
        "The player to move at the leaf makes the first move of its simulation (what simulations bring that player is "
        "within 9 standard deviations of random play, or more).",
        "The rollout begins with the player who has just moved: a copy of the state whose player was turned twice, or "
        "not at all.",
        "Print who makes the first move of a rollout, and who is to move at its leaf.",
    ),
    "simulation-discounted": Check(
        "error",
        "A state is worth the same when it is met for the first time, however deep it stands (a discount, one player).",
        "The simulation begins with `g = gamma ** node.depth`, or its result is multiplied by that, and back-up "
        "discounts at each step as well.",
        "Look at what two new nodes of the same state get at different depths.",
    ),
    "simulation-from-parent": Check(
        "warning",
        "Simulations start at their leaf: its own expectation by random play explains what it gets (weights of 0 for "
        "the parent's and 1 for its own are not refuted by 4.7 standard deviations); evaluations differ between "
        "siblings; and the first visit of a finished game adds what later ones do. Told rollouts go by the rules from "
        "the position of their leaf, and not from that of its parent, or of the root, alone (an error).",
        "The rollout starts from the state of the node that was selected, not from that of the new child, whose move "
        "was not played; or the network or the judge is asked about that state: `evaluate(node)` in the loop over the "
        "children of node.",
        "Print the state that a rollout starts from, or that is evaluated, and that of its leaf.",
    ),
    "simulation-late": Check(
        "error",
        "A leaf gets the value of its own position, not that of the iteration before, or of another leaf of its "
        "batch.",
        "The value is kept in an attribute or a variable of the loop, and is backed up before it is computed anew, or "
        "where the game is over as it was left; or a network's answers and the leaves of a batch are put together in "
        "another order; or a judge's votes for the unfinished children of a node are taken by the place among all of "
        "them.",
        "Print the position that is evaluated, and the value that the back-up is called with.",
    ),
    "simulation-constant": Check(
        "warning",
        "New leaves get different values, as the finished games of the tree do.",
        "The result of the rollout, or the value of the network, is not returned, or is written over by a 0; or a "
        "rollout ends after its first step, by a `return` inside its loop.",
        "Print what the rollout or the network gives, and what the back-up is called with.",
    ),
    "simulation-not-random": Check(
        "note",
        "Simulations end as random play from the same positions does (three ways to end, each within "
        "5 standard deviations of what 4 playouts from each leaf lead to expect), and their moves are drawn "
        "evenly from the list of legal moves (within 5 standard deviations).",
        "Heavy rollouts or a value function, which are legitimate; or a rollout that draws its moves "
        "unevenly, plays well for one side only, or keeps the best of several.",
        "Count how the simulations from one node end, and play some on from its position.",
    ),
    # final choice
    # proofs
    "proof-wrong": Check(
        "error",
        "A proven result follows from the children: a win from one won move, a loss from all moves lost.",
        "A loss proven before all legal moves have a child, or a result taken from the wrong player's view.",
        "Look at the proven results of the node's children.",
    ),
    "proof-missing": Check(
        "warning",
        "What the children's proven results force is proven.",
        "The solver stops at the first node that it cannot prove, or looks at finished games alone.",
        "Look at the proven results of the node's children.",
    ),
    # chance
    "chance-unshared": Check(
        "warning",
        "Simulations come to answers of chance, or observations, that are in the tree already. A note where nodes have "
        "no particles: answers may be continuous.",
        "Answers are kept by a number with all its digits, as a bin that is computed and not used, or by an object "
        "that equals itself alone.",
        "Look at the children of a node after an action: each has one visit.",
    ),
    "chance-chosen": Check(
        "error",
        "What chance decides is drawn, not chosen.",
        "Nodes of chance are selected from like any other.",
        "Count the children of a node of chance: those that are good for a player come too often.",
    ),
    "chance-frequencies": Check(
        "warning",
        "What chance decides comes as often as its probabilities say.",
        "Events are drawn uniformly, selected by UCT as moves are, or drawn once and kept.",
        "Compare the visits of the node's children with their probabilities.",
    ),
    "choice-final-move": Check(
        "error",
        "The move played is the one that the final-move rule gives.",
        "The move is chosen by the selection score, exploration included, or by another rule.",
        "Rank the root's children by the rule.",
    ),
    "choice-starved": Check(
        "note",
        "Every move at the root gets a fair number of visits.",
        "The search is sure; or c is small, and an early bad rollout decided.",
        "Run the search again with another seed.",
    ),
    "choice-never-again": Check(
        "note",
        "Moves of the root are visited again.",
        "Progressive widening whose limit grows as fast as the visits, or a comparison the wrong way round: the search "
        "always makes a new move.",
        "Look at the visits of the root's moves: they are all 1.",
    ),
    "choice-never-visited": Check(
        "note",
        "Every move at the root is visited.",
        "Priors or a first-play urgency keep it back.",
        "Look at the root's children.",
    ),
    "reuse-start": Check(
        "error",
        "The root is the declared start position, and its children follow from its state by their moves.",
        "The tree of an earlier search is kept without a step down to the position that was reached, or with a step to "
        "another child than that of the move that was played: `root.children[move]`, where children are in the order "
        "in which they were made.",
        "Compare the root's moves with those that are legal in the start position, and its children's states with what "
        "their moves make of its own.",
    ),
    "reuse-view": Check(
        "error",
        "What a reused tree holds is in the view of what is added to it.",
        "Values in the view of the player to move at the root, kept as they are when the other player is to move "
        "there; or a search that goes on for the root before, as by depths that count from it.",
        "Look at the mean of an old node over time: it turns round.",
    ),
    "reuse-aged": Check(
        "error",
        "Visits and value sums of a reused tree belong together: no mean is outside the range of a visit.",
        "When a move has been played, visits are halved, or aged in another way, and value sums are not.",
        "Print visits and value sum of a child of the root before and after a move is played: the mean stays.",
    ),
    "reuse-doubled": Check(
        "error",
        "A node of a reused tree has at least as many visits as its children.",
        "Statistics of the old tree are added to those of the new one; or those of the new root are set to 0, and the "
        "nodes below it keep theirs.",
        "Look at iteration 0.",
    ),
    "reuse-lost": Check(
        "warning",
        "The visits of a node of a reused tree are those of its children and its own evaluation.",
        "Children were dropped and their parent's visits kept.",
        "Look at iteration 0.",
    ),
    # searches from many positions
    # searches of agents
    "record-duplicate": Check(
        "warning",
        "Siblings have different code, answers, thoughts or actions (of nodes with documents). A note where some "
        "siblings of a node differ: a model that is drawn from says the same again.",
        "The same prompt at temperature 0, or no look at the siblings before a new child is made.",
        "Open the document at both nodes, and compare.",
    ),
    "record-no-effect": Check(
        "warning",
        "A child's code differs from its parent's; a note of answers and thoughts (of nodes with documents).",
        "A diff that does not apply, or an answer that could not be read and so changed nothing.",
        "Open the document at the node, then *± parent*.",
    ),
    "record-other-problem": Check(
        "error",
        "All nodes have the problem of the root, where a document named problem, question or task says it.",
        "The tree, or its root, is kept from one problem to the next.",
        "Open the document at the root and at the node.",
    ),
    "record-constant-score": Check(
        "warning",
        "Children of one parent do not have one score, everywhere in the tree.",
        "The judge sees the parent, or its answer is not read, so that a default counts.",
        "Look at the scores of siblings in the card, or colour the tree by the score.",
    ),
    "record-best-left": Check(
        "warning",
        "The node that the program took in the end (a field chosen) has the best score.",
        "The last node, or the most visited one, is taken in place of the best.",
        "Compare the scores of the two nodes.",
    ),
    "particle-starvation": Check(
        "warning",
        "A belief node has about as many particles for a visit as the others.",
        "Simulated states are not added to the belief of the node that they come to, or to that of another one; or the "
        "belief after a real step was left with next to none, and wants new particles.",
        "The node's card tells its belief and its particles, iteration by iteration.",
    ),
    "particle-one-state": Check(
        "warning",
        "Each simulation begins in a state drawn from the root's belief.",
        "The hidden state is drawn once, before the loop: the search plans as if it knew it.",
        "Compare the root's belief with those below it: after an action that tells little they have the same states.",
    ),
    "record-derived": Check(
        "note",
        "Whether visits and values are the program's own.",
        "A log of records that name their parents and have no visits.",
        '`trace.meta["notes"]` says how they were derived.',
    ),
    "record-spent-after": Check(
        "note",
        "How much was spent after the best finished answer was there.",
        "A budget that does not end when the answer is found.",
        "Go to the iteration, and step on.",
    ),
    "search-fails": Check(
        "error",
        "The search runs from every position of the game.",
        "Full columns, few moves left or a finished game next to the root, which the search has not met before.",
        "Run it from the position that is named.",
    ),
    "tactics-win-missed": Check(
        "warning",
        "A win at once is taken, in half of the positions after 200 iterations or more.",
        "The results of finished games do not reach the root as they should.",
        "Step through the search from that position.",
    ),
    "tactics-loss-allowed": Check(
        "note",
        "A loss in one move is prevented, in half of the positions after 200 iterations or more.",
        "The opponent's wins do not count: they have no value, or that of the wrong player; or priors and "
        "evaluations mislead.",
        "Step through the search from that position.",
    ),
}


def found(
    check: str, iteration: int | None, node: int | None, message: str, **evidence: Any
) -> Finding:
    """A finding of that check, with its severity."""
    return Finding(check, CHECKS[check].severity, iteration, node, message, evidence)
