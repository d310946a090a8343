"""What an agent is: settings, options, parameters and code that can change what it does, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.llm.settings import ModelSettings

HERE = "http://127.0.0.1:9/v1"

PART_OF_IT: dict[str, Any] = {
    "model": "m2",
    "temperature": 0.5,
    "seed": 7,
    "max_tokens": 77,
    "token_limit": "max_completion_tokens",
    "structure": "prompt",
    "attempts": 1,
    "max_reply_bytes": 2048,
    "extra": {"top_k": 1},
}
"""Another value of each setting that can change what is answered, or what becomes of it."""

NO_PART_OF_IT: dict[str, Any] = {
    "base_url": "http://127.0.0.1:10/v1",
    "endpoint": "a name",
    "timeout": 5.0,
    "concurrency": 1,
}
"""Another value of each setting that says where the model is and how patiently it is waited for."""

OWN = """
class Restorer:
    asks_model = {asks}

    def __init__(self, {model}tone="plain"):
        pass

    def restore(self, message):
        raise NotImplementedError
"""


class Unasked:
    """A model that nobody asks."""

    def __init__(self, settings: ModelSettings) -> None:
        self.model = settings.model

    def complete(self, request: ChatRequest) -> Reply:
        raise AssertionError


def loaded(name: str, **said: Any) -> LoadedAgent:
    return load_agent(name, models=Models(make_client=Unasked), overrides=Overrides(**said))


def with_setting(name: str, value: Any) -> str:
    settings = {"model": "m1", "base_url": HERE, name: value}
    return loaded("llm", settings=settings).sha256


def test_every_setting_is_in_one_of_the_tables() -> None:
    assert PART_OF_IT.keys() | NO_PART_OF_IT.keys() == ModelSettings.model_fields.keys()


@pytest.mark.parametrize("name", PART_OF_IT)
def test_a_setting_that_can_change_an_answer_makes_another_agent(name: str) -> None:
    assert with_setting(name, PART_OF_IT[name]) != with_setting("model", "m1")


@pytest.mark.parametrize("name", NO_PART_OF_IT)
def test_where_the_model_is_makes_no_other_agent(name: str) -> None:
    assert with_setting(name, NO_PART_OF_IT[name]) == with_setting("model", "m1")


def test_no_address_is_in_it() -> None:
    assert "127.0.0.1" not in str(loaded("llm:m", base_url=HERE).config)


def test_an_option_said_at_its_default_makes_no_other_agent_of_the_packages_own() -> None:
    plain, said, other = (
        loaded("llm:m", base_url=HERE, options=options) for options in ({}, {"history": 8}, {"history": "all"})
    )
    assert plain.sha256 == said.sha256 != other.sha256


WriteOwn = Callable[..., str]


@pytest.fixture
def write_own(tmp_path: Path) -> WriteOwn:
    """Write an agent with a restorer of one's own; every module is imported once only, so each has its own name."""

    def write(name: str, *, asks: bool, parameters: str = "", code: str = "") -> str:
        module = f"own_{tmp_path.name}_{name}"
        text = OWN.format(asks=asks, model="model, " if asks else "") + code
        (tmp_path / f"{module}.py").write_text(text)
        model = f'[model]\nmodel = "m"\nbase_url = "{HERE}"\n' if asks else ""
        agent = f'name = "own"\nrestorer = "{module}:Restorer"\ninvestigator = "explorer"\n'
        (tmp_path / f"{name}.toml").write_text(f"{agent}[restorer_parameters]\n{parameters}\n{model}")
        return str(tmp_path / f"{name}.toml")

    return write


def test_options_of_ones_own_class_are_in_it_though_the_class_says_nothing_of_them(write_own: WriteOwn) -> None:
    file = write_own("asking", asks=True)
    plain, rude = loaded(file), loaded(file, options={"tone": "rude"})
    assert plain.sha256 == loaded(file).sha256 != rude.sha256
    assert rude.options == {"tone": "rude"}
    assert rude.config["parts"][0]["parameters"] == {"tone": "rude"}  # type: ignore[index, call-overload]


def test_parameters_of_a_class_path_are_in_it(write_own: WriteOwn) -> None:
    file = write_own("plain", asks=False)
    before = loaded(file).sha256
    assert write_own("plain", asks=False, parameters='tone = "rude"') == file
    assert loaded(file).sha256 != before


@pytest.mark.parametrize("asks", [True, False])
def test_the_code_of_ones_own_class_is_in_it(write_own: WriteOwn, tmp_path: Path, asks: bool) -> None:
    file = write_own("code", asks=asks)
    before = loaded(file)
    module = tmp_path / f"own_{tmp_path.name}_code.py"
    said = hashlib.sha256(module.read_bytes()).hexdigest()
    assert before.config["parts"][0]["code_sha256"] == said  # type: ignore[index, call-overload]
    write_own("code", asks=asks, code="\n# another agent\n")
    assert loaded(file).sha256 != before.sha256


def test_a_class_without_a_file_is_an_agent_too(write_own: WriteOwn, tmp_path: Path) -> None:
    maker = tmp_path / f"maker_{tmp_path.name}.py"
    maker.write_text('Restorer = type("Restorer", (), {"restore": lambda self, m: m, "__module__": "nowhere"})\n')
    file = tmp_path / "made.toml"
    file.write_text(f'name = "own"\nrestorer = "{maker.stem}:Restorer"\ninvestigator = "explorer"\n')
    assert loaded(str(file)).config["parts"][0]["code_sha256"] is None  # type: ignore[index, call-overload]


def test_the_packages_own_code_is_known_by_its_version_alone() -> None:
    assert "code_sha256" not in str(loaded("rules+explorer").config)
