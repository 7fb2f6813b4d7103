"""Asks whether the installed libraries have known holes; `make check` runs it.

A hole ends it with code 1, unless `ACCEPTED` names it with a reason. Without a network, or where the package index does
not answer such questions, it says so and ends with 0: a check must not fail because a train has no signal.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

LONGEST = 120  # seconds, for all answers
COMMAND = [sys.executable, "-m", "pip_audit", "--local", "--format", "json"]
OPTIONS = ["--progress-spinner", "off", "--timeout", "10"]
ACCEPTED: dict[str, str] = {}  # the hole's name: why it does not matter here


def main() -> int:
    """Exit code: 1 where there is a hole."""
    try:
        ran = subprocess.run([*COMMAND, *OPTIONS], capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return said(None, f"no answer within {LONGEST} s")
    why = (ran.stderr.strip().splitlines() or ["no answer"])[-1]
    return said(ran.stdout, why)


def said(answer: str | None, why: str) -> int:
    """Print what pip-audit has found out, or why it has not; the exit code."""
    try:
        libraries: list[dict[str, Any]] = json.loads(answer or "")["dependencies"]
    except (ValueError, KeyError, TypeError):
        print(f"Libraries were not audited: {why}")
        return 0
    asked = [each for each in libraries if "skip_reason" not in each]
    if not asked:
        print("Libraries were not audited: the package index here tells nothing of them")
        return 0
    holes = [
        f"{each['name']} {each['version']}: {hole['id']}, mended in {_versions(hole)}"
        for each in asked
        for hole in each["vulns"]
        if hole["id"] not in ACCEPTED
    ]
    unknown = len(libraries) - len(asked)
    beside = f"; of {unknown} the package index here tells nothing" if unknown else ""
    print(f"{len(asked)} libraries audited, {len(holes)} known holes{beside}")
    print("".join(f"  {hole}\n" for hole in holes), end="")
    return 1 if holes else 0


def _versions(hole: dict[str, Any]) -> str:
    return ", ".join(hole["fix_versions"]) or "no version yet"


if __name__ == "__main__":
    sys.exit(main())
