"""Ids of all components of the page, in one place. The JavaScript in `assets` uses the same names."""

from __future__ import annotations

from enum import Enum

from mcts_viz.analysis.health.finding import Finding


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
    TRACE_NOTE = "trace-note"
    CRUMBS = "breadcrumbs"
    COLOUR = "colour-select"
    SIZE = "size-select"
    BUDGET = "budget-select"
    RESET = "reset-button"
    # node and tables
    DECISION = "decision"
    NODE = "node-panel"
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
    HEALTH = "health-panel"
    # stepping
    READOUT = "iteration-readout"
    TIMELINE = "timeline"
    PLAY = "play-button"
    SPEED = "speed-select"
    # find
    FIND = "find"
    FIND_BUTTON = "find-button"
    FIND_TEXT = "find-text"
    FIND_GO = "find-go"
    FIND_ERROR = "find-error"
    # new search
    SEARCH = "new-search"
    SEARCH_GAME = "search-game"
    SEARCH_SIZE = "search-size"
    SEARCH_ITERATIONS = "search-iterations"
    SEARCH_SECONDS = "search-seconds"
    SEARCH_NODES = "search-nodes"
    SEARCH_MEMORY = "search-memory"
    SEARCH_DECIDED = "search-decided"
    SEARCH_SEED = "search-seed"
    SEARCH_MOVES = "search-moves"
    SEARCH_PRESET = "search-preset"
    SEARCH_POLICIES = "search-policies"
    SEARCH_CHANGED = "search-changed"
    SEARCH_START = "search-start"
    SEARCH_GO = "search-go"
    SEARCH_STOP = "search-stop"
    SEARCH_ERROR = "search-error"
    SEARCH_BAR = "search-bar"
    SEARCH_PROGRESS = "search-progress"
    SEARCH_JOB = "search-job"
    SEARCH_TICK = "search-tick"
    # play
    MATCH_BUTTON = "match-button"
    MATCH_PANEL = "match-panel"
    MATCH_SETUP = "match-setup"
    MATCH_TABLE = "match-table"
    MATCH_GAME = "match-game"
    MATCH_FIRST = "match-first"
    MATCH_FIRST_BUDGET = "match-first-budget"
    MATCH_FIRST_UNIT = "match-first-unit"
    MATCH_FIRST_C = "match-first-c"
    MATCH_FIRST_ENGINE = "match-first-engine"
    MATCH_SECOND = "match-second"
    MATCH_SECOND_BUDGET = "match-second-budget"
    MATCH_SECOND_UNIT = "match-second-unit"
    MATCH_SECOND_C = "match-second-c"
    MATCH_SECOND_ENGINE = "match-second-engine"
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


def export_item(suffix: str) -> dict[str, str]:
    """Id of the Export menu's entry for a format; "trace" is the whole trace."""
    return {"type": "export-item", "format": suffix}


def step_button(step: str) -> dict[str, str]:
    """Id of a step button: "-100" … "100", "first" or "last"."""
    return {"type": "step-button", "step": step}


def parameter(name: str) -> str:
    """Id of the control for a parameter of a new search; a test keeps these apart from `Ids`."""
    return "search-" + name.replace("_", "-")


def no_parameter(name: str) -> str:
    """Id of the box that says that there is no such value."""
    return f"{parameter(name)}-none"


def crumb(node: int) -> dict[str, int | str]:
    """Id of a breadcrumb."""
    return {"type": "crumb", "node": node}


def why_link(index: int, iteration: int | None, node: int | None) -> dict[str, int | str]:
    """Id of a link in an explanation; −1: not to an iteration, not to a node."""
    iteration, node = -1 if iteration is None else iteration, -1 if node is None else node
    return {"type": "why-link", "index": index, "iteration": iteration, "node": node}


def finding_link(finding: Finding) -> dict[str, str]:
    """Id of the button that goes to a finding: its check, iteration and node; empty where it has
    none."""
    place = ("" if number is None else str(number) for number in (finding.iteration, finding.node))
    return {"type": "finding-link", "place": " ".join([finding.check, "/".join(place)])}
