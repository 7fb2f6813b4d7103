"""The Chromium that the browser tests drive: which one, how it is started, and how to get one.

`python -m tests.chromium` installs one where none is found; `make test` does that before it runs
the tests. Knows nothing of the page.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, Playwright, sync_playwright

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

REMEDY = "Install one with `make test`, or by hand: `playwright install chromium`."


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


def _starts(path: str) -> bool:
    # Ubuntu's command of that name may be a stub that only says how to get the real one
    try:
        finished = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return finished.returncode == 0


def _is_there(chromium: BrowserType) -> bool:
    return installed_chromium() is not None or Path(chromium.executable_path).exists()


def _as_root(*command: str) -> bool:
    """Whether the command ran, as root or through sudo, and succeeded."""
    if os.geteuid() != 0:
        sudo = shutil.which("sudo")
        if sudo is None:
            return False
        command = (sudo, *command)
    print("$", " ".join(command), flush=True)
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def _debian_has_chromium() -> bool:
    release = Path("/etc/os-release")
    return (
        shutil.which("apt-get") is not None
        and release.exists()
        and "ID=debian" in release.read_text(encoding="utf-8").split()
    )


def install(chromium: BrowserType) -> bool:
    """Get Debian's Chromium on Debian, Playwright's elsewhere. Whether there is one now."""
    if _debian_has_chromium():
        print("No Chromium found; installing Debian's package ...", flush=True)
        _as_root("apt-get", "update", "-qq")
        _as_root("apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium")
        if _is_there(chromium):
            return True
    print("No Chromium found; downloading Playwright's own ...", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    if sys.platform == "linux" and os.geteuid() == 0:
        command.insert(-1, "--with-deps")
    subprocess.run(command, check=False)
    return _is_there(chromium)


def main() -> int:
    with sync_playwright() as playwright:
        if _is_there(playwright.chromium) or install(playwright.chromium):
            return 0
    print(
        f"The browser tests need a Chromium, and none could be installed. {REMEDY}", file=sys.stderr
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
