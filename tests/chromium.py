"""The Chromium that the browser tests drive: which one, how it is started, and how to get one.

`python -m tests.chromium` installs one where none is found; `make test` does that before it runs
the tests. `python -m tests.chromium package` gets Debian's alone, and needs no package of Python's.
Knows nothing of the page.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Debian's package can be had before Python's are there
    from playwright.sync_api import Browser, BrowserContext, Playwright

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# No sandbox, as a container's root cannot have one; no GPU, as a canvas drawn through software GL
# is twenty times slower than one drawn without; and no calls home.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
)

REMEDY = "`make test` gets one, or by hand: `apt install chromium`, `playwright install chromium`."


def installed_chromium() -> str | None:
    """The path of a Chromium or Chrome of this machine that starts; None if there is none."""
    for command in COMMANDS:
        path = shutil.which(command)
        if path is not None and _starts(path):
            return path
    return None


def launch(playwright: Playwright) -> Browser:
    """A new browser: this machine's own, else the one that Playwright downloaded."""
    return playwright.chromium.launch(executable_path=installed_chromium(), args=list(ARGUMENTS))


def launch_with_profile(playwright: Playwright, profile: Path, **options: Any) -> BrowserContext:
    """A new browser whose only context keeps what it learns in a folder. That holds the page's scripts
    as compiled: with them, a page opens in two thirds of the time."""
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=installed_chromium(), args=list(ARGUMENTS), **options
    )


def _starts(path: str) -> bool:
    # Ubuntu's command of that name may be a stub that only says how to get the real one
    try:
        finished = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return finished.returncode == 0


def _driver_starts() -> bool:
    """Playwright's own program, which talks to the browser."""
    command = [sys.executable, "-m", "playwright", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _is_there() -> bool:
    if installed_chromium() is not None:
        return True
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (comes with the requirements)

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def _as_root(*command: str) -> None:
    """Run the command as root, through sudo if need be; its failure shows in what is missing then."""
    if os.geteuid() != 0:
        command = ("sudo", *command)
    if shutil.which(command[0]) is not None:
        print("$", " ".join(command), flush=True)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def _install_debian_packages(*packages: str) -> None:
    _as_root("apt-get", "update", "-qq")
    _as_root("apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages)


def _is_debian() -> bool:
    release = Path("/etc/os-release")
    return release.exists() and "ID=debian" in release.read_text(encoding="utf-8").split()


def install_package() -> None:
    """Get Debian's Chromium on Debian, where there is none."""
    if installed_chromium() is None and _is_debian():
        print("No Chromium found; installing Debian's package ...", flush=True)
        _install_debian_packages("chromium")


def install() -> None:
    """Get Debian's Chromium on Debian; elsewhere, or if that fails, the one that Playwright offers."""
    if not _driver_starts() and shutil.which("apt-get") is not None:
        print("Playwright does not start; installing the library that it needs ...", flush=True)
        _install_debian_packages("libatomic1")
    install_package()
    if _driver_starts() and not _is_there():
        print("No Chromium found; downloading the one that Playwright offers ...", flush=True)
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        if sys.platform == "linux" and os.geteuid() == 0:
            command.insert(-1, "--with-deps")
        subprocess.run(command, check=False)


def main() -> int:
    if sys.argv[1:] == ["package"]:
        install_package()
    elif not (_driver_starts() and _is_there()):
        install()
        if not (_driver_starts() and _is_there()):
            print(f"The browser tests need a Chromium; none was found. {REMEDY}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
