"""The tab *Board*: the position as a picture of the search, and the line expected from there. Of a game without a
board, the moves as bars."""

from __future__ import annotations

from dash import Dash, Input, Output, html

from mcts_viz.games.position import board_after
from mcts_viz.games.rules import Board
from mcts_viz.views.board import cell_box, move_box
from mcts_viz.web.cursor import Cursor, Place, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Attributes, Content, Part, aria, data
from mcts_viz.web.panels.node import not_yet
from mcts_viz.web.panels.tabs.children import view_note
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.searched import Legal, expected_line, legal_moves
from mcts_viz.web.words import count, number, percent, plural

NAME = "board"
RESULTS = {"W": "wins by perfect play", "D": "draws by perfect play", "L": "loses by perfect play"}
MOST_BARS = 60
KEY = "size: visits · colour: mean value · ★ {star} · → selected next · dotted: not tried · W D L: by perfect play"


def body() -> Part:
    """An empty tab; the callback fills it."""
    return html.Div(
        id=Ids.BOARD, className="searched", tabIndex=0, **aria("the board with the moves")
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab."""

    @app.callback(
        Output(Ids.BOARD, "children"),
        Input(cursor_for(NAME), "data"),
        prevent_initial_call=True,
    )
    def board(cursor: Cursor | None) -> Content:
        return searched(library, place(library, cursor))


def searched(library: Library, here: Place) -> Content:
    """The board, or bars, beside the line."""
    if not here.node_exists:
        return not_yet(here)
    moves = legal_moves(library, here.key, here.snapshot, here.node, here.theme, here.view)
    if not moves:
        return html.P("The game is over here, or no move has been tried.", className="dim")
    meta = here.trace.meta
    picture = board_after(
        meta.game.name, library.actions(here.trace, here.node), meta.players or ()
    )
    key = KEY.format(star=star_words(here)) if picture else ""
    note = html.P(f"{view_note(here, here.node)} {key}", className="dim searched-note")
    solved = library.truths.known(here.key, here.trace) is not None
    shown = bars(here, moves) if picture is None else clickable(here, moves, picture, solved)
    beside = html.Div(line(here, picture is not None), className="searched-line")
    return html.Div([shown, beside, note], className="searched-parts")


def clickable(here: Place, moves: list[Legal], board: Board, solved: bool) -> Part:
    """The board with a button over each move that leads to its child."""
    t = here.snapshot.iteration
    looks = f"theme={here.theme}&t={t}&viewpoint={here.viewpoint}&numbers=1"
    address = f"api/trace/{here.key}/board/{here.node}.svg?{looks}"
    cell = cell_box(board, 0)
    shape = cell.height / cell.width
    buttons = [
        html.Button(
            className="searched-move",
            style={
                side: f"{100 * share:.3f}%"
                for side, share in move_box(board, move.cell)._asdict().items()
            },
            **asks(here, move),
        )
        for move in moves
        if move.cell is not None
    ]
    picture = html.Img(
        src=f"{address}&truth=1" if solved else address,
        alt="the position with the moves of the search",
        style={"aspectRatio": f"{shape:.6f}"},
    )
    return html.Div(
        [picture, *buttons],
        className="searched-board",
        style={"aspectRatio": f"{shape:.6f}", "--shape": f"{shape:.4f}"},
    )


def bars(here: Place, moves: list[Legal]) -> Part:
    """The moves below each other, each with a bar as long as its share of the visits; of many the most visited ones."""
    tried = [(move, move.row) for move in moves if move.row is not None]
    shown = sorted(tried, key=lambda each: (not each[1].chosen, -each[1].visits))[:MOST_BARS]
    left = len(tried) - len(shown)
    rows = [
        html.Button(
            className="searched-bar",
            children=[
                html.Span(
                    ("★" if row.chosen else "") + ("→" if row.next_selected else ""),
                    className="star",
                ),
                html.Span(move.name, className="searched-name"),
                html.Span(
                    html.I(
                        style={"width": f"{100 * (row.share or 0):.1f}%", "background": move.fill}
                    ),
                    className="searched-track",
                ),
                html.Span(f"{count(row.visits)} · {number(row.mean_value, 2)}"),
            ],
            **asks(here, move),
        )
        for move, row in (tried if not left else shown)
    ]
    more = html.P(f"+{count(left)} more, in the table of children", className="dim")
    untried = [move.name for move in moves if move.row is None]
    names = ", ".join(untried[:MOST_BARS]) + (" …" if len(untried) > MOST_BARS else "")
    said = html.P(f"Not tried: {names}.", className="dim") if untried else None
    return html.Div([*rows, more if left else None, said], className="searched-bars")


def asks(here: Place, move: Legal) -> Attributes:
    """What a button of a move says, and where it goes."""
    words = told(here, move)
    where: Attributes = (
        {"disabled": True} if move.row is None else data("select", str(move.row.node))
    )
    return {**where, **data("tip", words), **aria(words)}


def told(here: Place, move: Legal) -> str:
    """A move's numbers, as the table of children has them."""
    row = move.row
    if row is None:
        return f"{move.name}: not tried yet"
    said = [
        f"{move.name}: {plural(row.visits, 'visit')} ({percent(row.share)})",
        f"mean {number(row.mean_value)}",
    ]
    if row.prior is not None:
        said.append(f"prior {number(row.prior, 3)}")
    if row.score is not None or row.comes_first:
        said.append(f"score {'∞' if row.comes_first else number(row.score)}")
    if row.next_selected:
        said.append("would be selected next")
    if row.chosen:
        said.append(star_words(here))
    if move.truth:
        said.append(RESULTS[move.truth])
    return ", ".join(said)


def star_words(here: Place) -> str:
    """What the star says: before the end of the search another move may yet be played."""
    if here.snapshot.iteration < here.trace.n_iterations:
        return "leads so far"
    if here.snapshot.played is not None and here.snapshot.played == here.snapshot.best_action:
        return "was played"
    is_known = here.trace.meta.policies.final_move.is_known
    return "would be played" if is_known else "most visited"


def line(here: Place, has_board: bool) -> list[Part]:
    """The line expected, numbered on the board, and its moves in words, each a way to its node."""
    nodes = expected_line(here.snapshot, here.node)
    if not nodes:
        return []
    address = (
        f"api/trace/{here.key}/line/{here.node}.svg?theme={here.theme}&t={here.snapshot.iteration}"
    )
    numbered = html.Img(src=address, alt="the expected line, numbered on the board")
    steps: list[Part] = []
    for n, node in enumerate(nodes, 1):
        name = f"{n} {here.snapshot.short_label(node)}"
        steps += [html.Button(name, className="why-link", **data("select", str(node))), " "]
    return [html.H3("Expected line"), numbered if has_board else None, html.P(steps)]


TAB = Tab(NAME, "Board", body, register)
