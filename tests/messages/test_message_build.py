"""A built folder: rows that say what their sessions say, files that give nothing away, hashes that hold."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from riskchain_gym.messages.build import BuiltSplit, build_messages, session_counts, write_messages
from riskchain_gym.messages.drafts import split_key
from riskchain_gym.messages.folder import check_target, load_alignment, load_manifest, load_messages
from riskchain_gym.messages.plans import PLANS
from riskchain_gym.messages.rows import ALIGNMENT, GOLD, INPUTS, MANIFEST, MessagesManifest
from riskchain_gym.messages.splits import iter_sessions
from riskchain_gym.messages.trace import TraceError, reverse
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.keyed import key_from_seed, keyed_id
from riskchain_gym.protocol.model import canonical_json, sha256_of

KEY = key_from_seed(2026)
SMALL = ("clean", "contrast", "train")
TRAIN = 40

PINNED = {
    "test": "95662987005cb517e108c7cfa59232857d15767c1df349f436c0b25cea409083",
    "hard": "df7faa868520ee21f8eec43bf5ad8e8ed8cfd2c25045611e7ac52a56922e8b61",
    "dev": "0b2322d91c4dbe70e833051502cdeff8faa04754824bfae51653df787a8503f1",
    "ood": "4ccef062476f5345685293bfc9a633ae97bcd30e423fba751608c7c438e4bb38",
    "clean": "bda348d9bf70b0af82c1f3d4cf7f7ae5e3674339ca90e58452b658c937dcbc7f",
    "no_entry": "3b1bcdf2f9977c955dfaf6be38d91cb2c4f13feb5750494f4c6708643e0dc723",
    "contrast": "51d2645ea674366b30b527d79265fdd173aed08017c13a519f1c4693c693e3f9",
    "train": "d3cbb36c6adf775311a24190517e6ea25c9ee3691274c9685f07309d34b58c4f",
}
"""Every split of seed 2026 (``train`` with 40 sessions). To renew: ``python tests/messages/test_message_build.py``."""


def small_build(progress: Callable[[int], None] | None = None) -> tuple[BuiltSplit, ...]:
    return build_messages(KEY, train_sessions=TRAIN, splits=SMALL, progress=progress)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MessagesManifest]:
    """A folder with the small build, and its manifest."""
    folder = tmp_path_factory.mktemp("built")
    return folder, write_messages(folder, small_build(), seed=2026)


@pytest.fixture
def copy(built: tuple[Path, MessagesManifest], tmp_path: Path) -> Path:
    """A copy of that folder, to be damaged."""
    shutil.copytree(built[0], tmp_path / "copy")
    return tmp_path / "copy"


def test_rows_are_split_into_what_a_model_may_see_and_what_not(built: tuple[Path, MessagesManifest]) -> None:
    folder, manifest = built
    assert {name: (files.sessions, files.pool) for name, files in manifest.splits.items()} == {
        "clean": (120, "control"),
        "contrast": (160, "control"),
        "train": (TRAIN, "train"),
    }
    for split in SMALL:
        samples = load_messages(folder, split, gold=True)
        assert len({s.input.sample_id for s in samples}) == len(samples) >= TRAIN
        for row, gold in samples:
            assert set(row.model_dump()) == {
                *("schema_version", "sample_id", "platform", "surface", "input_view", "messages", "task_sha256")
            }
            assert gold is not None
            assert row.sample_id == f"{gold.session_id}--{gold.variant}"
            assert row.platform is gold.platform
            contents = {message.message_id: message.content for message in row.messages}
            assert {i: reverse(c, gold.trace, i) for i, c in contents.items()} == {
                message.message_id: message.text for message in gold.messages
            }
            assert gold.gold().entry == gold.entry


def test_alignments_restore_every_message(built: tuple[Path, MessagesManifest]) -> None:
    folder, manifest = built
    for split in SMALL:
        rows = load_alignment(folder, split)
        samples = load_messages(folder, split, gold=True)
        assert len(rows) == manifest.splits[split].messages == sum(len(s.input.messages) for s in samples)
        for row, gold in samples:
            assert gold is not None
            canonical = {message.message_id: message.text for message in gold.messages}
            for message in row.messages:
                aligned = rows[row.sample_id, message.message_id]
                assert aligned.restore(message.content) == canonical[message.message_id]
                with pytest.raises(TraceError, match="give the content of the input row"):
                    aligned.restore(message.content + "x")


def test_ids_and_order_are_not_those_of_the_sessions(built: tuple[Path, MessagesManifest]) -> None:
    samples = load_messages(built[0], "contrast", gold=True)
    pairs = [s.gold.pair for s in samples if s.gold is not None]
    assert [s.input.sample_id for s in samples] == sorted(s.input.sample_id for s in samples)
    assert pairs != sorted(pairs)
    assert sum(one == two for one, two in zip(pairs[::2], pairs[1::2], strict=True)) < 8
    for sample in samples:
        assert sample.gold is not None
        assert (sample.gold.entry or "-").partition(".")[0] not in sample.input.sample_id


def test_no_two_sessions_with_an_entry_show_the_same(built: tuple[Path, MessagesManifest]) -> None:
    for split in SMALL:
        samples = [s for s in load_messages(built[0], split, gold=True) if s.gold is not None and s.gold.entry]
        shown = {tuple(message.content for message in sample.input.messages) for sample in samples}
        assert len(shown) == len(samples) > 0


def test_a_build_holds_the_sessions_that_are_made_on_the_fly() -> None:
    (built,) = build_messages(KEY, splits=["no_entry"])
    for index, session in enumerate(iter_sessions("no_entry", KEY)):
        sample_id = f"{keyed_id(split_key(KEY, 'no_entry'), 'session', str(index))}--v000"
        row = next(row for row in built.inputs if row.sample_id == sample_id)
        assert row.message() == session.variants["v000"]
    assert index + 1 == len(built.inputs)


def test_every_record_and_file_is_hashed(built: tuple[Path, MessagesManifest]) -> None:
    folder, manifest = built
    for split in SMALL:
        for name, field in ((INPUTS, "task_sha256"), (GOLD, "record_sha256"), (ALIGNMENT, "record_sha256")):
            data = (folder / split / name).read_bytes()
            assert sha256_of(data.decode()) == manifest.splits[split].sha256[name]
            for line in data.splitlines():
                row = json.loads(line)
                assert canonical_json(row).encode() == line
                assert row.pop(field) == sha256_of(row)
    assert load_manifest(folder) == manifest
    assert manifest.versions == versions()


@pytest.mark.parametrize("hash_seed", ["0", pytest.param("4711", marks=pytest.mark.slow)])
def test_every_split_is_pinned_in_any_process(built: tuple[Path, MessagesManifest], hash_seed: str) -> None:
    run = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == PINNED
    assert set(PINNED) == set(PLANS)
    assert {name: sha256_of(files) for name, files in built[1].splits.items()} == {n: PINNED[n] for n in SMALL}


def test_a_split_is_the_same_whichever_others_are_built(built: tuple[Path, MessagesManifest], tmp_path: Path) -> None:
    alone = write_messages(tmp_path, build_messages(KEY, splits=["train"], train_sessions=10), seed=2026)
    ids = {s.input.sample_id for s in load_messages(tmp_path, "train", gold=False)}
    assert ids < {s.input.sample_id for s in load_messages(built[0], "train", gold=False)}
    assert alone.splits["train"].sessions == 10
    clean = write_messages(tmp_path, build_messages(KEY, splits=["clean"]), seed=2026)
    assert clean.splits["clean"] == built[1].splits["clean"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean", MANIFEST]


def test_another_key_builds_other_messages_and_a_sealed_manifest_names_no_seed(tmp_path: Path) -> None:
    sealed = write_messages(tmp_path, build_messages(b"k" * 40, splits=["contrast"]), seed=None)
    assert (sealed.origin, sealed.seed) == ("sealed", None)
    ours = {s.input.sample_id for s in load_messages(tmp_path, "contrast", gold=False)}
    theirs = {row.sample_id for row in build_messages(KEY, splits=["contrast"])[0].inputs}
    assert not ours & theirs


def test_counts_and_progress_name_every_session() -> None:
    assert session_counts() == {name: plan.sessions for name, plan in PLANS.items()}
    assert session_counts(7, ["train", "hard"]) == {"hard": 600, "train": 7}
    steps: list[int] = []
    small_build(steps.append)
    assert steps[-1] == sum(session_counts(TRAIN, SMALL).values())
    assert steps == sorted(set(steps))
    with pytest.raises(UnknownNameError, match="Did you mean 'train'"):
        session_counts(7, ["trian"])


def test_inputs_are_read_without_gold(copy: Path) -> None:
    (copy / "clean" / GOLD).unlink()
    assert all(sample.gold is None for sample in load_messages(copy, "clean", gold=False))
    with pytest.raises(InputFileError, match=r"clean/gold\.jsonl: cannot be read"):
        load_messages(copy, "clean", gold=True)
    with pytest.raises(UnknownNameError, match=r"has no split 'claen'. Did you mean 'clean'"):
        load_messages(copy, "claen", gold=False)


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def _drop_last_line(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def _read_everything(folder: Path) -> None:
    load_messages(folder, "clean", gold=True)
    load_alignment(folder, "clean")


@pytest.mark.parametrize(
    ("damage", "name", "field"),
    [
        (lambda f: _replace(f, b'"content":"', b'"content":"x'), INPUTS, "line 1: task_sha256"),
        (lambda f: _replace(f, b'"platform":"', b'"platform":"x'), INPUTS, "line 1: platform"),
        (lambda f: _replace(f, b"{", b"["), INPUTS, "line 1"),
        (lambda f: _replace(f, b'"topic":"', b'"topic":"x'), GOLD, "line 1: record_sha256"),
        (lambda f: _replace(f, b'"operations":"K', b'"operations":"M'), ALIGNMENT, "line 1"),
        (lambda f: _replace(f, b'"operations":"K', b'"operations":"X'), ALIGNMENT, "line 1: operations"),
        (_drop_last_line, INPUTS, "sha256"),
        (_drop_last_line, GOLD, "sha256"),
    ],
)
def test_damage_is_named_by_file_and_field(copy: Path, damage: Callable[[Path], None], name: str, field: str) -> None:
    damage(copy / "clean" / name)
    with pytest.raises(InputFileError) as caught:
        _read_everything(copy)
    assert (caught.value.path, caught.value.field) == (copy / "clean" / name, field)


def test_gold_of_other_inputs_is_refused(copy: Path) -> None:
    for name in (INPUTS, ALIGNMENT):
        shutil.copy(copy / "contrast" / name, copy / "clean" / name)
    raw = json.loads((copy / MANIFEST).read_bytes())
    for name in (INPUTS, ALIGNMENT):
        raw["splits"]["clean"]["sha256"][name] = raw["splits"]["contrast"]["sha256"][name]
    (copy / MANIFEST).write_text(json.dumps(raw))
    with pytest.raises(InputFileError, match=r"clean/gold\.jsonl: line 1: sample_id: is '.*' where inputs\.jsonl has"):
        load_messages(copy, "clean", gold=True)


def test_a_build_writes_through_no_link_and_over_no_foreign_manifest(copy: Path, tmp_path: Path) -> None:
    shutil.move(copy / "clean", tmp_path / "elsewhere")
    (copy / "clean").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputFileError, match="holds the link 'clean'"):
        check_target(copy)
    (copy / "clean").unlink()
    (copy / MANIFEST).write_text("hello")
    with pytest.raises(InputFileError, match=r"manifest\.json"):
        check_target(copy)
    assert (tmp_path / "elsewhere" / GOLD).is_file()


def test_a_folder_without_a_sound_manifest_is_no_build(copy: Path) -> None:
    _replace(copy / MANIFEST, b'"open"', b'"ajar"')
    with pytest.raises(InputFileError, match=r"manifest\.json: origin: "):
        load_manifest(copy)
    (copy / MANIFEST).unlink()
    with pytest.raises(InputFileError, match="give a folder that `riskchain build messages` wrote"):
        load_messages(copy, "clean", gold=False)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        manifest = write_messages(Path(place), build_messages(KEY, train_sessions=TRAIN), seed=2026)
        hashes = {name: sha256_of(files) for name, files in manifest.splits.items()}
        sys.stdout.write(json.dumps(hashes, indent=4) + "\n")
