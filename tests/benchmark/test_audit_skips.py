"""A check of ``riskchain audit sites`` that is skipped says why, and what to do to have it run."""

from __future__ import annotations

from pathlib import Path

from build_sites import build

from riskchain_gym.benchmark.audit import audit_release
from riskchain_gym.sites.library import Library


def skipped(folder: Path) -> dict[str, str]:
    return {each.name: each.looked_at for each in audit_release(folder) if each.status == "SKIPPED"}


def test_without_a_pool_the_audit_says_how_to_build_one(content: Library, tmp_path: Path) -> None:
    build(content.root, tmp_path / "out", "--seed", 5)
    found = skipped(tmp_path / "out")
    assert set(found) == {"pool", "pairing"}
    assert "`riskchain build sites --seed 5` without --only or with another split than 'mini'" in found["pairing"]
    assert "it has one when built without --only" in found["pool"]


def test_a_sealed_release_says_who_can_check_its_pairing(content: Library, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    build(content.root, tmp_path / "out", "--key-file", tmp_path / "key")
    assert (
        "whoever holds its secret builds it again with `riskchain build sites --key-file`"
        in skipped(tmp_path / "out")["pairing"]
    )


def test_when_a_file_is_not_the_pinned_one_the_audit_says_what_comes_first(content: Library, tmp_path: Path) -> None:
    build(content.root, tmp_path / "out", "--seed", 5)
    with (tmp_path / "out" / "mini" / "gold.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert "mend what `files` names" in skipped(tmp_path / "out")["pairing"]
