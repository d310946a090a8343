"""What control rows cost is paid once, and what they say never depends on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from riskchain_gym.benchmark import splits
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation import control_cache, controls
from riskchain_gym.evaluation.control_cache import VARIABLE, cache_folder, kept_outcomes
from riskchain_gym.evaluation.controls import control_rows
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import Outcome, ValidatorResult

CHAINS = [chain.chain_id for chain in load_public("mini")][:3]


class Player:
    """Plays chains, and remembers which."""

    def __init__(self, status: EpisodeStatus = EpisodeStatus.REPORTED) -> None:
        self.played: list[str] = []
        self.status = status

    def __call__(self, chains: Sequence[str]) -> Iterable[Outcome]:
        self.played += chains
        valid = ValidatorResult(valid=True)
        return [Outcome(chain_id=chain, status=self.status, web_correct=1, validator=valid) for chain in chains]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def entry(folder: Path) -> Path:
    (path,) = folder.rglob("*.json")
    return path


def test_only_what_is_not_kept_is_played(folder: Path) -> None:
    player = Player()
    first = kept_outcomes("oracle", "mini", CHAINS[:2], player)
    assert entry(folder).stat().st_mode & 0o077 == 0
    again = kept_outcomes("oracle", "mini", CHAINS, player)
    assert player.played == CHAINS
    assert again[:2] == first
    assert [outcome.chain_id for outcome in again] == CHAINS
    kept_outcomes("landing_only", "mini", CHAINS[:1], player)
    assert player.played == [*CHAINS, CHAINS[0]]


@pytest.mark.parametrize("change", ["cut", "forged", "other key", "no json", "empty"])
def test_an_entry_that_is_not_as_written_is_played_again(folder: Path, change: str) -> None:
    player = Player()
    right = kept_outcomes("oracle", "mini", CHAINS, player)
    path = entry(folder)
    whole = path.read_bytes()
    fields = json.loads(whole)
    fields["outcomes"][0]["web_correct"] = 0
    other = {**json.loads(whole), "key": "0" * 64}
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "forged": json.dumps(fields).encode(),
            "other key": json.dumps(other).encode(),
            "no json": b"\xff\x00",
            "empty": b"",
        }[change]
    )
    assert kept_outcomes("oracle", "mini", CHAINS, player) == right
    assert player.played == CHAINS * 2
    assert path.read_bytes() == whole


def test_another_program_or_split_does_not_find_what_was_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player()
    kept_outcomes("oracle", "mini", CHAINS[:1], player)
    monkeypatch.setattr(control_cache, "_program", lambda: "another")
    kept_outcomes("oracle", "mini", CHAINS[:1], player)
    assert len(player.played) == 2
    manifest = splits.load_manifest("mini")
    other = manifest.model_copy(update={"sha256": {**manifest.sha256, "gold.jsonl": "0" * 64}})
    monkeypatch.setattr(control_cache, "load_manifest", lambda _: other)
    kept_outcomes("oracle", "mini", CHAINS[:1], player)
    assert len(player.played) == 3


def test_of_a_sealed_split_and_of_lost_episodes_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Player(EpisodeStatus.INFRA_ERROR)
    for _ in range(2):
        kept_outcomes("oracle", "mini", CHAINS[:1], lost)
    assert lost.played == CHAINS[:1] * 2
    entry(folder).unlink()
    sealed = splits.load_manifest("mini").model_copy(update={"origin": "sealed"})
    monkeypatch.setattr(control_cache, "load_manifest", lambda _: sealed)
    kept_outcomes("oracle", "mini", CHAINS[:1], Player())
    assert list(folder.rglob("*.json")) == []


def test_the_folder_is_the_user_s_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "")
    assert cache_folder() == tmp_path / "riskchain-gym"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "riskchain-gym"
    monkeypatch.setenv(VARIABLE, "off")
    assert cache_folder() is None


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    player = Player()
    assert kept_outcomes("oracle", "mini", CHAINS[:1], player) == kept_outcomes("oracle", "mini", CHAINS[:1], player)
    assert player.played == CHAINS[:1] * 2


def test_rows_are_the_same_with_and_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    among = ("landing_only",)
    cold = control_rows("mini", CHAINS[:2], among)
    monkeypatch.setattr(controls, "_played", lambda *_: pytest.fail("it was kept"))
    assert control_rows("mini", CHAINS[:2], among) == cold
    assert control_rows("mini", CHAINS[:1], among)[-1].summary.chains == 1
