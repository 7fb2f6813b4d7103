"""Which members of a test that has several `make test` runs: of each, one in so many of its folder's, and all of those
that list the mistakes and the searches. `make test-thorough` runs every one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ONE_IN = {"health": 8, "analysis": 2, "engine": 2, "recording": 2, "trace": 2}
WHOLE = (
    "test_a_mistake_is_found_under_its_name",
    "test_a_mistake_is_named_and_no_error_misleads",
    "test_a_correct_unusual_search_has_no_error_and_no_warning",
)


def leave_to_thorough(items: list[pytest.Item]) -> None:
    """Mark the others."""
    members: dict[tuple[Path, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        name = getattr(item, "originalname", item.name)
        if name not in WHOLE and not item.get_closest_marker("thorough"):
            members[item.path, name].append(item)
    for (path, _), same in members.items():
        for place, item in enumerate(same):
            if place % ONE_IN.get(path.relative_to(HERE).parts[0], 1):
                item.add_marker("thorough")
