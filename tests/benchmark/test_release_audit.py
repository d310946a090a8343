"""``riskchain audit sites`` finds what was planted, and finds nothing in what was built."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.benchmark.audit import audit_release
from riskchain_gym.benchmark.release_manifest import SplitRecord, content_sha256

Row = dict[str, Any]


def statuses(folder: Path) -> dict[str, str]:
    return {result.name: result.status for result in audit_release(folder, certificates=None)}


def replant(folder: Path, split: str, file: str, change: Callable[[Row], None]) -> None:
    """Change the first row of a file and pin the file anew, as one who forges a release would."""
    path = folder / split / file
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(rows[0])
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(data)
    found = hashlib.sha256(data).hexdigest()
    own = json.loads((folder / split / "manifest.json").read_bytes())
    own["sha256"][file] = found
    (folder / split / "manifest.json").write_text(json.dumps(own), encoding="utf-8")
    whole = json.loads((folder / "manifest.json").read_bytes())
    whole["splits"][split]["sha256"][file] = found
    splits = {name: SplitRecord(**record) for name, record in whole["splits"].items()}
    whole["content_sha256"] = content_sha256(whole["sha256"], splits)
    (folder / "manifest.json").write_text(json.dumps(whole), encoding="utf-8")


def test_what_was_built_passes(folder: Path) -> None:
    found = statuses(folder)
    assert set(found.values()) == {"PASS"}
    assert list(found) == ["files", "numbers", "pool", "apart", "ids", "public", "certificates"]


def test_a_changed_byte_is_found_and_nothing_else_is_read(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "r")
    path = tmp_path / "r" / "dev" / "public.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    found = statuses(tmp_path / "r")
    assert found["files"] == "FAIL"
    assert set(found.values()) == {"FAIL", "SKIPPED"}


def _label(row: Row) -> None:
    row["site"]["decision"], row["site"]["violation_type"] = "INSUFFICIENT_EVIDENCE", "UNKNOWN"


def _host(row: Row) -> None:
    row["site"]["host_family"] = "elsewhere"


def _page(row: Row) -> None:
    row["site"]["pages"]["/"]["title"] = "another"


def _word(row: Row) -> None:
    row["site"]["slogan"] = "VIOLATION"


def _path(row: Row) -> None:
    row["site"]["path"] = []


@pytest.mark.parametrize(
    ("file", "change", "check"),
    [
        ("gold.jsonl", _label, "numbers"),
        ("gold.jsonl", _host, "pool"),
        ("public.jsonl", _page, "certificates"),
        ("gold.jsonl", _path, "certificates"),
        ("public.jsonl", _word, "public"),
    ],
)
def test_a_forged_row_is_found(
    folder: Path, tmp_path: Path, file: str, change: Callable[[Row], None], check: str
) -> None:
    shutil.copytree(folder, tmp_path / "r")
    replant(tmp_path / "r", "train", file, change)
    found = statuses(tmp_path / "r")
    assert found["files"] == "PASS"
    assert found[check] == "FAIL"


def test_an_entry_that_comes_twice_and_a_shared_host_are_found(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "r")
    gold = json.loads((folder / "train" / "gold.jsonl").read_bytes().splitlines()[0])

    def steal(row: Row) -> None:
        row["message"]["entry"] = gold["message"]["entry"]
        row["site"]["host_family"] = gold["site"]["host_family"]

    replant(tmp_path / "r", "dev", "gold.jsonl", steal)
    result = next(r for r in audit_release(tmp_path / "r") if r.name == "apart")
    assert result.breaches == 2
    assert any("its entry is that of" in offender for offender in result.offenders)
    assert any("its host family is in" in offender for offender in result.offenders)
