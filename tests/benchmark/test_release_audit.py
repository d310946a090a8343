"""``riskchain audit sites`` finds what was planted, and finds nothing in what was built."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from forging import Row, first, offenders, remanifest, replant, statuses

from riskchain_gym.benchmark.audit import audit_release
from riskchain_gym.protocol.gold import SiteGold


@pytest.fixture
def forged(folder: Path, tmp_path: Path) -> Path:
    """A copy of the small release, to be changed."""
    shutil.copytree(folder, tmp_path / "r")
    return tmp_path / "r"


def test_what_was_built_passes(folder: Path) -> None:
    found = statuses(folder, certificates=None)
    assert set(found.values()) == {"PASS"}
    assert list(found) == [
        "files", "strays", "numbers", "pool", "apart", "ids", "public", "messages", "pairing", "certificates",
    ]  # fmt: skip


def test_the_audit_says_what_it_cannot_prove(folder: Path, forged: Path) -> None:
    said = next(result.looked_at for result in audit_release(folder) if result.name == "certificates")
    assert (
        said
        == "certificates walked of 76; 74 sites of the pool are in no split here, only building again proves theirs"
    )
    shutil.rmtree(forged / "dev")
    assert "dev/public.jsonl: is missing" in offenders(forged, "files")


def test_a_changed_byte_is_found_and_nothing_else_is_read(forged: Path) -> None:
    path = forged / "dev" / "public.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    found = statuses(forged)
    assert found["files"] == "FAIL"
    assert {status for name, status in found.items() if name not in ("files", "strays")} == {"SKIPPED"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda own: own.update(split="test"), "is of another split"),
        (lambda own: own.update(seed=6), "is of another split, origin or seed"),
        (lambda own: own.update(chains=3), "another number of chains"),
        (lambda own: own["sha256"].update({"gold.jsonl": "0" * 64}), "other hashes"),
        (lambda own: own.update(decisions={"VIOLATION": 15}), "counts labels as"),
        (lambda own: own.update(more=1), "is malformed (more"),
    ],
)
def test_a_splits_own_manifest_is_held_against_the_releases(
    forged: Path, change: Callable[[Row], object], said: str
) -> None:
    remanifest(forged / "dev", change)
    (found,) = offenders(forged, "files")
    assert found.startswith("dev/manifest.json: ")
    assert said in found


@pytest.mark.parametrize("stray", ["secret.key", "train/notes.txt", ".pool.jsonl.abc", "own/manifest.json"])
def test_whatever_is_no_part_of_it_is_named(forged: Path, stray: str) -> None:
    (forged / stray).parent.mkdir(exist_ok=True)
    (forged / stray).write_text("the secret", encoding="utf-8")
    assert f"{stray}: is no part of the release" in offenders(forged, "strays")
    assert offenders(forged, "pairing") == ()


SITE = {
    "decision": "INSUFFICIENT_EVIDENCE",
    "violation_type": "UNKNOWN",
    "family": "core9",
    "archetype": "core9-v",
    "host_family": "elsewhere",
    "gates": ["slider"],
    "depth": "D3",
    "difficulty": "hard",
    "click_replay": None,
    "track": None,
    "lang": None,
    "path": [],
    "site_id": "abcdefghijkl",
}


@pytest.mark.parametrize("field", SITE)
def test_a_changed_field_of_the_gold_is_not_what_its_row_says(forged: Path, field: str) -> None:
    others = {
        "click_replay": lambda value: not value,
        "track": lambda value: "L2_OBSERVATION" if value == "L3_STATEFUL" else "L3_STATEFUL",
        "lang": lambda value: "mixed" if value == "zh-CN" else "zh-CN",
        "difficulty": lambda value: "easy" if value == "hard" else "hard",
        "depth": lambda value: "D0" if value == "D3" else "D3",
    }
    assert field in SiteGold.model_fields

    def change(row: Row) -> None:
        site = row["site"]
        if field == "decision":
            site["decision"], site["violation_type"] = SITE["decision"], "UNKNOWN"
        else:
            site[field] = others[field](site[field]) if field in others else SITE[field]

    replant(forged, "train/gold.jsonl", first(change))
    assert offenders(forged, "pool")


@pytest.mark.parametrize("field", ["click_replay", "difficulty", "decision"])
def test_a_field_that_row_and_gold_both_have_wrong_is_not_what_is_counted(forged: Path, field: str) -> None:
    value = {"click_replay": False, "difficulty": "hard", "decision": "NON_VIOLATION"}[field]
    site_ids: list[str] = []

    def in_gold(rows: list[Row]) -> None:
        row = next(row for row in rows if row["site"][field] != value)
        row["site"][field] = value
        site_ids.append(row["site"]["site_id"])

    def in_pool(rows: list[Row]) -> None:
        next(row for row in rows if row["site_id"] == site_ids[0])[field] = value

    replant(forged, "train/gold.jsonl", in_gold)
    replant(forged, "pool.jsonl", in_pool)
    found = statuses(forged)
    assert (found["files"], found["numbers"], found["pool"]) == ("PASS", "FAIL", "FAIL")


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("pool.jsonl", lambda rows: rows[0].update(sha256="0" * 64)),
        ("pool.jsonl", lambda rows: rows[0].update(stratum="sector9")),
        ("pool.jsonl", lambda rows: rows[0].update(steps=17)),
        ("pool.jsonl", lambda rows: rows[0].update(host="h9999")),
        ("pool.jsonl", lambda rows: rows.pop()),
        ("pool.jsonl", lambda rows: rows.append(rows[0])),
        ("certificates.jsonl", lambda rows: rows.pop()),
        ("certificates.jsonl", lambda rows: rows.append(rows[0])),
        ("certificates.jsonl", lambda rows: rows[-1].update(site_sha256="0" * 64)),
    ],
)
def test_rows_of_the_pool_and_certificates_must_fit(
    forged: Path, file: str, change: Callable[[list[Row]], object]
) -> None:
    replant(forged, file, change)
    assert offenders(forged, "pool")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda record: record.update(sha256="0" * 64), "not the ones whose hash"),
        (lambda record: record.update(runner_up=record["weight"]), "runner-up weighs"),
    ],
)
def test_the_record_of_the_selection_is_checked(forged: Path, change: Callable[[Row], object], said: str) -> None:
    remanifest(forged, lambda whole: change(whole["selection"]))
    (found,) = offenders(forged, "numbers")
    assert said in found


def _page(row: Row) -> None:
    row["site"]["pages"]["/"]["title"] = "another"


def _path(row: Row) -> None:
    row["site"]["path"] = []


@pytest.mark.parametrize(("file", "change"), [("public.jsonl", _page), ("gold.jsonl", _path)])
def test_a_certificate_of_another_site_or_way_is_found(forged: Path, file: str, change: Callable[[Row], None]) -> None:
    replant(forged, f"train/{file}", first(change))
    assert offenders(forged, "certificates")


def test_an_entry_that_comes_twice_and_a_shared_host_are_found(forged: Path) -> None:
    golds: list[Row] = []
    replant(forged, "train/gold.jsonl", lambda rows: golds.append(rows[0]))

    def steal(row: Row) -> None:
        row["message"]["entry"] = golds[0]["message"]["entry"]
        row["site"]["host_family"] = golds[0]["site"]["host_family"]

    replant(forged, "dev/gold.jsonl", first(steal))
    found = offenders(forged, "apart")
    assert len(found) == 2
    assert any("its entry is that of" in offender for offender in found)
    assert any("its host family is in" in offender for offender in found)
