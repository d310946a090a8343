"""A name that there is none of is told with the one that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.evaluation.event_words import EVENT_WORDS, explained
from riskchain_gym.llm.prices import shipped_prices
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.hints import hint


def test_near_names_are_asked_for_and_else_all_are_listed() -> None:
    assert hint("temprature", ("model", "temperature")) == "did you mean temperature?"
    assert hint("zzz", ("model", "temperature")) == "known are model, temperature."


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("asof", "asof: there is no such field, did you mean as_of"), ("inptu", r"m\.inptu: .*did you mean input\?")],
)
def test_a_wrong_key_of_a_price_file_is_told_before_the_one_that_lacks(tmp_path: Path, wrong: str, said: str) -> None:
    text = 'as_of = "2026-01-01"\nsource = "made up"\n[models.m]\ninput = 1.0\noutput = 1.0\n'
    right = {"asof": "as_of", "inptu": "input"}[wrong]
    (tmp_path / "prices.toml").write_text(text.replace(right, wrong))
    with pytest.raises(InputFileError, match=said):
        shipped_prices(tmp_path / "prices.toml")


def test_a_parameter_that_a_class_lacks_is_told_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    halves = 'restorer = "rules"\ninvestigator = "riskchain_gym.agents.explore.explorer:Explorer"\n'
    file.write_text(f'name = "mine"\n{halves}[investigator_parameters]\nreload_onc = true\n')
    with pytest.raises(InputFileError, match=r"has no 'reload_onc', did you mean reload_once\?"):
        load_agent(str(file))


def test_a_file_that_is_joined_to_a_part_is_told_where_parts_are_named() -> None:
    with pytest.raises(UnknownNameError, match="a part of your own is named in a TOML file"):
        load_agent("my/agent.toml+explorer")


def test_every_option_and_every_event_has_its_words() -> None:
    assert all(field.description for field in LLMOptions.model_fields.values())
    assert set(EVENT_WORDS) == set(FailureKind)
    assert "no_effect: an action that changed nothing, no strike" in explained(["no_effect", "an old name"])
    assert explained([]) == ""
