"""The page on the bundled searches: `python app.py`, or `python app.py FILE|FOLDER …` on your own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mcts_viz import page
from mcts_viz.cli.show import add_options
from mcts_viz.errors import MctsVizError

SAMPLES = Path(__file__).resolve().parent / "samples"
FIRST = SAMPLES / "connect_four_5000.mcts"  # open when the page is


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the page until interrupted."""
    parser = argparse.ArgumentParser(description="Step through Monte Carlo tree searches.")
    parser.add_argument("sources", nargs="*", metavar="FILE|FOLDER", help="default: the samples")
    add_options(parser)
    options = parser.parse_args(arguments)
    try:
        if options.sources:
            app = page.make_app(options.sources)
        else:
            app = page.make_app([FIRST, SAMPLES], store=page.store_folder())
        page.serve(app, options.port, browser=not options.no_browser)
    except MctsVizError as err:
        print(f"app.py: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
