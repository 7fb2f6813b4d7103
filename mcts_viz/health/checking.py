"""All checks of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np

from mcts_viz.games.position import StartPosition
from mcts_viz.health.chance import check_chance
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.choice import check_choice
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.health.hidden_states import check_hidden_states
from mcts_viz.health.iteration_range import Given
from mcts_viz.health.outcomes.again import check_again
from mcts_viz.health.outcomes.alike_siblings import check_alike_siblings
from mcts_viz.health.outcomes.batch_leaves import leaves_of_batches, values_of_leaves
from mcts_viz.health.outcomes.best_ends import check_best_ends
from mcts_viz.health.outcomes.check import KnownOutcomes, check_simulation
from mcts_viz.health.outcomes.constant import check_constant
from mcts_viz.health.outcomes.cut_off import check_cut_off
from mcts_viz.health.outcomes.discounted_leaves import check_discounted_leaves
from mcts_viz.health.outcomes.ends import FinishedGames
from mcts_viz.health.outcomes.evaluated_ends import check_evaluated_ends
from mcts_viz.health.outcomes.evaluations_of_others import check_evaluations_of_others
from mcts_viz.health.outcomes.exact import check_exact_outcomes
from mcts_viz.health.outcomes.few_families import check_few_families
from mcts_viz.health.outcomes.first_of_ends import check_first_of_ends
from mcts_viz.health.outcomes.forgotten_score import check_forgotten_score
from mcts_viz.health.outcomes.last_move import check_last_move
from mcts_viz.health.outcomes.last_movers import check_last_movers
from mcts_viz.health.outcomes.last_reward import check_last_reward
from mcts_viz.health.outcomes.late import check_late
from mcts_viz.health.outcomes.level_signs import check_level_signs
from mcts_viz.health.outcomes.limit import check_limit
from mcts_viz.health.outcomes.means import check_mean_outcomes
from mcts_viz.health.outcomes.near_ends import check_near_ends
from mcts_viz.health.outcomes.new_leaves import NewLeaves, new_leaves
from mcts_viz.health.outcomes.one_value import check_one_value
from mcts_viz.health.outcomes.opposite_values import check_opposite_values
from mcts_viz.health.outcomes.origins import check_origins
from mcts_viz.health.outcomes.resimulation import check_outcomes
from mcts_viz.health.outcomes.shared_by_players import check_shared_by_players
from mcts_viz.health.outcomes.short_rollouts import check_short_rollouts
from mcts_viz.health.outcomes.signs import Signs
from mcts_viz.health.outcomes.told_evaluations import check_told_evaluations, check_told_in_batches
from mcts_viz.health.outcomes.two_values import check_two_values
from mcts_viz.health.outcomes.votes_of_siblings import check_votes_of_siblings
from mcts_viz.health.outcomes.whole_sums import check_whole_sums
from mcts_viz.health.outcomes.whole_values import check_whole_values
from mcts_viz.health.particles import check_particles
from mcts_viz.health.records import check_records
from mcts_viz.health.selection.check import check_beside_own_score, check_selection
from mcts_viz.health.selection.first_descents import check_first_descents
from mcts_viz.health.selection.own_score import check_own_score, is_explained
from mcts_viz.health.selection.preference import check_preference
from mcts_viz.health.selection.restarts import check_restarts
from mcts_viz.health.selection.uncounted_root import with_uncounted_root
from mcts_viz.health.steps import Steps
from mcts_viz.health.tree.batches import check_batches
from mcts_viz.health.tree.expansion import check_expansion
from mcts_viz.health.tree.kept_boards import check_kept_boards
from mcts_viz.health.tree.kept_states import check_kept_states
from mcts_viz.health.tree.kept_view import check_kept_view
from mcts_viz.health.tree.late_rewards import check_late_rewards
from mcts_viz.health.tree.left_losses import check_left_on_leaves
from mcts_viz.health.tree.popped_moves import KEPT_LIST
from mcts_viz.health.tree.shape import Shape, check_shape, given_at_birth, shape_of
from mcts_viz.health.tree.shared_player import check_shared_player, of_both_players
from mcts_viz.health.tree.start import check_start
from mcts_viz.health.tree.transpositions import check_shared
from mcts_viz.health.tree.visits import check_visits, stopping_short
from mcts_viz.health.unshared_answers import check_unshared_answers
from mcts_viz.health.values.check import check_scores, check_value
from mcts_viz.health.values.declared_view import with_declared_view
from mcts_viz.health.values.half_results import check_half_results
from mcts_viz.health.values.immediate import check_immediate
from mcts_viz.health.values.lost_lines import check_lost_lines
from mcts_viz.health.values.of_visits import show
from mcts_viz.health.values.other_backups import MEANS
from mcts_viz.health.values.proofs import check_proofs
from mcts_viz.health.values.rewards import check_half_steps, check_rewards
from mcts_viz.health.values.untold_range import check_range, meant_range
from mcts_viz.trace.trace import Trace

NOT_RANDOM = ("simulation-repeats", "simulation-ignored-move", "simulation-not-random")
# findings that may go by the rules of a game
OF_RULES = ("simulation-", "expansion-", "proof-", "value-wrong-view", "value-not-the-result")
MOSTLY = 0.6  # share of the choices of threads that a rule explains; of 16 correct ones at once 0.7
FEW_MOVES = 16  # of a game; where it has more, a search may leave some out on purpose
BY_CHANCE = ("simulation-not-random", "simulation-against-truth")
OF_PATHS = ("visits-off-path", "visits-double", "visits-root", "visits-missing")
# what each node of a path gets: a back-up of the author's own may leave nodes out
OF_BACK_UP = (
    *OF_PATHS,
    "visits-leaf",
    "visits-children",
    "value-uneven",
    "value-leaf",
    "value-discount",
)
OF_OTHER_BACKUPS = (
    "value-reward",
    "simulation-terminal",
    "simulation-flipped",
    "simulation-repeats",
)
# as a note it says what may be right, and explains no more than this
OF_NOTES: dict[str, tuple[str, ...]] = {
    "expansion-priors": (),
    "expansion-state-changes": (),
    "expansion-player": (),
    "value-backup": OF_OTHER_BACKUPS,
    "expansion-again": ("expansion-duplicate",),
    "value-fraction": (),
    "value-wrong-view": (),
    "value-reward": (),
    "simulation-from-parent": (*BY_CHANCE, "simulation-flipped", "simulation-impossible"),
    # a node's player is that of the way by which it was found first
    "shared-player": ("value-uneven",),
}
# of `expansion-missing` where nodes of one position share a list of moves: rollouts and ends lack moves, too
OF_KEPT_LISTS = ("simulation-from-parent", "simulation-terminal", "expansion-stops")
# findings to leave out beside another one, from which they follow: names of checks, or their beginnings
CONSEQUENCES: dict[str, tuple[str, ...]] = {
    "simulation-flipped": (*BY_CHANCE, "simulation-impossible", "value-not-the-result"),
    "simulation-terminal": (
        "value-not-the-result",
        "value-wrong-view",
        "value-draw-as-win",
        "value-one-side",
        "simulation-flipped",
        *BY_CHANCE,
        "simulation-impossible",
    ),
    "value-wrong-view": ("simulation-flipped", *BY_CHANCE),
    "value-draw-as-loss": ("value-draw-as-win",),
    "value-fraction": ("value-uneven", "value-discount", "value-backup"),
    "value-half-results": ("value-range",),  # which is that of wins of who moved there
    "value-mean": ("value-reward",),
    "value-reward": ("value-out-of-range",),
    "value-immediate": ("value-reward", "value-backup"),
    "value-backup": (*OF_OTHER_BACKUPS, "simulation-constant"),
    # what is chosen among, and how often it was visited, is what was there last
    "expansion-again": ("expansion-duplicate", "selection-", "choice-", "expansion-missing"),
    "selection-widening": ("expansion-missing", "visits-leaf"),
    "visits-shared-nodes": ("expansion-missing",),
    "selection-wrong-view": ("selection-unexplained", "selection-random"),
    "shared-stale-parent": ("selection-", "visits-", "value-", "expansion-missing"),
    "shared-player": (
        "selection-unexplained",
        "selection-random",
        "selection-wrong-view",
        "value-uneven",
    ),
    "simulation-outcome": (*BY_CHANCE, "simulation-impossible", "simulation-flipped"),
    "simulation-unfinished": (*BY_CHANCE, "simulation-impossible", "simulation-flipped"),
    "simulation-first-move": (*BY_CHANCE, "simulation-impossible", "simulation-from-parent"),
    "simulation-constant": (*BY_CHANCE, "simulation-impossible", "simulation-repeats"),
    "simulation-from-parent": (
        *BY_CHANCE,
        "simulation-flipped",
        "simulation-impossible",
        "simulation-terminal",
        "value-not-the-result",
    ),
    "simulation-impossible": BY_CHANCE,
    "simulation-late": (
        *BY_CHANCE,
        "simulation-flipped",
        "simulation-impossible",
        "simulation-terminal",
        "simulation-from-parent",
        "value-not-the-result",
        "value-wrong-view",
    ),
    "simulation-repeats": (*BY_CHANCE, "simulation-ignored-move"),
    "simulation-ignored-move": BY_CHANCE,
    "simulation-illegal": (*BY_CHANCE, "simulation-impossible"),
    "expansion-state-changes": ("expansion-", "simulation-", "value-"),
    "expansion-from-root": ("value-", "simulation-", "expansion-player", "expansion-illegal"),
    "visits-leaf": ("simulation-", "selection-stops"),
    "visits-off-path": (
        "value-",
        "selection-",
        "simulation-",
        "expansion-missing",
        "reuse-doubled",
    ),
    "visits-missing": ("visits-root", "value-uneven", "simulation-"),  # the leaf is not known
    "virtual-loss-sign": ("batch-same-leaf",),
    "virtual-loss-left": ("value-uneven", "batch-same-leaf", *OF_PATHS),
    "visits-lost": OF_PATHS,  # of several leaves they do not add up any more
    "visits-double": ("value-uneven", "value-discount"),
    "selection-fresh-noise": ("expansion-priors",),
    "expansion-priors": ("selection-unvisited", "selection-unexplained", "selection-no-visits"),
    "expansion-player": (
        "simulation-flipped",
        "simulation-impossible",
        "value-uneven",
        *BY_CHANCE,
    ),
    "value-off-path": ("value-", "selection-no-value"),
    "selection-stops": ("visits-missing",),
    "selection-untried": ("expansion-missing",),
    "selection-log-priors": ("expansion-priors",),
    "reuse-aged": ("reuse-doubled", "reuse-lost", "visits-children", "value-out-of-range"),
    "reuse-doubled": ("reuse-lost", "visits-children"),
    "reuse-lost": ("expansion-missing",),
    "reuse-view": ("value-wrong-view", "value-not-the-result", "simulation-"),
    "reuse-start": (
        "expansion-",
        "simulation-",
        "proof-",
        "value-not-the-result",
        "value-draw-as-win",
    ),
    "chance-frequencies": ("choice-",),
}


def _check_outcomes(search: CheckedSearch) -> Iterator[Finding]:
    """Of one rollout, or the mean of several."""
    several = (search.meta.policies.simulation.rollouts or 1) > 1
    return check_mean_outcomes(search) if several else check_outcomes(search)


def check_trace(
    trace: Trace,
    rules: StartPosition | None = None,
    played: int | None = None,
    steps: Steps | None = None,
) -> list[Finding]:
    """What is wrong with the search, worst first, then what is worth knowing.

    rules: who knows the game's rules; without one, legality and true results stay unchecked.
    played: the action really played after the search. steps: hears how far the check is, and may know what some steps
    have found. Linear in the trace, but for the rules, which are asked of a few thousand positions and rollouts at
    most.
    """
    if trace.n_iterations == 0:
        return []
    steps = steps or Steps()
    with np.errstate(all="ignore"):  # a faulty search may have numbers of any size
        meant = meant_range(trace)
        search = CheckedSearch(trace, rules, meant, steps.look)
        on_leaves = [*check_left_on_leaves(search)]
        if not on_leaves:
            search.given = steps.numbers("new nodes", Given, lambda: given_at_birth(search))
        search.of_both_players = of_both_players(search)
        shape = steps.numbers("paths", Shape, lambda: shape_of(search))
        assert shape is not None
        findings = [
            *check_range(trace, meant),
            *check_half_results(trace),
            *check_scores(search),
            *check_lost_lines(search),
            *steps.findings("shape of the search", lambda: check_shape(search, shape)),
            *steps.findings("shared nodes", lambda: check_shared(search)),
            *steps.findings("players at shared nodes", lambda: check_shared_player(search)),
            *steps.findings("batches", lambda: check_batches(search, shape, on_leaves)),
        ]
        if shape.shared_nodes:
            search.leaf_above_new_copies()
        if shape.one_path:
            findings = _of_one_path(search, steps, findings)
        elif shape.several_leaves:
            findings = _of_several_leaves(search, steps, findings)
        findings += steps.findings("rewards of siblings", lambda: check_late_rewards(search))
        findings += check_start(search)
        findings += steps.findings("boards of a reused tree", lambda: check_kept_boards(search))
        if not any(one.check == "reuse-start" for one in findings):
            findings += steps.findings("states of a reused tree", lambda: check_kept_states(search))
        findings += steps.findings("reused tree", lambda: check_kept_view(search))
        findings += steps.findings("expansion", lambda: check_expansion(search))
        findings += steps.findings("proofs", lambda: check_proofs(search))
        findings += steps.findings("chance", lambda: check_chance(search))
        told = steps.findings("simulations", lambda: check_simulation(search))
        findings = [*_but_origins(findings, told), *told]
        # moves that are told say more than how games end
        not_random = any(one.check == "simulation-not-random" for one in findings)
        if not shape.shared_nodes and not not_random:
            findings += steps.findings("outcomes", lambda: _check_outcomes(search))
        findings += steps.findings("ends of games", lambda: check_exact_outcomes(search))
        findings += check_choice(search, played)
        findings += steps.findings("documents", lambda: check_records(search))
        findings += steps.findings("answers", lambda: check_unshared_answers(search))
        findings += steps.findings("particles", lambda: check_particles(search))
        findings += steps.findings("hidden states", lambda: check_hidden_states(search))
    causes = [
        _by_boards(search, _beside_others(search, _as_meant(search, finding)))
        for finding in findings
        if not _follows(finding, findings)
    ]
    return sorted(causes, key=lambda finding: SEVERITIES.index(finding.severity))


def _but_origins(findings: list[Finding], told: list[Finding]) -> list[Finding]:
    """Those that told rollouts do not show for certain."""
    known = any(one.check == "simulation-from-parent" for one in told)
    return [one for one in findings if not (known and one.check == "simulation-from-parent")]


def _of_one_path(search: CheckedSearch, steps: Steps, findings: list[Finding]) -> list[Finding]:
    """The findings so far, and those of a search whose iterations go one path each."""
    leaves = cache(lambda: new_leaves(search))
    visits = partial(check_visits, search)
    findings += steps.findings("visits", lambda: with_uncounted_root(search, visits()))
    results = KnownOutcomes(search)
    findings += steps.findings("values", lambda: check_value(search, results))
    findings += steps.findings("fractions", lambda: _check_fractions(search))
    findings += steps.findings("rewards", lambda: check_rewards(search))
    findings += steps.findings("immediate rewards", lambda: check_immediate(search))
    findings += steps.findings("discounts by chance", lambda: check_half_steps(search))
    findings += check_own_score(search)
    rule = check_beside_own_score if is_explained(search) else check_selection
    findings += steps.findings("selection", lambda: rule(search))
    findings += steps.findings("beginnings", lambda: check_restarts(search))
    if not _is_selection_known(search, findings):
        findings += steps.findings("most visited", lambda: check_preference(search))
    if not any(_spoils_values(finding) for finding in findings):
        findings += steps.findings("new leaves", lambda: check_new_leaves(search, leaves()))
        known = {finding.check for finding in findings}
        # if it compares wrong values, then so are the values of leaves
        told = _told_of_leaves(search, steps, "selection-wrong-view" not in known)
        findings += [one for one in told if one.check not in known]
        if not any(_spoils_leaves(finding) for finding in findings):
            findings += steps.findings(
                "signs of levels", lambda: check_level_signs(search, leaves())
            )
    elif not any(_spoils_values(one) for one in findings if one.check not in OF_RANGE):
        findings += steps.findings("siblings", lambda: check_alike_siblings(search, leaves()))
    return with_declared_view(search, findings)


def _check_fractions(search: CheckedSearch) -> list[Finding]:
    told = list(check_whole_values(search))
    return told or list(check_whole_sums(search))


def _of_several_leaves(
    search: CheckedSearch, steps: Steps, findings: list[Finding]
) -> list[Finding]:
    """The findings so far, and those of a search whose iterations have several leaves."""
    several = partial(check_rewards, search, several_leaves=True)
    findings += steps.findings("visits", lambda: stopping_short(search))
    findings += steps.findings("rewards", several)
    findings += steps.findings("leaves", lambda: check_one_value(search))
    if not any(one.severity == "error" for one in findings):
        findings += steps.findings("evaluations", lambda: _told_in_batches(search))
        findings += steps.findings("equal positions", lambda: check_opposite_values(search))
        findings += steps.findings("other positions", lambda: _evaluated_as_others(search))
        findings += steps.findings("finished games", lambda: _ends_in_batches(search))
        findings += steps.findings(
            "signs of levels", lambda: check_level_signs(search, leaves_of_batches(search))
        )
        if search.given is None:  # else what nodes begin with may be their parent's
            findings += steps.findings("siblings", lambda: _alike_in_batches(search))
    if not any(one.severity == "error" for one in findings):
        findings += steps.findings("selection", lambda: check_first_descents(search))
    findings += steps.findings("most visited", lambda: check_preference(search))
    return findings


def _evaluated_as_others(
    search: CheckedSearch, leaves: NewLeaves | None = None
) -> Iterator[Finding]:
    told = list(check_evaluations_of_others(search, leaves))
    yield from told or check_shared_by_players(search, leaves)


def _told_in_batches(search: CheckedSearch) -> Iterator[Finding]:
    of_others = list(check_told_in_batches(search))
    yield from of_others or check_votes_of_siblings(search, leaves_of_batches(search))


def _alike_in_batches(search: CheckedSearch) -> Iterator[Finding]:
    return check_alike_siblings(search, leaves_of_batches(search, older_parents=True))


def _ends_in_batches(search: CheckedSearch) -> Iterator[Finding]:
    told = list(check_evaluated_ends(search, several_leaves=True))
    yield from told or check_best_ends(search, several_leaves=True)
    if told or search.alone or search.meta.step_rewards or not search.ended.any():
        return
    ends = FinishedGames(search)
    for part in search.ranges():
        ends.look(part, values_of_leaves(search, part))
    yield from ends.drawn()
    yield from ends.evaluated()


def _told_of_leaves(search: CheckedSearch, steps: Steps, thorough: bool) -> list[Finding]:
    words = "leaves" if thorough else "leaves, of values in the wrong view"
    return steps.findings(words, lambda: check_leaves(search, thorough))


def check_workers(
    trace: Trace,
    workers: Iterable[tuple[int, Trace]],
    rules: StartPosition | None = None,
    played: int | None = None,
) -> list[Finding]:
    """The same of a trace to which several workers have added what they found: of each by itself, under the trace's
    own iterations and nodes, and of the choice at the root, which is of all. workers: number and search of each."""
    found = [*check_choice(CheckedSearch(trace, rules), played)]
    told = np.asarray(trace.columns.worker)
    for worker, own in workers:
        when = np.flatnonzero(told == worker) + 1
        for finding in check_trace(own, rules):
            if finding.check.startswith("choice-"):
                continue
            at = None if finding.iteration is None else int(when[max(finding.iteration, 1) - 1])
            node = None if finding.node is None else _same_node(own, finding.node, trace)
            found.append(
                replace(
                    finding, iteration=at, node=node, message=f"worker {worker}: {finding.message}"
                )
            )
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _same_node(own: Trace, node: int, trace: Trace) -> int | None:
    """The node of a trace to which the moves lead that lead to a node of another one."""
    found, action = 0, trace.columns.nodes.action
    for step in own.topology.path(node)[1:]:
        wanted = own.columns.nodes.action[step]
        below = trace.topology.children(found, trace.n_nodes)
        there = below[action[below] == wanted]
        if not len(there):
            return None
        found = int(there[0])
    return found


def _is_selection_known(search: CheckedSearch, findings: list[Finding]) -> bool:
    """Whether a rule or a mistake explains the choices, or values are wrong in another way."""
    selection = [one for one in findings if one.check.startswith("selection-")]
    named = any(
        "share" in one.evidence and one.check not in ("selection-unexplained", "selection-random")
        for one in selection
    )
    return named or any(_spoils_values(one) for one in findings)


OF_RANGE = ("value-out-of-range",)  # values are what they are, whatever was told of them
OF_RESULTS = ("value-not-the-result", "value-wrong-view", "value-draw-as-win")


def _spoils_values(finding: Finding) -> bool:
    """Whether values say little about the leaves that they came from."""
    family = finding.check.startswith(("visits-", "value-"))
    return family and finding.severity == "error" and finding.check not in OF_RESULTS


def _spoils_leaves(finding: Finding) -> bool:
    """Whether it says already what is wrong with what leaves get."""
    family = finding.check.startswith("simulation-") or finding.check in OF_RESULTS
    return family and finding.severity != "note"


def check_leaves(search: CheckedSearch, thorough: bool = True) -> Iterator[Finding]:
    """Findings about what visits of leaves add: at finished games, and where the game goes on."""
    if search.alone or search.meta.step_rewards:
        return
    if search.rules is None:
        if search.ended.any():
            ends = FinishedGames(search)
            show(search, [ends])
            yield from ends.drawn()
            yield from ends.evaluated()
        return
    ends, signs = FinishedGames(search), Signs(search, thorough)
    show(search, [ends])
    at_ends = list(ends.findings(signs.sign().right))
    yield from at_ends or ends.evaluated()
    of_signs, origins = list(signs.findings(ends.right)), list(check_origins(search, signs))
    for one in of_signs:
        # the player of the parent begins there, which is no mistake of its own
        if not (origins and one.check == "simulation-first-move" and one.severity == "note"):
            yield one
    yield from origins


def check_new_leaves(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """Findings about what leaves get: all the same, the same within each family, nothing on one side of the middle,
    the value of the leaf before, or at the first visit of an end something else than later."""
    yield from check_late(search)
    yield from check_cut_off(search, leaves)
    yield from check_discounted_leaves(search, leaves)
    one_value = list(check_constant(search, leaves))
    yield from one_value or check_short_rollouts(search, leaves)
    yield from check_two_values(search)
    yield from check_last_reward(search, leaves)
    alike = list(check_alike_siblings(search, leaves))
    yield from alike or check_few_families(search, leaves)
    yield from check_forgotten_score(search, leaves)
    yield from check_near_ends(search, leaves)
    yield from check_last_movers(search)
    yield from check_evaluated_ends(search)
    yield from check_best_ends(search)
    yield from check_first_of_ends(search)
    yield from check_limit(search, leaves)
    yield from check_told_evaluations(search, leaves)
    yield from check_votes_of_siblings(search, leaves)
    yield from check_opposite_values(search, leaves)
    yield from _evaluated_as_others(search, leaves)
    yield from check_again(search, leaves)
    yield from check_last_move(search, leaves)


def _by_boards(search: CheckedSearch, finding: Finding) -> Finding:
    """What is said by the rules of a game that nobody told, but for the boards."""
    told = search.told_game
    if told is None or told.lost or not finding.check.startswith(OF_RULES):
        return finding
    title = told.rules.game.title
    if finding.check == "expansion-missing" and told.rules.game.n_actions > FEW_MOVES:
        # as searches of Gomoku do, which look near the stones alone
        words = (
            f"{finding.message}. By the rules of {title}; right where moves are left out on purpose"
        )
        return finding.as_note(words)
    if told.is_certain:
        shown_by = "moves and ends" if search.trace.columns.nodes.state is None else "boards"
        words = f"{finding.message}. By the rules of {title}, which the {shown_by} show"
        return replace(finding, message=words)
    words = f"{finding.message}. By the rules of {title}, whose boards these look like; right where others hold"
    return (
        replace(finding, message=words) if finding.severity == "note" else finding.as_warning(words)
    )


def _as_meant(search: CheckedSearch, finding: Finding) -> Finding:
    """A rollout policy of the author's own is not random on purpose, and a back-up of a name of its own is no mean of
    all visits."""
    backup = search.meta.policies.backpropagation.name
    if search.meta.is_foreign and backup not in MEANS and finding.check in OF_BACK_UP:
        return finding.as_note(
            f'{finding.message}; the back-up is declared as "{backup}", which may mean that'
        )
    is_meant = search.meta.policies.simulation.own and finding.check in NOT_RANDOM
    return finding.as_note() if is_meant else finding


def _beside_others(search: CheckedSearch, finding: Finding) -> Finding:
    """A thread chooses by numbers that hold the virtual losses of others, which the trace has not."""
    if (
        finding.check != "selection-unexplained"
        or float(finding.evidence.get("share", 0.0)) < MOSTLY
    ):
        return finding
    workers, virtual = search.trace.columns.worker, search.trace.columns.virtual
    threads = workers is not None and len(np.unique(workers[: search.T])) > 1
    overlap = threads or (virtual is not None and bool((virtual[: search.T] > 0).any()))
    if not overlap:
        return finding
    words = (
        ". Choices that are made while other descents are under way have their virtual losses in the numbers, and "
        "the trace has not"
    )
    return finding.as_note(finding.message + words)


def _follows(finding: Finding, findings: list[Finding]) -> bool:
    return any(
        finding.check.startswith(_consequences(other)) and other.check != finding.check
        for other in findings
    )


def _consequences(finding: Finding) -> tuple[str, ...]:
    if KEPT_LIST in finding.evidence:
        return OF_KEPT_LISTS
    found = CONSEQUENCES.get(finding.check, ())
    return OF_NOTES.get(finding.check, found) if finding.severity == "note" else found
