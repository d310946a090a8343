"""A release takes its folder as a whole or not at all, and removes nothing that no build wrote."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from build_sites import tree
from pool_content import SEED

from riskchain_gym.benchmark import release_files, whole_folder
from riskchain_gym.benchmark.release import Release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.release_manifest import ReleaseManifest, load_release
from riskchain_gym.benchmark.whole_folder import replacing
from riskchain_gym.protocol.errors import InputFileError


def write(folder: Path, release: Release, seed: int = SEED) -> ReleaseManifest:
    return write_release(folder, release, seed=seed, key_commitment=None)


def _note(out: Path) -> None:
    (out / "notes.txt").write_text("mine", encoding="utf-8")


def _note_in_split(out: Path) -> None:
    (out / "train" / "notes.txt").write_text("mine", encoding="utf-8")


def _folder(out: Path) -> None:
    (out / "paper").mkdir()
    (out / "paper" / "manifest.json").write_text("{}", encoding="utf-8")


def _split_of_ones_own(out: Path) -> None:
    shutil.copytree(out / "dev", out / "own")


def _listed_split_of_ones_own(out: Path) -> None:
    shutil.copytree(out / "dev", out / "own")
    whole = json.loads((out / "manifest.json").read_bytes())
    whole["splits"]["own"] = whole["splits"]["dev"]
    (out / "manifest.json").write_text(json.dumps(whole), encoding="utf-8")


def _folder_in_split(out: Path) -> None:
    (out / "dev" / "more").mkdir()


def _changed(out: Path) -> None:
    (out / "dev" / "gold.jsonl").write_text("labels of my own\n", encoding="utf-8")


def _other_split(out: Path) -> None:
    shutil.rmtree(out / "dev")
    shutil.copytree(out / "ood", out / "dev")


def _temporary(out: Path) -> None:
    (out / ".pool.jsonl.abc").touch()


def _link(out: Path) -> None:
    shutil.move(out / "dev", out.parent / "elsewhere")
    (out / "dev").symlink_to(out.parent / "elsewhere", target_is_directory=True)


def _no_manifest(out: Path) -> None:
    (out / "manifest.json").unlink()


def _other_manifest(out: Path) -> None:
    shutil.rmtree(out)
    out.mkdir()
    (out / "manifest.json").write_text('{"name": "an app"}', encoding="utf-8")


@pytest.mark.parametrize(
    "plant",
    [
        _note,
        _note_in_split,
        _folder,
        _split_of_ones_own,
        _listed_split_of_ones_own,
        _folder_in_split,
        _changed,
        _other_split,
        _temporary,
        _link,
        _no_manifest,
        _other_manifest,
    ],
)
def test_what_no_build_wrote_is_neither_removed_nor_overwritten(
    small: Release, folder: Path, tmp_path: Path, plant: Callable[[Path], None]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    plant(out)
    before = tree(tmp_path)
    with pytest.raises(InputFileError, match="give another"):
        write(out, small)
    assert tree(tmp_path) == before
    assert out.is_dir()


def test_a_release_is_replaced_though_files_of_it_are_gone(small: Release, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    (out / "dev" / "gold.jsonl").unlink()
    shutil.rmtree(out / "hard")
    found = write(out, small, seed=SEED + 1)
    assert (load_release(out), found.seed) == (found, SEED + 1)
    assert tree(out).keys() == tree(folder).keys()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_through_a_link_to_it_the_folder_itself_is_replaced(small: Release, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "real")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    write(tmp_path / "link", small, seed=SEED + 1)
    assert (tmp_path / "link").is_symlink()
    assert load_release(tmp_path / "real").seed == SEED + 1


@pytest.mark.parametrize("nth", [1, 2, 7, 15])
@pytest.mark.parametrize("earlier", [False, True])
def test_an_interrupted_write_leaves_what_was_there_and_can_be_repeated(
    small: Release, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int, earlier: bool
) -> None:
    out = tmp_path / "deep" / "out"
    out.parent.mkdir()
    if earlier:
        shutil.copytree(folder, out)
    before, calls = tree(tmp_path), 0
    write_atomically = release_files.write_atomically

    def interrupted(path: Path, data: bytes, *, private: bool = False) -> None:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise KeyboardInterrupt
        write_atomically(path, data, private=private)

    with monkeypatch.context() as patched:
        patched.setattr("riskchain_gym.benchmark.release_files.write_atomically", interrupted)
        patched.setattr("riskchain_gym.benchmark.split_files.write_atomically", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(out, small, seed=SEED + 1)
    assert tree(tmp_path) == before
    assert out.exists() == earlier
    assert write(out, small, seed=SEED + 1) == load_release(out)


def test_what_is_put_there_while_a_build_runs_is_kept(small: Release, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    with pytest.raises(InputFileError, match=r"notes\.txt"), replacing(out, _removable(small)) as new:
        _note(new.parent / out.name)
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert load_release(out).seed == SEED
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_put_there_at_the_last_moment_is_put_back_or_kept(small: Release, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(folder, out)
    removable = _removable(small)

    def late(place: Path) -> Iterable[Path]:
        files = removable(place)
        if place == out:
            _note(out)
        return files

    with pytest.raises(InputFileError, match=r"notes\.txt"), replacing(out, late) as new:
        (new / "manifest.json").touch()
    assert (out / "notes.txt").exists()
    assert load_release(out).seed == SEED

    def later(place: Path) -> Iterable[Path]:
        (place / "notes.txt").unlink(missing_ok=True)
        files = removable(place)
        if place != out:
            _note(place)
        return files

    with replacing(out, later) as new:
        (new / "new.txt").touch()
    assert tree(out).keys() == {"new.txt"}
    (kept,) = (path for path in tmp_path.iterdir() if path != out)
    assert tree(kept).keys() == {"notes.txt"}


def test_builds_into_one_folder_at_a_time_each_leave_it_whole(
    small: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, count = tmp_path / "out", 4
    ready = Barrier(count)
    put = whole_folder._put

    def together(new: Path, folder: Path, removable: whole_folder.Removable) -> None:
        put(new, folder, removable)
        found = load_release(folder)
        assert found.sha256.keys() | {*found.splits, "manifest.json"} == {path.name for path in folder.iterdir()}

    monkeypatch.setattr(whole_folder, "_put", together)

    def one(seed: int) -> int | None:
        ready.wait(timeout=30)
        return write(out, small, seed=seed).seed

    with ThreadPoolExecutor(count) as pool:
        assert sorted(pool.map(one, range(count)), key=str) == list(range(count))
    assert load_release(out).seed in range(count)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _removable(release: Release) -> whole_folder.Removable:
    return lambda place: release_files.earlier_release(place, tuple(release.splits))
