"""Ids of all components of the page, in one place. The JavaScript in `assets` uses the same names."""

from __future__ import annotations

from enum import Enum

from dash.dependencies import _Wildcard as Wildcard

from mcts_viz.health.finding import Finding


class Ids(str, Enum):
    """A component's id. Python 3.10 has no StrEnum; the value is the string."""

    # what the page looks at, and what it knows
    CURSOR = "cursor"
    OPENED = "trace-opened"
    THEME = "theme"
    PROVIDER = "provider"
    MESSAGE = "message"
    STATUS = "status-line"
    # bar
    TRACE = "trace-select"
    SEARCHES = "searches"
    FLEET = "fleet-link"
    NEW = "new-search-button"
    OPEN = "open-button"
    FILE = "file-input"
    EXPORT_MENU = "export-menu"
    THEME_BUTTON = "theme-button"
    HELP_BUTTON = "help-button"
    HELP = "help"
    # tree
    GRAPH = "tree-graph"
    HOVER = "hover-card"
    EMPTY = "empty-page"
    TRACE_NOTE = "trace-note"
    CRUMBS = "breadcrumbs"
    COLOUR = "colour-select"
    SIZE = "size-select"
    VIEWPOINT = "viewpoint-select"
    BUDGET = "budget-select"
    RESET = "reset-button"
    NUMBERS = "numbers-button"
    SHOW = "show-control"
    ICICLE = "icicle"
    FILTER = "filter-button"
    FILTER_CLEAR = "filter-clear"
    FILTER_LEAST = "filter-least"
    FILTER_TOP = "filter-top"
    FILTER_LEVELS = "filter-levels"
    FILTER_PV = "filter-pv"
    # node and tables
    DECISION = "decision"
    VERDICT = "verdict"
    VERDICT_CLICK = "verdict-click"
    NODE = "node-panel"
    DOCUMENT = "open-document"
    TABS = "tabs"
    CHILDREN = "children-table"
    CHILDREN_NOTE = "children-note"
    SIBLINGS = "siblings-table"
    SIBLINGS_NOTE = "siblings-note"
    STORY = "iteration-table"
    STORY_NOTE = "iteration-note"
    WHY = "why"
    WHY_WHERE = "why-where"
    WHY_NOT = "why-not"
    WHY_TICK = "why-tick"
    ROLLOUTS = "rollouts-table"
    ROLLOUTS_NOTE = "rollouts-note"
    ROLLOUTS_PLAYER = "rollouts-player"
    ROLLOUTS_PAGE = "rollouts-page"
    HEALTH = "health-panel"
    TRUTH_STRIP = "truth-strip"
    WORKER_LANES = "worker-lanes"
    FINDINGS = "findings"
    ACCEPTED = "accepted"
    ACCEPT_CLICK = "accept-click"
    BOARD = "searched-board"
    HISTORY = "history-chart"
    HISTORY_NOTE = "history-note"
    HISTORY_SCALE = "history-scale"
    HISTORY_SHOWN = "history-shown"
    NOTES = "notes"
    ORIGIN = "origin"
    # stepping
    READOUT = "iteration-readout"
    PHASE_CAPTION = "phase-caption"
    TIMELINE = "timeline"
    PLAY = "play-button"
    SPEED = "speed-select"
    # following
    FOLLOW = "follow-button"
    LIVE_NOTE = "live-note"
    # find
    FIND = "find"
    FOUND = "found"
    FIND_BUTTON = "find-button"
    FIND_TEXT = "find-text"
    FIND_GO = "find-go"
    FIND_ASKED = "find-asked"
    FIND_ERROR = "find-error"
    FIND_OFFERS = "find-offers"
    HITS = "text-hits"
    # new search
    SEARCH = "new-search"
    SEARCH_GAME = "search-game"
    SEARCH_SIZE = "search-size"
    SEARCH_SEED = "search-seed"
    SEARCH_WORKERS = "search-workers"
    SEARCH_MOVES = "search-moves"
    SEARCH_PRESET = "search-preset"
    SEARCH_RUN = "search-run"
    SEARCH_RUN_BAR = "search-run-bar"
    SEARCH_RUN_WORDS = "search-run-words"
    SEARCH_RUN_STOP = "search-run-stop"
    # compare
    COMPARE = "compare"
    COMPARE_BUTTON = "compare-button"
    COMPARE_PANEL = "compare-panel"
    COMPARE_TRACE = "compare-trace"
    COMPARE_AT = "compare-at"
    COMPARE_STEP = "compare-step"
    COMPARE_COLOUR = "compare-colour"
    COMPARE_RANK = "compare-rank"
    COMPARE_FIRST = "compare-first"
    COMPARE_CLOSE = "compare-close"
    COMPARE_GRAPH = "compare-graph"
    COMPARE_CAPTION = "compare-caption"
    COMPARE_TEXT = "compare-text"
    COMPARE_NODE = "compare-node"
    COMPARE_TABLE = "compare-table"
    # what if
    WHAT_IF = "what-if"
    WHAT_IF_BUTTON = "what-if-button"
    WHAT_IF_NOTE = "what-if-note"
    WHAT_IF_PRESET = "what-if-preset"
    WHAT_IF_SEED = "what-if-seed"
    WHAT_IF_FORCE = "what-if-force"
    WHAT_IF_FORBID = "what-if-forbid"
    WHAT_IF_RESUME = "what-if-resume"
    WHAT_IF_FROM = "what-if-from"
    WHAT_IF_MADE = "what-if-made"
    WHAT_IF_TABS = "what-if-tabs"
    # how sure
    SURE_C = "sure-c"
    SURE_SEEDS = "sure-seeds"
    SURE_ITERATIONS = "sure-iterations"
    SURE_FIGURE = "sure-figure"
    SURE_TEXT = "sure-text"
    # play
    MATCH_BUTTON = "match-button"
    MATCH_PANEL = "match-panel"
    MATCH_SETUP = "match-setup"
    MATCH_TABLE = "match-table"
    MATCH_GAME = "match-game"
    MATCH_START = "match-start"
    MATCH_FROM_NODE = "match-from-node"
    MATCH_SEED = "match-seed"
    MATCH_ERROR = "match-error"
    MATCH_BEGIN = "match-begin"
    MATCH_GO = "match-go"
    MATCH_POSITION = "match-position"
    MATCH_STATUS = "match-status"
    MATCH_LIVE = "match-live"
    MATCH_MOVES = "match-moves"
    MATCH = "match"
    MATCH_ASK = "match-ask"
    MATCH_SHOWN = "match-shown"
    MATCH_TRACE = "match-trace"
    MATCH_TICK = "match-tick"

    def __str__(self) -> str:
        return self.value


