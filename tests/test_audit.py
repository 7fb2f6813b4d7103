"""The audit of the libraries ends with 1 for a known hole alone, never for want of a network."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / "scripts/audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(name: str, *holes: str) -> dict[str, Any]:
    found = [{"id": hole, "fix_versions": ["2.0"]} for hole in holes]
    return {"name": name, "version": "1.0", "vulns": found}


def test_a_known_hole_is_named_with_its_mend(
    audit: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = json.dumps({"dependencies": [library("good"), library("bad", "CVE-1", "CVE-2")]})
    assert audit.said(answer, "") == 1
    assert "bad 1.0: CVE-1, mended in 2.0\n" in capsys.readouterr().out
    monkeypatch.setattr(audit, "ACCEPTED", {"CVE-1": "not called", "CVE-2": "not called"})
    assert audit.said(answer, "") == 0


@pytest.mark.parametrize("answer", ["", "rubbish", "[]", "{}"])
def test_without_a_network_it_says_so_and_is_content(
    answer: str, audit: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.said(answer, "Name or service not known") == 0
    assert capsys.readouterr().out == "Libraries were not audited: Name or service not known\n"


def test_no_answer_in_time_is_no_failure(
    audit: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*arguments: Any, **options: Any) -> None:
        raise subprocess.TimeoutExpired("pip_audit", 120)

    monkeypatch.setattr(subprocess, "run", late)
    assert audit.main() == 0
    assert "not audited: no answer within 120 s" in capsys.readouterr().out


def test_what_the_index_does_not_know_is_counted(
    audit: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = {"name": "x", "skip_reason": "not found"}
    assert audit.said(json.dumps({"dependencies": [library("good"), unknown]}), "") == 0
    assert "1 libraries audited, 0 known holes; of 1 the package index here tells nothing" in (
        capsys.readouterr().out
    )


def test_make_check_asks() -> None:
    assert "scripts/audit.py" in (ROOT / "Makefile").read_text(encoding="utf-8")
