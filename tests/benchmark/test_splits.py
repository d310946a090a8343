"""Splits: the shipped bytes are pinned, rebuilt from one seed, and hold no gold where none belongs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from riskchain_gym.benchmark import splits
from riskchain_gym.benchmark.splits import GOLD, PUBLIC, find_chain, load_gold, load_manifest, load_public, split_dir
from riskchain_gym.messages.build import build_messages, write_messages
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.keyed import key_from_seed

PINNED = {
    PUBLIC: "f85391201d3547794b3215cc3091137ab92ce5bc0326cf5781334f49acca7bc6",
    GOLD: "ef4c5558f932412c88af3aec5c1a8bd6a31bad4c76ab0c9296c52e01021adeac",
}


def test_the_shipped_bytes_are_pinned() -> None:
    found = {name: hashlib.sha256((split_dir("mini") / name).read_bytes()).hexdigest() for name in PINNED}
    assert found == PINNED


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_rebuilding_gives_the_same_bytes_in_any_process(tmp_path: Path, hash_seed: str) -> None:
    subprocess.run(
        [
            sys.executable,
            "-m",
            "riskchain_gym",
            "build",
            "sites",
            "--seed",
            "2026",
            "--only",
            "mini",
            "--out",
            str(tmp_path),
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    for name in (PUBLIC, GOLD):
        assert (tmp_path / "mini" / name).read_bytes() == (split_dir("mini") / name).read_bytes()


def test_mini_covers_what_it_promises() -> None:
    public, gold = load_public("mini"), load_gold("mini")
    assert len(public) == 24
    assert [c.chain_id for c in public] == sorted(gold)
    sites = [g.site for g in gold.values()]
    assert Counter(s.decision for s in sites) == dict(zip(Decision, (11, 8, 5), strict=True))
    assert len({s.archetype for s in sites}) >= 12
    assert len({s.host_family for s in sites}) == 24
    assert {s.violation_type for s in sites} >= set(CONCRETE_TYPES)
    assert sum(s.track == "L3_STATEFUL" for s in sites) >= 4
    assert all(len(c.compiled_site.pages) >= 3 for c in public)
    assert len({g.message.skeleton for g in gold.values()}) == 24
    assert all(set(c.variants) == {f"v00{i}" for i in range(6)} for c in public)


def test_every_deciding_atom_has_a_certified_way_to_it() -> None:
    for gold in load_gold("mini").values():
        assert gold.site.deciding_atoms()
        assert len(gold.site.path) <= 30


def test_the_public_file_tells_neither_entry_nor_label() -> None:
    text = (split_dir("mini") / PUBLIC).read_text(encoding="utf-8")
    for gold in load_gold("mini").values():
        row = next(line for line in text.splitlines() if gold.chain_id in line)
        site = json.dumps(json.loads(row)["site"], ensure_ascii=False)
        assert gold.site.archetype not in row
        assert gold.message.entry not in site
        assert gold.message.entry.split(".")[0] not in gold.chain_id + gold.site.site_id
    for word in ("VIOLATION", "claim", "archetype", '"atom":{', "INSUFFICIENT"):
        assert word not in text


def test_looking_at_public_chains_reads_no_gold(tmp_path: Path) -> None:
    folder = tmp_path / "split"
    shutil.copytree(split_dir("mini"), folder)
    (folder / GOLD).unlink()
    assert len(load_public(f"{folder}/")) == 24
    with pytest.raises(InputFileError, match=r"gold\.jsonl: cannot be read"):
        load_gold(f"{folder}/")


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "split"
    shutil.copytree(split_dir("mini"), folder)
    (folder / PUBLIC).write_bytes((folder / PUBLIC).read_bytes().replace(b"v000", b"v009", 1))
    with pytest.raises(InputFileError, match=r"public\.jsonl: sha256"):
        load_public(f"{folder}/")


def test_a_malformed_row_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "split"
    shutil.copytree(split_dir("mini"), folder)
    lines = (folder / PUBLIC).read_bytes().splitlines(keepends=True)
    lines[2] = b'{"chain_id": "x"}\n'
    data = b"".join(lines)
    (folder / PUBLIC).write_bytes(data)
    manifest = json.loads((folder / splits.MANIFEST).read_text())
    manifest["sha256"][PUBLIC] = hashlib.sha256(data).hexdigest()
    (folder / splits.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputFileError, match="line 3: variants"):
        load_public(f"{folder}/")


def test_a_relative_path_and_a_rebuilt_split_are_never_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, keep in (("here", 3), ("there", 5)):
        folder = tmp_path / place / "s"
        shutil.copytree(split_dir("mini"), folder)
        rows = (folder / PUBLIC).read_bytes().splitlines(keepends=True)[:keep]
        (folder / PUBLIC).write_bytes(b"".join(rows))
        manifest = json.loads((folder / splits.MANIFEST).read_text())
        manifest["sha256"][PUBLIC] = hashlib.sha256(b"".join(rows)).hexdigest()
        (folder / splits.MANIFEST).write_text(json.dumps(manifest))
        monkeypatch.chdir(tmp_path / place)
        assert len(load_public("./s")) == keep


def test_line_separators_inside_a_message_do_not_split_a_row(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    shutil.copytree(split_dir("mini"), folder)
    row = load_public("mini")[0].model_dump(mode="json")
    row["variants"]["v000"]["messages"][0]["content"] = "a\u2028b\u0085c"
    data = json.dumps(row, ensure_ascii=False).encode() + b"\n"
    (folder / PUBLIC).write_bytes(data)
    manifest = json.loads((folder / splits.MANIFEST).read_text())
    manifest["sha256"][PUBLIC] = hashlib.sha256(data).hexdigest()
    (folder / splits.MANIFEST).write_text(json.dumps(manifest))
    assert load_public(f"{folder}/")[0].variants["v000"].messages[0].content == "a\u2028b\u0085c"


def test_unknown_names_come_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'mini'"):
        load_manifest("minni")
    known = load_public("mini")[0].chain_id
    with pytest.raises(UnknownNameError, match=known):
        find_chain("mini", known[:-1] + "?")


def test_folders_that_are_no_split_are_told_what_they_are(tmp_path: Path) -> None:
    write_messages(tmp_path / "messages", build_messages(key_from_seed(1), splits=["clean"]), seed=1)
    for folder in ("messages", "messages/clean"):
        with pytest.raises(UnknownNameError, match=r"holds messages without sites.*`riskchain build sites`"):
            load_public(str(tmp_path / folder))
    shutil.copytree(split_dir("mini"), tmp_path / "release" / "mini")
    with pytest.raises(UnknownNameError, match=r"holds splits and is none itself.*release/mini"):
        load_public(str(tmp_path / "release"))


def test_content_is_found_in_the_checkout() -> None:
    assert (content_dir("sites") / "archetypes").is_dir()
