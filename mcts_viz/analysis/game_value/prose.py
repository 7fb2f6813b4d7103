"""Game-theoretic values in words: short sentences, in which a number knows where it is seen.

Computes nothing.
"""

from __future__ import annotations

import numpy as np

from mcts_viz.analysis.game_value.data import RIGHT, GameValueData, MoveValue
from mcts_viz.analysis.phrase import Paragraphs, Phrase, capitalised

MOST_MOVES = 12  # named in a sentence
RESULTS = {1: "wins", 0: "draws", -1: "loses"}
POSITIONS = {1: "a win", 0: "a draw", -1: "a loss"}


def paragraphs(told: GameValueData) -> Paragraphs:
    """The text, with the verdict on the choice first."""
    found = [_position(told), _choice(told), _moves(told), _effort(told)]
    if not found[0] and told.result is None:
        found[1:3] = [found[2], found[1]]  # what is known, before what is not
    return tuple(tuple(paragraph) for paragraph in found if paragraph)


def in_plies(plies: int | None) -> str:
    """ " in 5 plies"; nothing where it is not known."""
    return "" if plies is None else f" in {plies:,} {'ply' if plies == 1 else 'plies'}"


def _position(told: GameValueData) -> list[Phrase]:
    here = "Game-theoretic value" + ("" if told.node == 0 else f" at node {told.node:,}")
    where = None if told.node == 0 else told.node
    if told.over:
        return [Phrase(f"{here}: the game is over.", node=where)]
    if not told.moves:
        return [Phrase(f"{here}: not known, as {told.unknown}.", node=where)]
    if told.result is None:
        return []  # what is known begins
    what = POSITIONS[told.result] + ("" if told.result == 0 else f" for {told.player}")
    return [Phrase(f"{here}: {what}{in_plies(told.plies)}.", node=where)]


def _choice(told: GameValueData) -> list[Phrase]:
    chosen = told.chosen
    if chosen is None or not told.moves or told.over:
        return []
    move = Phrase(capitalised(chosen.move), node=chosen.node)
    within = Phrase(chosen.move, node=chosen.node)  # a sentence
    if told.result == -1:
        return [
            Phrase("Every move loses, so no choice is a mistake; "),
            within,
            Phrase(f" loses{in_plies(chosen.plies)}."),
        ]
    if told.mistake is None:
        known = "" if chosen.result is None else f" {RESULTS[chosen.result]}"
        if known:
            return [move, Phrase(f"{known}; whether another move is better is not known.")]
        return [Phrase("Whether "), within, Phrase(" is a mistake is not known.")]
    assert chosen.result is not None
    does = f"{RESULTS[chosen.result]}{in_plies(chosen.plies)}"
    if told.mistake:
        text = [Phrase("This is a mistake: "), within, Phrase(f" {does}, ")]
        text += _better(told, chosen)
        return [*text, Phrase("."), *_wrong_since(told)]
    text = [move, Phrase(f" is right: it {does}, and no move has a better result.")]
    return [*text, *_right_since(told)]


def _better(told: GameValueData, chosen: MoveValue) -> list[Phrase]:
    assert chosen.result is not None
    best = [m for m in told.moves if m.result is not None and m.result > chosen.result]
    first = best[0]
    assert first.result is not None
    return [
        Phrase(first.move, node=first.node),
        Phrase(f" {RESULTS[first.result]}{in_plies(first.plies)}"),
    ]


def _right_since(told: GameValueData) -> list[Phrase]:
    since = told.right_since
    if since is None:
        return []
    if since == 0:
        return [Phrase(" The answer was right from the beginning on.")]
    changed = (
        f" The answer {'has been' if told.iteration == told.n_iterations else 'was'} right since "
    )
    return [Phrase(f"{changed}iteration "), Phrase(f"{since:,}", iteration=since), Phrase(".")]


def _wrong_since(told: GameValueData) -> list[Phrase]:
    right = [last for _, last, verdict in told.stretches if verdict == RIGHT]
    if not right:
        return [Phrase(" The answer was never right.")]
    last = right[-1]
    return [
        Phrase(" The answer was right last after iteration "),
        Phrase(f"{last:,}", iteration=last),
        Phrase("."),
    ]


def _moves(told: GameValueData) -> list[Phrase]:
    if all(each.result is None for each in told.moves):
        return []
    text: list[Phrase] = []
    for result in (1, 0, None, -1):
        group = [each for each in told.moves if each.result == result]
        if not group:
            continue
        head = "Not known" if result is None else RESULTS[result].capitalize()
        text.append(Phrase(f"{' ' if text else ''}{head}: "))
        for place, each in enumerate(group[:MOST_MOVES]):
            text.append(Phrase(", " if place else ""))
            text.append(Phrase(each.move, node=each.node))
            if each.plies is not None:
                text += [Phrase(" "), Phrase(in_plies(each.plies).strip(), node=each.node)]
        more = len(group) - MOST_MOVES
        text.append(Phrase(f" and {more:,} more." if more > 0 else "."))
    return [phrase for phrase in text if phrase.text]


def _effort(told: GameValueData) -> list[Phrase]:
    if told.looked_at == 0 and told.limit == 0:
        return []
    known = int((~np.isnan(told.results)).sum())
    why = f" Not everything is known: {told.unknown}." if told.moves and told.unknown else ""
    return [
        Phrase(
            f"Solved {known:,} of {len(told.nodes):,} nodes, looking at {told.looked_at:,} positions "
            f"of at most {told.limit:,}.{why}"
        )
    ]
