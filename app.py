"""The page on the bundled searches: `python app.py`, or `python app.py FILE|FOLDER …` on your own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mcts_viz import page
from mcts_viz.cli.show import access_of, add_options
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
        access = access_of(options)
        sources = options.sources or [FIRST, SAMPLES]
        store = None if options.sources else page.store_folder()
        app = page.make_app(
            sources,
            store,
            access=access,
            max_upload=options.max_upload << 20,
            memory=options.memory,
            midway=not options.sources,
        )
        page.serve(app, options.port, not options.no_browser, host=options.host, token=access.token)
    except MctsVizError as err:
        print(f"app.py: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
