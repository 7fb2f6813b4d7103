"""docs/reference.md is what the docstrings of the public API say today."""

import mcts_viz
from docs import make_reference
from mcts_viz import testing
from tests.indexed import in_memory


@in_memory
def test_the_page_is_up_to_date() -> None:
    written = make_reference.PAGE.read_text(encoding="utf-8")
    assert written == make_reference.page(), "run: python -m docs.make_reference"


def test_every_public_name_has_its_entry_and_a_text() -> None:
    text = make_reference.page()
    for name in (*mcts_viz.__all__, *testing.__all__):
        thing = getattr(mcts_viz, name, None) or getattr(testing, name)
        assert f"### `{name}`\n" in text or f"- `{name}` (" in text
        assert make_reference.text_of(thing), f"{name} has no docstring"
