"""The code in docs/contributing.md is that of the files it names."""

from tests.docs.commands import ROOT
from tests.docs.examples import examples

PIECES = [
    example for example in examples(ROOT / "docs/contributing.md") if example.code.startswith("# ")
]


def test_every_piece_of_code_stands_in_its_file() -> None:
    assert len(PIECES) >= 6
    for piece in PIECES:
        first, code = piece.code.split("\n", 1)
        text = (ROOT / first.removeprefix("# ")).read_text(encoding="utf-8")
        assert code in text, f"{piece.place}: not in {first}: take it anew"
