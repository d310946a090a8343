"""``riskchain build messages``: what it prints, what it writes, and what it refuses before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import refused, run

from riskchain_gym.messages import build
from riskchain_gym.messages.build import content_sha256
from riskchain_gym.messages.folder import load_manifest, load_messages

pytestmark = pytest.mark.contract

SMALL = ("build", "messages", "--split", "clean", "--split", "train", "--train-sessions", "20")
SEED = ("--seed", "2026", "--out")


def test_a_build_prints_its_table_and_can_be_read(here: Path) -> None:
    shown = run(*SMALL, *SEED, "out")
    assert shown.exit_code == 0
    manifest = load_manifest(here / "out")
    lines = shown.stdout.splitlines()
    for name, files in manifest.splits.items():
        (line,) = (line for line in lines if line.split()[:1] == [name])
        size = sum((here / "out" / name / file).stat().st_size for file in files.sha256)
        hashed = files.sha256["inputs.jsonl"][:16]
        assert line.split() == [name, f"{files.sessions:,}", f"{files.messages:,}", f"{size:,}", hashed]
    assert lines[-1] == f"open build, everything in it: {content_sha256(manifest)}"
    assert "Building messages" in shown.stderr
    assert "140/140" in shown.stderr
    assert len(load_messages(here / "out", "train", gold=True)) == 20


def test_a_seed_gives_the_same_files_each_time_and_another_seed_others(here: Path) -> None:
    printed = [
        run(*SMALL, "--seed", seed, "--out", out, "--json") for seed, out in (("5", "a"), ("5", "b"), ("6", "c"))
    ]
    assert printed[0].stdout == printed[1].stdout != printed[2].stdout
    assert json.loads(printed[0].stdout) == json.loads((here / "a" / "manifest.json").read_bytes())
    assert json.loads(printed[0].stdout)["seed"] == 5
    for path in (here / "a").rglob("*.json*"):
        assert path.read_bytes() == (here / "b" / path.relative_to(here / "a")).read_bytes()


def test_a_key_file_makes_a_sealed_build(here: Path) -> None:
    (here / "key").write_bytes(bytes(range(32)))
    printed = json.loads(run(*SMALL, "--key-file", "key", "--out", "out", "--json").stdout)
    assert (printed["origin"], printed["seed"]) == ("sealed", None)
    everything = b"".join(path.read_bytes() for path in (here / "out").rglob("*.json*"))
    assert bytes(range(32)).hex().encode() not in everything
    private = {path.name for path in (here / "out").rglob("*.jsonl") if path.stat().st_mode & 0o777 == 0o600}
    assert private == {"gold.jsonl", "alignment.jsonl"}


def test_an_earlier_build_is_replaced_whole_and_nothing_else_is_touched(here: Path) -> None:
    assert run(*SMALL, *SEED, "out").exit_code == 0
    assert run("build", "messages", "--split", "contrast", *SEED, "out").exit_code == 0
    assert {path.name for path in (here / "out").iterdir()} == {"contrast", "manifest.json"}
    (here / "out" / "contrast" / "notes.txt").touch()
    said = refused(2, *SMALL, *SEED, "out")
    assert said.startswith("out: holds 'contrast/notes.txt', which no build wrote: ")
    (here / "other").mkdir()
    (here / "other" / "inputs.jsonl").touch()
    assert "holds 'inputs.jsonl'" in refused(2, *SMALL, *SEED, "other")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--out", "out"), "needs --seed (open) or --key-file (sealed), got neither"),
        (("--seed", "1", "--key-file", "key", "--out", "out"), "got both"),
        (("--key-file", "key", "--out", "out"), "key: holds 31 bytes, a secret needs 32 or more"),
        (("--key-file", "nowhere", "--out", "out"), "nowhere: cannot be read (No such file or directory)"),
        (("--split", "tarin", *SEED, "out"), "Did you mean 'train'"),
        (("--split", "clean", "--train-sessions", "5", *SEED, "out"), "--split leaves 'train' out"),
        ((*SEED, "key"), "key: is a file"),
        ((*SEED, "key/below"), "is a file, choose another place"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_built_is_refused_before_the_work(
    here: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    def must_not_run(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr(build, "build_messages", must_not_run)
    (here / "key").write_bytes(b"k" * 31)
    assert said in refused(2, "build", "messages", *arguments)
    assert [path.name for path in here.iterdir()] == ["key"]


@pytest.mark.parametrize("option", [("--seed", "1"), ("--key-file", "k"), ("--split", "dev")])
def test_options_of_keyed_builds_are_refused_for_a_plan(here: Path, option: tuple[str, str]) -> None:
    said = refused(2, "build", "example", *option, "--out", "out")
    assert said.startswith(f"{option[0]} belongs to `riskchain build sites` and to `messages`: 'example' is built from")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("what", "option", "owner"),
    [
        ("example", ("--train-sessions", "2"), "messages"),
        ("sites", ("--train-sessions", "2"), "messages"),
        ("messages", ("--workers", "2"), "sites"),
    ],
)
def test_an_option_of_another_build_is_refused(here: Path, what: str, option: tuple[str, str], owner: str) -> None:
    said = refused(2, "build", what, *option, "--out", "out")
    assert said == f"{option[0]} belongs to `riskchain build {owner}`, not to '{what}': leave it out."
    assert list(here.iterdir()) == []
