"""``riskchain build sites``: its options, and what it refuses before any work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from build_sites import build, run, tree

from riskchain_gym.benchmark import release
from riskchain_gym.benchmark.provenance import content_folder_sha256
from riskchain_gym.sites.library import Library


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building is an error."""

    def must_not_run(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr(release, "build_release", must_not_run)


def test_a_private_content_folder_is_built_from_and_hashed(content: Library, tmp_path: Path) -> None:
    shutil.copytree(content.root, tmp_path / "own")
    manifests = []
    for out in ("a", "b"):
        assert build(tmp_path / "own", tmp_path / out, "--seed", 5).exit_code == 0
        manifests.append(json.loads((tmp_path / out / "manifest.json").read_bytes()))
        common = tmp_path / "own" / "banks" / "common.yaml"
        common.write_text(common.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    archetypes = {json.loads(line)["site"]["archetype"] for line in (tmp_path / "a/mini/gold.jsonl").open("rb")}
    assert archetypes <= {path.name for path in (content.root / "archetypes").iterdir()}
    first, second = manifests
    assert first["content_sha256"] == second["content_sha256"]
    assert first["made_from_sha256"] == content_folder_sha256(content.root) != second["made_from_sha256"]
    assert {"riskchain-gym", "python", "unicode", "pulp", "pypinyin"} <= first["versions"].keys()


def test_what_is_built_is_no_part_of_the_content_hash(content: Library, tmp_path: Path) -> None:
    shutil.copytree(content.root, tmp_path / "own")
    before = content_folder_sha256(tmp_path / "own")
    (tmp_path / "own" / "splits" / "mini").mkdir(parents=True)
    (tmp_path / "own" / "splits" / "mini" / "gold.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "own" / ".cache").touch()
    assert content_folder_sha256(tmp_path / "own") == before
    (tmp_path / "own" / "pool.toml").write_text("", encoding="utf-8")
    assert content_folder_sha256(tmp_path / "own") != before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "needs --seed (open) or --key-file (sealed), got neither"),
        (("--seed", "1", "--key-file", "key"), "got both"),
        (("--key-file", "key"), "holds 31 bytes, a secret needs 32"),
        (("--key-file", "flat"), "holds 15 different bytes, a random secret has 16 or more: make a new one, e.g. with"),
        (("--seed", "1", "--only", "minni"), "Did you mean 'mini'"),
        (("--seed", "1", "--out", "full"), "holds 'notes.txt', which no such build wrote"),
        (("--seed", "1", "--out", "."), "is the current folder or around it"),
        (("--seed", "1", "--out", ".."), "is the current folder or around it"),
        (("--seed", "1", "--content", "full"), "pool.toml: cannot be read (No such file or directory)"),
    ],
)
@pytest.mark.usefixtures("no_work")
def test_what_cannot_be_built_is_refused_before_the_work(
    content: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    here = tmp_path / "here"
    (here / "full").mkdir(parents=True)
    (here / "full" / "notes.txt").touch()
    (here / "key").write_bytes(b"k" * 31)
    (here / "flat").write_bytes(bytes(range(15)) * 4)
    monkeypatch.chdir(here)
    before = tree(tmp_path)
    result = run("build", "sites", "--out", "out", "--content", content.root, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert tree(tmp_path) == before


@pytest.mark.parametrize("option", [("--content", "x"), ("--replace",)])
def test_options_of_sites_are_refused_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("build", "messages", "--seed", 1, "--out", "out", *option)
    assert f"{option[0]} belongs to `riskchain build sites`, not to 'messages'" in result.stderr
    assert result.exit_code == 2


def test_splits_that_a_build_does_not_make_are_kept_unless_told_otherwise(
    content: Library, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "out")
    before = tree(tmp_path)
    refused = build(content.root, tmp_path / "out", "--seed", 5)
    assert refused.exit_code == 2
    assert "holds the splits test, hard, train, dev, ood too, which this build would remove" in refused.stderr
    assert tree(tmp_path) == before
    assert build(content.root, tmp_path / "out", "--seed", 5, "--replace").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["manifest.json", "mini"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for name in ("public.jsonl", "gold.jsonl", "manifest.json"):
        assert (tmp_path / "out" / "mini" / name).read_bytes() == (folder / "mini" / name).read_bytes()


def test_a_plan_of_ones_own_overwrites_no_split_of_a_release(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "out")
    shutil.copytree(folder / "dev", tmp_path / "dev")
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path)
    for place in ("out/test", "dev"):
        result = run("build", "example", "--out", place)
        assert result.exit_code == 2
        assert f"holds the open split '{Path(place).name}', and this is a build of 'example'" in result.stderr
    assert (
        "holds a 'manifest.json' that no such build wrote" in run("build", "imported", "nowhere", "--out", "out").stderr
    )
    assert "holds the open split 'dev'" in run("build", "imported", "nowhere", "--out", "out/dev").stderr
    assert tree(tmp_path) == before
