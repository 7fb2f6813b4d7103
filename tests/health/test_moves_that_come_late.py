"""Nodes that are given further children after a choice among them, where nothing is wrong with that."""

from __future__ import annotations

import math
import random

import pytest

import mcts_viz as mv

SUITS = 3
CARDS = range(24)


class Seen:
    """What is known to have been played; the hands are dealt anew in each iteration."""

    def __init__(self, card: int | None, mover: int) -> None:
        self.card, self.mover = card, mover  # who has played the card
        self.children: dict[int, Seen] = {}
        self.visits, self.wins, self.there = 0, 0.0, 0


def upper(child: Seen) -> float:
    """By how often the child was there to be taken."""
    return child.wins / child.visits + 0.7 * math.sqrt(math.log(child.there) / child.visits)


def deal(draw: random.Random) -> list[list[int]]:
    own = [1, 3, 5, 7]  # which the player to move knows
    return [[*own], draw.sample([card for card in CARDS if card not in own], 4)]


def iteration(root: Seen, draw: random.Random) -> None:
    """Cards are played in turn; of each pair the higher one wins, and most pairs win the game."""
    hands, path, played = deal(draw), [root], list[int]()
    inside = True
    while hands[player := len(played) % 2]:
        hand, node = hands[player], path[-1]
        led = played[-1] if player else None  # whose suit is followed
        may = [card for card in hand if led is not None and card % SUITS == led % SUITS] or hand
        fresh = [card for card in may if card not in node.children]
        card = draw.choice(may)
        if inside and fresh:
            card, inside = draw.choice(fresh), False
            node.children[card] = Seen(card, player)
            path.append(node.children[card])
        elif inside:
            known = [node.children[each] for each in may if each in node.children]
            for each in known:
                each.there += 1
            best = max(known, key=upper)
            card = best.card if best.card is not None else card
            path.append(best)
        hand.remove(card)
        played.append(card)
    won = sum(1 if first > second else -1 for first, second in zip(played[::2], played[1::2]))
    for node in path:
        node.visits += 1
        node.wins += (won > 0) if node.mover == 0 else (won < 0)


def test_deals_that_allow_some_of_the_moves_are_worth_a_note_however_many() -> None:
    draw, root = random.Random(4), Seen(None, 1)
    with mv.record(
        root=root, children="children", visits="visits", value="wins", value_range=(0, 1),
        to_move=lambda node: 1 - node.mover,
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: iteration(root, draw), 400):
            pass
    found = {one.check: one for one in rec.trace.check()}
    untried = found["selection-untried"]
    assert untried.evidence["times"] > 0.2 * untried.evidence["choices"]
    assert (untried.severity, "hidden" in untried.message) == ("note", True)


@pytest.mark.parametrize(("rollouts", "severity"), [(1, "warning"), (4, "note")])
def test_moves_that_wait_while_a_rule_chooses_among_the_others_stay_a_warning(
    rollouts: int, severity: str
) -> None:
    """But for values that are no results: a search by a network makes a child when it first chooses it."""
    draw, root = random.Random(2), Seen(None, 1)

    def step() -> None:
        node, path, left = root, [root], list(CARDS)
        while left:
            if len(node.children) < len(left) and (not node.children or draw.random() < 0.3):
                card = draw.choice([card for card in left if card not in node.children])
                node.children[card] = Seen(card, 1 - node.mover)
                path.append(node.children[card])
                break
            log = math.log(node.visits)
            node = max(
                node.children.values(), key=lambda c: c.wins / c.visits + math.sqrt(log / c.visits)
            )
            path.append(node)
            left.remove(node.card if node.card is not None else -1)
        chance = 0.3 + 0.015 * (path[-1].card or 0)
        won = sum(draw.random() < chance for _ in range(rollouts)) / rollouts
        for node in path:
            node.visits += 1
            node.wins += won if node.mover == path[-1].mover else 1 - won

    with mv.record(
        root=root, children="children", visits="visits", value="wins", value_range=(0, 1),
        to_move=lambda node: 1 - node.mover,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 500):
            pass
    found = {one.check: one for one in rec.trace.check()}
    assert found["selection-untried"].severity == severity


def test_a_node_whose_moves_are_there_by_other_ways_is_expanded_when_the_search_comes() -> None:
    """Visits and values by position, as in a table; what one position has made is there for all that lead to it."""
    draw = random.Random(3)
    visits: dict[frozenset[int], int] = {frozenset(): 0}
    wins: dict[frozenset[int], float] = {frozenset(): 0.0}

    def below(taken: frozenset[int]) -> dict[int, frozenset[int]]:
        return {n: taken | {n} for n in range(6) if n not in taken and taken | {n} in visits}

    def step() -> None:
        path = [frozenset[int]()]
        while len(path[-1]) < 6:
            at = path[-1]
            moves = [at | {n} for n in range(6) if n not in at]
            full = all(each in visits for each in moves)
            for each in moves:
                visits.setdefault(each, 0)
                wins.setdefault(each, 0.0)
            if not full:
                path.append(draw.choice(moves))
                break
            log = math.log(max(1, sum(visits[each] for each in moves)))
            path.append(
                max(
                    moves,
                    key=lambda s: wins[s] / max(1, visits[s]) + math.sqrt(log / max(1, visits[s])),
                )
            )
        won = draw.random() < 0.5
        for depth, each in enumerate(path):
            visits[each] += 1
            wins[each] += won == (depth % 2 == 1)

    with mv.record(
        root=frozenset(), shared=True, children=below, visits=visits.__getitem__, value=wins.__getitem__,
        to_move=lambda taken: len(taken) % 2, value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 300):
            pass
    assert "selection-untried" not in {one.check for one in rec.trace.check()}
