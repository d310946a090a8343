"""The whole pool of the public seed: its bytes are pinned, and the audit finds nothing."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from riskchain_gym.benchmark.audit import audit_release
from riskchain_gym.benchmark.quotas import candidates
from riskchain_gym.benchmark.release import Release, build_release, pool_key
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.release_manifest import load_release
from riskchain_gym.benchmark.selection import select
from riskchain_gym.benchmark.splits import GOLD, PUBLIC, split_dir
from riskchain_gym.protocol.codebook import CONCRETE_TYPES
from riskchain_gym.protocol.keyed import key_from_seed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SEED = 2026
CONTENT_SHA256 = "bb6bbe2e614d883c574ddd817c07dd531756516aa5cdb41004248e0a9d470079"
"""Of everything that `riskchain build sites --seed 2026` writes."""


@pytest.fixture(scope="module")
def full() -> Release:
    return build_release(key_from_seed(SEED), worker_count=2)


@pytest.fixture(scope="module")
def full_folder(full: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    write_release(folder, full, seed=SEED, key_commitment=None)
    return folder


def test_its_bytes_are_pinned(full_folder: Path) -> None:
    assert load_release(full_folder).content_sha256 == CONTENT_SHA256


def test_the_shipped_split_is_a_part_of_it(full_folder: Path) -> None:
    for name in (PUBLIC, GOLD):
        assert (full_folder / "mini" / name).read_bytes() == (split_dir("mini") / name).read_bytes()


def test_the_selection_has_the_published_numbers(full: Release) -> None:
    rows = [chain.row for chain in full.splits["test"]]
    hosts = Counter(row.host_family for row in rows)
    assert len(full.pool) == 2500
    assert (len(rows), len(hosts)) == (600, 339)
    assert max(hosts.values()) <= 8
    assert sum(row.click_replay for row in rows) == 595
    assert sum(row.stateful for row in rows) == 333
    assert sorted(Counter(row.decision for row in rows).values()) == [25, 181, 394]


def test_the_other_splits_have_their_sizes_and_all_types(full: Release) -> None:
    sizes = {name: len(chains) for name, chains in full.splits.items()}
    assert sizes == {"test": 600, "hard": 600, "train": 800, "dev": 400, "ood": 300, "mini": 24}
    for name in ("test", "train", "dev", "mini"):
        assert {chain.row.violation_type for chain in full.splits[name]} >= set(CONCRETE_TYPES), name


def test_both_solvers_agree_within_the_time(full: Release) -> None:
    pytest.importorskip("highspy")
    assert full.quotas is not None
    assert full.selection is not None
    rows = candidates([site.row for site in full.pool])
    key = pool_key(key_from_seed(SEED))
    began = time.monotonic()
    assert select(rows, full.quotas, key) == full.selection
    assert time.monotonic() - began < 60
    assert select(rows, full.quotas, key, "highs").site_ids == full.selection.site_ids


def test_the_audit_finds_nothing_and_every_certificate_holds(full_folder: Path) -> None:
    results = audit_release(full_folder, certificates=None)
    assert [result for result in results if result.status != "PASS"] == []