# panels with a store of the cursor of their own, beside the tabs
TOLD = ("trace", "caption", "compare")


def cursor_for(panel: str) -> str:
    """Id of the store from which a panel or a tab takes the cursor; written by assets/panels/following.js while the
    panel is in sight."""
    return f"cursor-{panel}"


def export_item(suffix: str) -> dict[str, str]:
    """Id of the Export menu's entry for a format; "trace" is the whole trace."""
    return {"type": "export-item", "format": suffix}


def step_button(step: str) -> dict[str, str]:
    """Id of a step button: "-100" … "100", "first" or "last"."""
    return {"type": "step-button", "step": step}


def phase_button(phase: str) -> dict[str, str]:
    """Id of the button that shows a phase."""
    return {"type": "phase-button", "phase": phase}


# forms that ask for a search; what they have in common has ids that begin with these
SEARCH_FORM, WHAT_IF_FORM, GRID_FORM = "search", "what-if", "sure"
SIDE_FORMS = ("match-first", "match-second")


def field(form: str, name: str) -> str:
    """Id of what several forms have: the control of a limit or of a parameter of a search, the fold
    around them ("policies"), what it says of them ("changed"); and the other parts of a side of a
    match. A test keeps these apart from `Ids`."""
    return f"{form}-{name.replace('_', '-')}"


def no_field(form: str, name: str) -> str:
    """Id of the box that says that there is no such value."""
    return f"{field(form, name)}-none"


def crumb(node: int) -> dict[str, int | str]:
    """Id of a breadcrumb."""
    return {"type": "crumb", "node": node}


def node_action(action: str) -> dict[str, str]:
    """Id of a button beside the selected node's name: "copy" or "subtree"."""
    return {"type": "node-action", "action": action}


def document_button(name: str) -> dict[str, str]:
    """Id of the button of a node's document."""
    return {"type": "document", "name": name}


def compare_button(name: str) -> dict[str, str]:
    """Id of a button that compares the open document: with the "parent"'s or the "kept" node's; "keep" keeps a node."""
    return {"type": "compare-document", "name": name}


def find_reading(node: int) -> dict[str, int | str]:
    """Id of a node that a text to be found may mean."""
    return {"type": "find-reading", "node": node}


def find_next(moves: str) -> dict[str, str]:
    """Id of a move that could follow, by the whole text with it."""
    return {"type": "find-next", "move": moves}


def verdict_test(test: object) -> dict[str, object]:
    """Id of the button that tests the verdict, by what it does."""
    return {"type": "verdict-test", "test": test}


def why_link(index: int, iteration: int | None, node: int | None) -> dict[str, int | str]:
    """Id of a link in an explanation; −1: not to an iteration, not to a node."""
    iteration, node = -1 if iteration is None else iteration, -1 if node is None else node
    return {"type": "why-link", "index": index, "iteration": iteration, "node": node}


def finding_accept(check: str | Wildcard, what: str) -> dict[str, str | Wildcard]:
    """Id of what accepts the findings of a check: the "reason" written, "accept", or "undo"."""
    return {"type": f"finding-{what}", "check": check}


def finding_link(finding: Finding) -> dict[str, str]:
    """Id of the button that goes to a finding: its check, iteration and node; empty where it has
    none."""
    place = ("" if number is None else str(number) for number in (finding.iteration, finding.node))
    return {"type": "finding-link", "place": " ".join([finding.check, "/".join(place)])}
