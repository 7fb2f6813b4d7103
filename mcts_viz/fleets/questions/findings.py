"""The findings of single searches, each check once, with how many searches have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcts_viz.errors import TraceError
from mcts_viz.fleets.query import REBUILD
from mcts_viz.fleets.questions.question import AnswerRow, number
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.trace.words import plural

BY_CHECK = """
select "check", severity, count(distinct search_id) as n, min(search_id) as example,
       arg_min(message, search_id) as message, arg_min(iteration, search_id) as iteration,
       arg_min(node, search_id) as node
from findings group by "check", severity order by n desc
"""


def findings_by_check(rows: Sequence[AnswerRow], n: int) -> Iterator[Finding]:
    """n: searches of the fleet. Raises TraceError for a severity that there is not."""
    for row in rows:
        have, severity = int(number(row, "n")), str(row["severity"])
        if severity not in SEVERITIES:
            raise TraceError(
                f"the table of findings has the severity {severity!r:.60}, which is none of {', '.join(SEVERITIES)}; "
                f"{REBUILD}"
            )
        yield Finding(
            str(row["check"]),
            severity,
            None,
            None,
            f"in {have:,} of {plural(n, 'search', 'searches')}; in {row['example']}: {row['message']}",
            {
                "searches": have, "of": n, "example": row["example"], "iteration": row["iteration"],
                "node": row["node"],
            },
        )  # fmt: skip
