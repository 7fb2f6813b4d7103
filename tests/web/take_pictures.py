"""Takes the pictures in tests/web/pictures/ anew: `python -m tests.web.take_pictures`, when views have changed on
purpose. Look at them before they are committed; names of views after it take these alone.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests import chromium
from tests.conftest import new_context
from tests.web import picture
from tests.web.recordings import record_all
from tests.web.screen import Screen, served
from tests.web.views import PICTURES, VIEWS, go_to, record_other


def main(names: list[str]) -> int:
    """Write the pictures of the views of these names, of all without one."""
    unknown = [name for name in names if name not in VIEWS]
    if unknown:
        print(f"no such view: {', '.join(unknown)}; there are {', '.join(VIEWS)}", file=sys.stderr)
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        record_all(folder)
        record_other(folder)
        browser = chromium.launch(playwright)
        with served(folder) as site:
            for name in names or VIEWS:
                with new_context(browser) as context:
                    screen = Screen(context.new_page(), site)
                    go_to(screen, VIEWS[name])
                    taken = picture.shrink(screen.page, picture.take(screen.page))
                path = PICTURES / f"{name}.png"
                Image.open(io.BytesIO(taken.png)).save(path, optimize=True)
                print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size / 1000:,.0f} kB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
