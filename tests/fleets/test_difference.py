"""Two fleets compared: what is alike, what differs, from where on, and how much it matters."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcts_viz as mv
from mcts_viz.cli import main
from tests.fleets.synthetic import fleet_of

N = 12


def record(folder: Path, c: float = 1.4, **more: object) -> mv.Fleet:
    """Searches of the same positions; the last three with another c."""
    folder.mkdir()
    plain = {"game": "tic_tac_toe", "iterations": 60, "compile": False, "rollouts": False, **more}
    wanted = [
        {**plain, "seed": seed, "start": [seed % 9], "c": c if seed >= N - 3 else 1.4}
        for seed in range(N)
    ]
    mv.search_many(wanted, folder / "a.many")
    return mv.fleet(folder)


def test_the_same_searches_do_not_differ(tmp_path: Path) -> None:
    found = record(tmp_path / "a").diff(record(tmp_path / "b"))
    assert (found.n_pairs, found.table.num_rows, found.pairs) == (N, 0, ())
    assert "12 pairs of searches of the same game, position, seed, iterations" in str(found)
    assert "12 alike, 0 different" in found.markdown()


def test_searches_that_differ_are_told_with_the_iteration_the_node_and_the_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = record(tmp_path / "a"), record(tmp_path / "b", c=0.4)
    found = a.diff(b)
    assert found.n_pairs == N
    assert "c" not in found.matched_by
    assert set(found.table["seed"].to_pylist()) == {9, 10, 11}
    for pair in found.pairs:
        assert pair.parting is not None
        row = pair.row
        compared = mv.compare(a.open(str(row["search_id_a"])), b.open(str(row["search_id_b"])))
        assert pair.parting.iteration == compared.first.iteration_a
        assert pair.parting.by.startswith("A takes ")
        assert "score " in pair.parting.by
    assert found.table["harm"].to_pylist() == sorted(found.table["harm"].to_pylist(), reverse=True)
    assert len(found.markdown()) < 4_000
    assert found.markdown().count("\n| tic_tac_toe ") == 3

    folders = [str(tmp_path / name) for name in "ab"]
    assert main(["fleet", "diff", *folders]) == 0
    assert "from iteration" in capsys.readouterr().out
    assert main(["fleet", "diff", *folders, "--markdown", "--top", "1", "--exit-code"]) == 1
    assert "… and 2 more." in capsys.readouterr().out


def test_the_most_harmful_difference_comes_first(tmp_path: Path) -> None:
    def rows(
        regret: dict[int, float], action: dict[int, int], mark: str
    ) -> list[dict[str, object]]:
        return [
            {"position": str(n), "best_action": action.get(n, 0), "best_action_name": str(action.get(n, 0)),
             "regret": regret.get(n, 0.0), "digest": f"{mark}{n}"}
            for n in range(4)
        ]  # fmt: skip

    a = fleet_of(tmp_path / "a", rows({}, {}, "a"))
    b = fleet_of(tmp_path / "b", rows({2: 0.5, 1: 1.0}, {2: 1, 1: 1, 3: 1}, "b"))
    found = a.diff(b)
    assert found.table["position"].to_pylist() == ["1", "2", "3", "0"]
    assert found.n_other_moves == 3
    assert all(pair.parting is None and pair.problem for pair in found.pairs)  # there are no traces
    assert "+0.3750 in B" in str(found)


def test_a_faulty_update_is_found_in_its_iteration(tmp_path: Path) -> None:
    """The same paths at first, and other values."""
    one, other = (record(tmp_path / name, loss=loss) for name, loss in (("a", 0.0), ("b", -1.0)))
    found = one.diff(other)
    assert found.table.num_rows == N
    assert all(pair.parting is not None and pair.parting.iteration for pair in found.pairs)
