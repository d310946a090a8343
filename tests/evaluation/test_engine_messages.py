"""What the processes of a run tell each other: whatever is sent is told, cut, or a lost process."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any, cast

import pytest
from engine_cases import PATIENCE_S, SpeechlessError, soon
from odd_agents import CHAINS, PROCESSES

from riskchain_gym.evaluation.engine.agent_process import written
from riskchain_gym.evaluation.engine.channel import Channel, packed, unpacked
from riskchain_gym.evaluation.engine.links import Link, read_json, read_pickle
from riskchain_gym.evaluation.engine.local import LocalEnvironments
from riskchain_gym.evaluation.engine.process import Child
from riskchain_gym.evaluation.engine.said import as_data, cut, from_data
from riskchain_gym.evaluation.engine.serving import serve
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.engine.told import told
from riskchain_gym.protocol.trajectory import Trajectory


@pytest.fixture(scope="module")
def text_environment() -> Iterator[LocalEnvironments]:
    environments = LocalEnvironments(PROCESSES)
    yield environments
    environments.close()


class Lost:
    """A process as a link sees it, and what it was lost for."""

    def __init__(self, channel: Channel) -> None:
        self.channels = [channel]
        self.said = ""

    def begin_call(self, seat: int) -> None: ...

    def end_call(self, seat: int) -> None: ...

    def lost(self, late: float | None = None, said: str = "") -> SideLostError:
        self.said = said
        return SideLostError("agent_died", said)


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("read", "sent"),
    [
        (read_json, b'{"value": ' + DEEP + b"}"),
        (read_json, b'{"error": {"known": false, "message": ' + DEEP + b"}}"),
        (read_json, b"{}"),
        (read_pickle, b"\x80\x05"),
        (read_pickle, b"no pickle"),
        (read_pickle, b"cnowhere\nmissing\n."),
    ],
    ids=range(6),
)
def test_a_process_that_talks_nonsense_is_lost(read: Any, sent: bytes) -> None:
    here, there = map(Channel, socket.socketpair())
    child = Lost(here)
    link = Link(cast(Child, child), 0, read, PATIENCE_S)
    there.send([sent])
    with pytest.raises(SideLostError, match="no answer"):
        link.call("act")
    assert child.said
    here.close()
    there.close()


def test_whatever_an_agent_returns_is_sent() -> None:
    round_about: list[object] = []
    round_about.append(round_about)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    returned = [round_about, deep, {(1, 2): 3}, {1, 2}, float("nan"), "\ud800"]
    came = [read_json(written({"value": each}))["value"] for each in returned]
    assert came[:4] == ["<list>", "<list>", "<dict>", "<set>"]
    assert came[5] == "\ud800"
    while deep:
        deep = cast(list[object], deep.pop())


@pytest.mark.parametrize(
    "action",
    [
        (1, 2),
        {"a": 1},
        {(1, 2): 3},
        {1, 2},
        b"{}",
        None,
        3,
        float("nan"),
        object(),
        SpeechlessError(),
        "{}",
        "\ud83d\ude00",
        "\ud800",
        "\0",
        "x" * 20_000,
        "\U0001f600" * 20_001,
        "x" * ((1 << 24) + 5),
    ],
    ids=range(17),
)
def test_what_an_agent_returns_is_the_same_to_an_environment_wherever_the_agent_is(
    text_environment: LocalEnvironments, action: Any
) -> None:
    def trajectory(sent: Any) -> Trajectory:
        text_environment.reset(CHAINS[0], "")
        text_environment.step(sent)
        return text_environment.taken().trajectory

    (said,) = unpacked(packed((from_data(read_json(written({"value": as_data(cut(action))}))["value"]),)))
    assert trajectory(said) == trajectory(cut(action))


@pytest.mark.parametrize(
    "data",
    [
        None,
        "{}",
        {},
        {"type": ""},
        {"type": "\ud800"},
        {"text": "x", "length": 2},
        {"text": "x" * 30_000, "length": 9**9},
        {"text": "\xff", "length": 1},
        {"text": "\u0100", "length": 1},
        {"text": "x", "length": True},
    ],
    ids=range(10),
)
def test_what_is_no_action_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"no action|codec"):
        from_data(data)


def test_an_error_that_cannot_be_told_of_is_told_of_as_such() -> None:
    class UntoldError(Exception):
        def __getattribute__(self, name: str) -> Any:
            raise KeyboardInterrupt

    def raising(*_: object) -> None:
        raise UntoldError

    here, there = map(Channel, socket.socketpair())
    here.send(packed(("close",)))
    assert soon(lambda: serve(there, raising, written)) is None
    assert "UntoldError was raised" in read_json(here.receive(PATIENCE_S))["error"]["message"]
    here.close()


def test_a_text_without_an_end_is_told_of_in_part() -> None:
    data = told(ValueError("x" * 1_000_000))
    assert max(map(len, [*data["args"], data["message"], data["trace"]])) == 100_000


def test_what_a_process_has_sent_in_place_of_an_answer_is_told() -> None:
    here, there = Channel((ends := socket.socketpair())[0], 10), Channel(ends[1])
    child = Lost(here)
    there.send([b"x" * 11])
    with pytest.raises(SideLostError, match="a message of 11 bytes was sent, 10 are the most"):
        Link(cast(Child, child), 0, read_json, PATIENCE_S).call("act")
    here.close()
    there.close()
