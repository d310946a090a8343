"""A series of runs: where each goes, what tells them apart, and which variants are restored beside the episodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.run_models import Asking, RunModels
from riskchain_gym.evaluation.series import further_variants, members
from riskchain_gym.evaluation.store import MANIFEST
from riskchain_gym.protocol.errors import ConfigError

CHAINS = tuple(chain.chain_id for chain in load_public("mini"))[:3]


def test_a_single_run_is_in_the_folder_itself() -> None:
    assert [(each.path, each.max_steps, each.repeat) for each in members(Path("out"), (), 1)] == [
        (Path("out"), None, 0)
    ]
    assert [(each.path, each.max_steps) for each in members(Path("out"), (60,), 1)] == [(Path("out"), 60)]


def test_several_runs_have_folders_of_their_own() -> None:
    named = [(each.path.name, each.max_steps, each.repeat) for each in members(Path("out"), (15, 60), 2)]
    assert named == [
        ("steps-15", 15, 0),
        ("steps-15-repeat-2", 15, 1),
        ("steps-60", 60, 0),
        ("steps-60-repeat-2", 60, 1),
    ]
    assert [each.path.name for each in members(Path("out"), (), 3)] == ["repeat-1", "repeat-2", "repeat-3"]


@given(st.sets(st.integers(1, 9), max_size=4), st.sets(st.integers(1, 9)), st.integers(1, 4), st.integers(0, 3))
def test_a_series_is_widened_by_the_same_command_with_more(
    budgets: set[int], further: set[int], repeats: int, more: int
) -> None:
    """Whatever is added, budgets or repeats, what was run already keeps its folder, its budget and its repeat."""
    narrow = members(Path("out"), sorted(budgets), repeats)
    wide = members(Path("out"), sorted(budgets | further if budgets else budgets), repeats + more)
    assume(len(narrow) > 1)
    assert set(narrow) <= set(wide)
    assert len({each.path for each in wide}) == len(wide)


@pytest.mark.parametrize(("budgets", "repeats"), [((15, 15), 1), ((0,), 1), ((), 0)])
def test_a_series_that_cannot_be_is_refused(budgets: tuple[int, ...], repeats: int) -> None:
    with pytest.raises(ConfigError, match="at least one repeat"):
        members(Path("out"), budgets, repeats)


def test_several_runs_do_not_go_into_the_folder_of_one(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).touch()
    with pytest.raises(ConfigError, match="holds one run"):
        members(tmp_path, (), 2)
    assert members(tmp_path, (), 1)[0].path == tmp_path


@pytest.mark.parametrize(("budgets", "name"), [((), "repeat-1"), ((15,), "steps-15")])
def test_a_run_that_a_series_holds_is_not_made_again_beside_it(
    tmp_path: Path, budgets: tuple[int, ...], name: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / MANIFEST).touch()
    with pytest.raises(ConfigError, match=f"holds a series, this run as '{name}'"):
        members(tmp_path, budgets, 1)


def test_the_variant_of_the_gate_is_restored_in_the_episode_and_not_again() -> None:
    every = sorted(load_public("mini")[0].variants)
    assert further_variants("mini", CHAINS, ["v000"]) == ()
    assert further_variants("mini", CHAINS, ["all"]) == tuple(every[1:])
    assert further_variants("mini", CHAINS, ["v002", "v000", "v001"]) == ("v002", "v001")


def test_each_repeat_is_answered_anew_also_from_a_cache_that_they_share(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    from riskchain_gym.llm.settings import ModelSettings

    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", model="m")

    def known_as(asking: Asking, repeat: int) -> str:
        return RunModels(asking, tmp_path, 1, repeat).client_settings(settings).endpoint

    shared = Asking(cache=tmp_path / "shared")
    assert len({known_as(shared, repeat) for repeat in range(3)}) == 3
    assert known_as(Asking(), 0) == known_as(Asking(), 1) == "m"  # each run keeps its own answers
