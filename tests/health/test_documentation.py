"""docs/health.md lists all checks as the package describes them, and its examples print what it says."""

import contextlib
import io
from typing import Any

from docs.make_health import PAGE, with_table
from mcts_viz.health.catalogue import CHECKS
from mcts_viz.health.certainty import SEARCHES
from tests.docs.examples import examples, run_python
from tests.health.faulty import cases
from tests.health.test_correct_searches import INCORRECT
from tests.health.zoo import ZOO

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_lists_all_checks_as_they_are() -> None:
    """`python -m docs.make_health` writes the list."""
    assert with_table(TEXT) == TEXT


def test_the_page_says_how_many_searches_were_counted() -> None:
    assert f"Counted were {SEARCHES:,}\ncorrect searches" in TEXT


def test_the_examples_print_what_the_page_says() -> None:
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for example in examples(PAGE):
            if example.language == "python":
                run_python(example, names)
    first, *found = printed.getvalue().splitlines()
    assert f"\n{first}\n" in TEXT
    assert [line.split(" (")[0] for line in found] == [
        f"{preset} error: {check}" for preset, check in INCORRECT.items()
    ]


def test_every_error_and_warning_is_proven_by_a_mistake() -> None:
    found = {check for _, checks, _ in cases() for check in checks}  # those of test_faulty.py
    proven = {*ZOO.values(), *INCORRECT.values(), *found}
    # the third one: `test_a_discount_that_is_declared_is_held_to`; the last: test_exact_outcomes.py
    elsewhere = {
        "choice-final-move", "visits-children", "value-not-discounted", "simulation-impossible",
        "proof-wrong", "proof-missing", "chance-frequencies", "chance-chosen",  # test_proofs_start_chance.py
        "search-fails", "tactics-win-missed",  # tests/runs/test_probe.py
            "selection-own-score", "value-reward",  # test_own_rules.py
        "record-duplicate", "record-no-effect", "record-other-problem", "record-constant-score",
        "record-best-left",  # test_records.py
        "selection-reward", "selection-scale",  # test_muzero.py
        "batch-one-value",  # test_one_value.py
        "selection-variance",  # test_tuned.py
        "selection-fresh-noise",  # test_root_noise.py
            "shared-stale-parent",  # tests/recording/test_shared.py
        "shared-player",  # test_shared_player.py
        "expansion-late-rewards",  # test_late_rewards.py
        "selection-halving", "selection-noise-below",  # tests/recording/test_gumbel.py
        "visits-lost",  # tests/recording/test_batches.py
        "value-same-entry", "value-wrong-player",  # tests/recording/test_players.py
        "value-win-below-loss",  # test_declared_scores.py
        "particle-starvation",  # tests/recording/test_beliefs.py
        "reuse-view",  # test_kept_view.py
        "reuse-aged",  # test_kept_states.py
        "selection-first-value",  # test_first_values.py
        "selection-stops",  # test_stops.py
        "simulation-values-vary",  # test_opposite_values.py
        "value-fraction",  # test_whole_values.py
        "value-half-results",  # test_half_results.py
        "particle-one-state",  # test_hidden_states.py
        "value-immediate",  # test_immediate.py
        "simulation-discounted",  # test_discounted_leaves.py
        "expansion-again",  # test_expanded_again.py
        "chance-unshared",  # test_unshared_answers.py
    }  # fmt: skip
    faults = {name for name, check in CHECKS.items() if check.severity != "note"}
    assert faults - proven == elsewhere
