"""The example of docs/probe.md runs."""

from pathlib import Path

from tests.docs.examples import examples, run_python

PAGE = Path(__file__).parents[2] / "docs/probe.md"


def test_the_examples_of_the_page_run() -> None:
    """With few positions: all of them take some seconds."""
    names: dict[str, object] = {}
    for example in examples(PAGE):
        if example.language == "python":
            few = 'game="tic_tac_toe", iterations=100, positions=[[0, 4], [0, 4, 8, 2, 6]])'
            run_python(
                example._replace(code=example.code.replace('game="tic_tac_toe")', few)), names
            )
