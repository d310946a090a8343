"""The server under OpenEnv's own client and server code."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tool_player import SPLIT, Infrastructure, assert_says_nothing, by_heart, chains

pytest.importorskip("openenv")
pytest.importorskip("fastapi")

WS = "ws://127.0.0.1:8000/ws"


@pytest.fixture
def app() -> Any:
    from riskchain_gym.training.adapters.openenv_server import make_app

    return make_app(split=SPLIT, backend="text", sessions=2, reward="delta_gate", web_outcomes=0.5)


def client_of(app: Any) -> Any:
    from starlette.testclient import TestClient

    return TestClient(app, base_url="http://127.0.0.1:8000")


def ask(socket: Any, kind: str, **data: Any) -> dict[str, Any]:
    socket.send_json({"type": kind, "data": data} if kind != "state" else {"type": kind})
    return socket.receive_json()  # type: ignore[no-any-return]


def play_through(socket: Any, chain: str, story: Any) -> tuple[list[float | None], list[str]]:
    first = ask(socket, "reset", chain=chain)["data"]
    rewards, texts, done = [], [first["observation"]["text"]], False
    calls = list(by_heart(chain, story).calls)
    while not done:
        name, arguments = calls.pop(0) if calls else ("nothing", {})
        answer = ask(socket, "step", tool=name, arguments=arguments)
        assert answer["type"] == "observation", answer
        rewards.append(answer["data"]["reward"])
        texts.append(answer["data"]["observation"]["text"])
        done = answer["data"]["done"]
    return rewards, texts


def test_sessions_are_apart_and_pay_what_gymnasium_pays(app: Any) -> None:
    with client_of(app) as client, client.websocket_connect(WS) as one, client.websocket_connect(WS) as two:
        ask(one, "reset", chain=chains()[0])
        for chain, story in zip(chains()[1:4], ("wrong", "clumsy", "silent"), strict=True):
            rewards, texts = play_through(two, chain, story)
            assert sum(each or 0.0 for each in rewards) == pytest.approx(by_heart(chain, story, "delta_gate").reward)
            assert None not in rewards
            assert_says_nothing(texts, chain)
        state = ask(one, "state")["data"]
        assert (state["phase"], state["done"], state["step_count"]) == ("restore", False, 0)
        assert chains()[0] not in str(state)
        with client.websocket_connect(WS) as three:
            assert three.receive_json()["data"]["code"] == "CAPACITY_REACHED"


def test_a_lost_episode_is_an_error_and_no_observation(app: Any, infrastructure: Infrastructure) -> None:
    chain = chains()[0]
    name, arguments = by_heart(chain, "right").calls[0]
    with client_of(app) as client, client.websocket_connect(WS) as socket:
        ask(socket, "reset", chain=chain)
        infrastructure.lose()
        answer = ask(socket, "step", tool=name, arguments=arguments)
        assert answer["type"] == "error"
        assert "does not count" in answer["data"]["message"]
        state = ask(socket, "state")["data"]
        assert (state["valid"], state["lost"], state["done"]) == (False, "browser_lost", True)
        rewards, _ = play_through(socket, chain, "right")
        assert sum(each or 0.0 for each in rewards) == 1.0


def test_what_a_model_wrote_can_be_sent_as_text(app: Any) -> None:
    with client_of(app) as client, client.websocket_connect(WS) as socket:
        ask(socket, "reset", seed=4)
        told = ask(socket, "step", text="Let me think.")["data"]
        assert (told["reward"], told["done"]) == (0.0, False)
        assert "Strike 1 of 3" in told["observation"]["text"]
        assert [each["function"]["name"] for each in told["observation"]["tools"]] == ["commit"]
        assert ask(socket, "reset", chian="x")["type"] == "error"


def test_schemas_are_served_and_other_hosts_are_not(app: Any) -> None:
    with client_of(app) as client:
        assert set(client.get("/schema").json()["action"]["properties"]) >= {"tool", "arguments", "text"}
        assert client.get("/schema", headers={"host": "evil.example"}).status_code == 400


def test_a_session_that_nothing_is_asked_of_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from openenv.core.env_server import http_server

    from riskchain_gym.training.adapters.openenv_server import RiskChainEnvironment, make_app

    closed = threading.Event()
    close = RiskChainEnvironment.close

    def closing(self: Any) -> None:
        close(self)
        closed.set()

    sleep = asyncio.sleep
    monkeypatch.setattr(RiskChainEnvironment, "close", closing)
    monkeypatch.setattr(http_server.asyncio, "sleep", lambda _: sleep(0))
    app = make_app(split=SPLIT, backend="text", session_timeout=0.05)
    closed.clear()
    with client_of(app) as client, client.websocket_connect(WS) as socket:
        ask(socket, "reset", seed=1)
        assert closed.wait(10)
        answer = ask(socket, "step", text="{}")
        assert answer["type"] == "error"


def test_other_machines_reach_it_only_by_a_name_that_was_given() -> None:
    from riskchain_gym.protocol.errors import ConfigError
    from riskchain_gym.training.adapters.openenv_server import serve

    with pytest.raises(ConfigError, match="hosts="):
        serve(host="0.0.0.0")
