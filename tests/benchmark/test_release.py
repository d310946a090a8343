"""A small pool through every step: what its splits hold, and that only the key decides it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import gymnasium as gym
import pytest
from pool_content import CORE, GATES, HELD_OUT, PLAN, SEED, TYPES

import riskchain_gym  # noqa: F401  (registers the environments)
from riskchain_gym.benchmark.release import Release, build_release
from riskchain_gym.benchmark.release_manifest import load_release
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import Library

OTHERS = ("train", "dev", "ood", "mini")

BUILD = """
import sys
from pathlib import Path
from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import library
made = build_release(key_from_seed(int(sys.argv[3])), content=library(Path(sys.argv[1])), worker_count=2)
print(write_release(Path(sys.argv[2]), made, seed=int(sys.argv[3]), key_commitment=None).content_sha256)
"""


def hosts(release: Release, split: str) -> set[str]:
    return {chain.row.host_family for chain in release.splits[split]}


def test_processes_and_hash_seeds_change_no_byte(content: Library, folder: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", BUILD, str(content.root), str(tmp_path), str(SEED)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "77"},
    )
    assert found.stdout.strip() == load_release(folder).content_sha256
    for path in (path for path in folder.rglob("*") if path.is_file()):
        assert (tmp_path / path.relative_to(folder)).read_bytes() == path.read_bytes(), path


def test_every_split_has_its_numbers(small: Release) -> None:
    wanted = {"test": PLAN["selection"]["decisions"], **PLAN["splits"]}
    for name, labels in wanted.items():
        assert Counter(str(chain.row.decision) for chain in small.splits[name]) == labels, name
    assert {c.row.site_id for c in small.splits["hard"]} == {c.row.site_id for c in small.splits["test"]}
    for name in ("train", "dev", "mini"):
        found = {chain.row.violation_type for chain in small.splits[name]}
        assert found >= set(TYPES), name


def test_the_selection_has_its_numbers(small: Release) -> None:
    rows = [chain.row for chain in small.splits["test"]]
    plan = PLAN["selection"]
    assert len(rows) == plan["sites"]
    assert len(hosts(small, "test")) == plan["hosts"]
    assert max(Counter(row.host_family for row in rows).values()) <= plan["per_host"]
    assert sum(row.click_replay for row in rows) == plan["click_replay"]
    assert sum(row.stateful for row in rows) == plan["stateful"]
    assert small.quotas is not None
    assert Counter(row.theme for row in rows) == small.quotas.exact["theme"]
    assert Counter(row.presentation for row in rows) == small.quotas.exact["presentation"]
    assert Counter(row.lang for row in rows) == small.quotas.exact["language"]
    assert small.selection is not None
    assert small.selection.runner_up is None or small.selection.runner_up < small.selection.weight


def test_no_host_family_is_in_two_splits(small: Release) -> None:
    names = ("test", *OTHERS)
    for name in names:
        for other in names:
            assert name == other or not hosts(small, name) & hosts(small, other)


def test_what_is_held_out_is_shown_by_ood_and_test_alone(small: Release) -> None:
    for name in ("train", "dev", "mini"):
        assert {chain.row.family for chain in small.splits[name]} <= set(CORE)
    assert {chain.row.family for chain in small.splits["ood"]} <= set(HELD_OUT)
    assert {chain.row.family for chain in small.splits["test"]} & set(HELD_OUT)
    for site in small.pool:
        allowed = set(GATES) if site.row.held_out else {*site.row.gates} - set(GATES)
        assert set(site.row.gates) <= allowed
    assert any(site.row.gates for site in small.pool if site.row.held_out)


def test_sites_of_a_host_family_have_operator_look_and_language_in_common_and_no_other_has(small: Release) -> None:
    kinds: dict[str, set[tuple[str, ...]]] = {}
    for site in small.pool:
        bundle = json.loads(site.public)
        look = bundle["look"]
        kinds.setdefault(site.row.host_family, set()).add(
            (bundle["operator"], bundle["slogan"], look["presentation"], look["theme"], look["hue"], site.row.lang)
        )
    assert all(len(found) == 1 for found in kinds.values())
    operators = [next(iter(found))[0] for found in kinds.values()]
    assert len(set(operators)) == len(operators)


def test_labels_come_in_their_shares(small: Release) -> None:
    shares = PLAN["decisions"]
    for decision in Decision:
        share = len(small.pool) * shares[decision] / sum(shares.values())
        assert abs(sum(site.row.decision is decision for site in small.pool) - share) < 1


def test_looks_are_spread_evenly_over_the_hosts(small: Release) -> None:
    looks = {site.row.host_family: (site.row.theme, site.row.presentation) for site in small.pool}
    themes, forms = (Counter(look[i] for look in looks.values()) for i in (0, 1))
    parts = len({site.row.part for site in small.pool})
    assert max(themes.values()) - min(themes.values()) <= parts
    assert max(forms.values()) <= 1.5 * min(forms.values())


def test_entries_and_ids_come_once(small: Release) -> None:
    golds = [json.loads(chain.gold) for chains in small.splits.values() for chain in chains]
    entries = [gold["message"]["entry"] for gold in golds]
    assert len(set(entries)) == len(entries)
    assert len({gold["chain_id"] for gold in golds}) == len(golds)


def test_chains_offer_six_disguises_and_hard_one(small: Release) -> None:
    for name, chains in small.splits.items():
        variants = {tuple(json.loads(chain.public)["variants"]) for chain in chains}
        assert variants == {tuple(f"v00{i}" for i in range(1 if name == "hard" else 6))}, name


@pytest.mark.parametrize("only", [["mini"], ["dev", "mini"]])
def test_a_split_is_the_same_whichever_others_are_built(small: Release, content: Library, only: list[str]) -> None:
    part = build_release(key_from_seed(SEED), content=content, only=only)
    assert set(part.splits) == set(only)
    assert all(part.splits[name] == small.splits[name] for name in only)
    assert bool(part.pool) is (only != ["mini"])


def test_another_key_gives_another_release(small: Release, content: Library) -> None:
    other = build_release(b"another secret of 32 bytes or so", content=content, only=["mini"])
    ids = {chain.row.site_id for chain in small.splits["mini"]}
    assert not ids & {chain.row.site_id for chain in other.splits["mini"]}


def test_a_folder_of_it_is_played(folder: Path) -> None:
    env = gym.make("RiskChain-v0", split=f"{folder}/dev", backend="text", order="sequential")
    observation, info = env.reset(seed=1)
    assert info["phase"] == "restore"
    assert observation["text"]
    env.close()  # type: ignore[no-untyped-call]


def test_a_name_that_is_no_split_is_answered_with_the_nearest_one(content: Library) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'mini'"):
        build_release(key_from_seed(SEED), content=content, only=["minni"])
