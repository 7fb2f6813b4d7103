"""Which members of a test of the checks `make test` runs: one in eight of each, and all of those that list the mistakes
and the searches. `make test-thorough` runs every one."""

from collections import defaultdict
from pathlib import Path

import pytest

ONE_IN = 8
HERE = Path(__file__).parent
WHOLE = (
    "test_a_mistake_is_found_under_its_name",
    "test_a_mistake_is_named_and_no_error_misleads",
    "test_a_correct_unusual_search_has_no_error_and_no_warning",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the others to the thorough run."""
    members: dict[tuple[Path, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        name = getattr(item, "originalname", item.name)
        if (
            HERE in item.path.parents
            and name not in WHOLE
            and not item.get_closest_marker("thorough")
        ):
            members[item.path, name].append(item)
    for same in members.values():
        for item in same[-(-len(same) // ONE_IN) :]:
            item.add_marker("thorough")
