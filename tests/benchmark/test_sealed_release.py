"""A sealed build tells nothing of its secret, and leaves its gold to its owner."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import stat
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from build_sites import build, run, tree

from riskchain_gym.benchmark.pool import pool_key
from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.keys import build_key, commitment_of
from riskchain_gym.messages.drafts import split_key
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.keyed import derive_key
from riskchain_gym.sites.library import Library

SECRET = hashlib.sha256(b"a secret of the tests").digest() + hashlib.sha256(b"its second half").digest()
SPLITS = ("test", "hard", "train", "dev", "ood", "mini")


def keys() -> Iterator[bytes]:
    """Yield the secret and every key below it that a build draws from."""
    yield from (SECRET, SECRET[:32], pool_key(SECRET))
    for split in SPLITS:
        yield from (
            derive_key(SECRET, "chains", split),
            split_key(SECRET, split),
            derive_key(SECRET, "messages", split),
        )


def written(key: bytes) -> Iterator[bytes]:
    """Yield the forms that a key may be written in."""
    yield key
    yield key.hex().encode()
    yield key.hex().upper().encode()
    yield repr(key)[2:-1].encode()
    for encoded in (base64.b64encode(key), base64.urlsafe_b64encode(key), base64.b32encode(key), base64.b85encode(key)):
        yield encoded.rstrip(b"=")
    yield str(int.from_bytes(key)).encode()
    yield hashlib.sha256(key).hexdigest().encode()
    yield str(list(key))[1:-1].encode()


def assert_silent(*outputs: bytes) -> None:
    for key in keys():
        for form in written(key):
            assert not any(form in output for output in outputs), form


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    (tmp_path / "key").write_bytes(SECRET)
    return tmp_path / "key"


def test_nothing_that_a_sealed_build_says_or_writes_holds_its_secret(
    content: Library, tmp_path: Path, key_file: Path
) -> None:
    shown = [build(content.root, tmp_path / "a", "--key-file", key_file)]
    shown.append(build(content.root, tmp_path / "b", "--key-file", key_file, "--json"))
    shown.append(build(content.root, tmp_path / "c", "--key-file", key_file, "--workers", 2))
    shown.append(run("audit", "sites", tmp_path / "a"))
    shown.append(run("audit", "sites", tmp_path / "a", "--json"))
    assert [result.exit_code for result in shown] == [0] * 5
    told = " ".join(shown[3].stdout.split())
    assert "a sealed release names no seed to draw the pairing from; whoever holds its secret builds it again" in told
    said = [part.encode() for result in shown for part in (result.stdout, result.stderr)]
    assert_silent(*said, *(data for out in "abc" for data in tree(tmp_path / out).values()))
    manifest = json.loads(shown[1].stdout)
    assert (manifest["origin"], manifest["seed"]) == ("sealed", None)
    assert f"key commitment: {manifest['key_commitment']}" in shown[0].stdout
    assert shown[0].stdout.splitlines()[-1] == f"sealed build, everything in it: {manifest['content_sha256']}"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_build_that_fails_says_nothing_of_the_secret(
    content: Library, tmp_path: Path, key_file: Path, workers: int
) -> None:
    own = tmp_path / "own"
    shutil.copytree(content.root, own)
    for family in (own / "families").glob("*.yaml"):
        family.write_text(family.read_text(encoding="utf-8").replace("查看规则", "[[ gone ]]"), encoding="utf-8")
    result = build(own, tmp_path / "out", "--key-file", key_file, "--workers", workers)
    assert result.exit_code == 2
    assert "families/" in result.stderr
    with pytest.raises(InputFileError) as failure:
        build_release(SECRET, content=Library(own), only=["mini"], worker_count=workers)
    traced = "".join(traceback.format_exception(failure.value))
    assert_silent(result.stdout.encode(), result.stderr.encode(), traced.encode())
    assert {path.name for path in tmp_path.iterdir()} == {"key", "own"}


def test_the_commitment_is_no_hash_of_the_secret_alone(key_file: Path) -> None:
    key = build_key("sites", None, key_file)
    assert key.commitment == commitment_of(SECRET) != commitment_of(SECRET[::-1])
    assert key.commitment not in {hashlib.sha256(SECRET).hexdigest(), SECRET.hex()}
    assert build_key("sites", 3, None).commitment is None


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_gold_of_a_sealed_release_is_for_its_owner(content: Library, tmp_path: Path, mask: int) -> None:
    made = build_release(SECRET, content=content)
    before = os.umask(mask)
    try:
        write_release(tmp_path / "sealed", made, seed=None, key_commitment="c")
        write_release(tmp_path / "open", made, seed=5, key_commitment=None)
    finally:
        os.umask(before)

    def modes(folder: Path) -> dict[str, int]:
        return {name: stat.S_IMODE((folder / name).stat().st_mode) for name in tree(folder)}

    private = {"manifest.json", "pool.jsonl", "certificates.jsonl", *(f"{name}/gold.jsonl" for name in SPLITS)}
    for name, mode in modes(tmp_path / "sealed").items():
        assert mode == (0o600 if name in private else 0o666 & ~mask), name
    assert set(modes(tmp_path / "open").values()) == {0o666 & ~mask}


def test_what_goes_with_the_public_file_of_a_sealed_split_counts_no_labels(content: Library, tmp_path: Path) -> None:
    made = build_release(SECRET, content=content, only=["mini"])
    write_release(tmp_path / "sealed", made, seed=None, key_commitment="c")
    write_release(tmp_path / "open", made, seed=5, key_commitment=None)
    sealed, opened = (
        json.loads((tmp_path / name / "mini" / "manifest.json").read_bytes()) for name in ("sealed", "open")
    )
    assert (sealed["decisions"], sealed["archetypes"]) == ({}, {})
    assert sum(opened["decisions"].values()) == sum(opened["archetypes"].values()) == sealed["chains"]
    text = (tmp_path / "sealed" / "mini" / "manifest.json").read_text(encoding="utf-8")
    assert not any(word in text for word in ("VIOLATION", "core"))
    whole = json.loads((tmp_path / "sealed" / "manifest.json").read_bytes())
    assert whole["splits"]["mini"]["counts"]["decision"] == opened["decisions"]
