"""What opens models closes them: clients, the scripted endpoint, and what an agent that cannot be made had opened."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from riskchain_gym.agents.models import SCRIPTED, Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.exchange import Exchange
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import InputFileError

HERE = "http://127.0.0.1:9/v1"


class Line:
    """A transport that says whether it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def send(self, payload: dict[str, Any]) -> Exchange:
        raise AssertionError

    def close(self) -> None:
        self.closed += 1


class Opened:
    """Makes clients and keeps their lines."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def __call__(self, settings: ModelSettings) -> ModelClient:
        self.lines.append(Line())
        return ModelClient(settings, transport=self.lines[-1])


def test_every_client_is_closed_and_closed_once() -> None:
    opened = Opened()
    with Models(make_client=opened) as models:
        for name in ("a", "b", "a"):
            models.asked(models.settings({"model": name, "base_url": HERE}))
        assert [line.closed for line in opened.lines] == [0, 0]
    models.close()
    assert [line.closed for line in opened.lines] == [1, 1]


def test_the_scripted_endpoint_ends_with_what_started_it() -> None:
    models = Models()
    settings = models.settings({"model": "m", "base_url": SCRIPTED})
    assert models.settings({"model": "m", "base_url": SCRIPTED}) == settings, "there is one"
    address = urlsplit(settings.base_url)
    assert address.hostname is not None
    assert address.port is not None
    place = (address.hostname, address.port)
    socket.create_connection(place, timeout=30).close()
    models.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(place, timeout=30)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """What agents open that have their models for themselves."""
    made = Opened()
    monkeypatch.setattr("riskchain_gym.agents.assembly.Models", lambda: Models(make_client=made))
    return made


def test_an_agent_with_models_of_its_own_closes_them(opened: Opened) -> None:
    agent = load_agent("llm:m", overrides=Overrides(base_url=HERE)).agent
    assert [line.closed for line in opened.lines] == [0, 0]
    agent.close()
    assert [line.closed for line in opened.lines] == [1, 1]


@pytest.mark.parametrize(
    "investigator", ["no_such_module:Investigator", "riskchain_gym.agents.controls:Noop", "explore"]
)
def test_a_restorers_model_is_closed_when_there_is_no_investigator(
    tmp_path: Path, opened: Opened, investigator: str
) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(f'name = "half"\nrestorer = "llm:m"\ninvestigator = "{investigator}"\n')
    with pytest.raises(InputFileError, match="investigator"):
        load_agent(str(file), overrides=Overrides(base_url=HERE))
    assert [line.closed for line in opened.lines] == [1]


def test_models_of_a_run_outlive_an_agent_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    file.write_text('name = "half"\nrestorer = "llm:m"\ninvestigator = "no_such_module:Investigator"\n')
    made = Opened()
    with Models(make_client=made) as models:
        with pytest.raises(InputFileError, match="no_such_module"):
            load_agent(str(file), models=models, overrides=Overrides(base_url=HERE))
        assert [line.closed for line in made.lines] == [0]
