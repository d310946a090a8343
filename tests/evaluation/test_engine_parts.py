"""Messages between processes, errors as data, and the order in which episodes are handed out."""

from __future__ import annotations

import socket
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskchain_gym.agents.oracle import OracleError
from riskchain_gym.evaluation.closing import AgentUnclosedError
from riskchain_gym.evaluation.engine.channel import Channel, ChannelClosedError, packed, unpacked
from riskchain_gym.evaluation.engine.jobs import Job, JobQueue
from riskchain_gym.evaluation.engine.told import RaisedElsewhereError, rebuilt, told
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError
from riskchain_gym.llm.reply import Reply
from riskchain_gym.protocol.errors import (
    BrowserUnavailableError,
    ConfigError,
    InfrastructureError,
    InputFileError,
    MissingExtraError,
    RiskChainError,
    UnknownNameError,
)

Ends = tuple[Channel, Channel, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    here, there = socket.socketpair()
    pair = Channel(here), Channel(there, most=1 << 20), here
    yield pair
    for channel in pair[:2]:
        channel.close()


# -- channel ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=5))
def test_what_is_sent_is_what_comes(parts: list[bytes]) -> None:
    here, there = map(Channel, socket.socketpair())
    sender = threading.Thread(target=here.send, args=(parts,))
    sender.start()
    assert [bytes(part) for part in there.receive(30)] == parts
    sender.join()
    here.close()
    there.close()


def test_pictures_come_as_they_were_and_can_be_drawn_on(ends: Ends) -> None:
    picture = np.arange(900 * 300 * 3, dtype=np.uint8).reshape(300, 900, 3)
    sender = threading.Thread(target=ends[0].send, args=(packed({"screenshot": picture, "text": "a\ud800"}),))
    sender.start()
    came = unpacked(ends[1].receive(30))
    sender.join()
    assert (came["screenshot"] == picture).all()
    assert came["text"] == "a\ud800"
    came["screenshot"][0, 0] = 7


def test_half_a_message_is_late_and_none_at_all_is_an_end(ends: Ends) -> None:
    ends[2].sendall(b"\0\0\0\1\0\0\0")
    with pytest.raises(TimeoutError):
        ends[1].receive(0.05)
    ends[0].close()
    with pytest.raises(ChannelClosedError):
        ends[1].receive(0.05)


def test_who_does_not_read_is_late_for_who_sends(ends: Ends) -> None:
    with pytest.raises(TimeoutError):
        ends[0].send([bytes(50_000_000)], 0.05)


@pytest.mark.parametrize(
    "sent", [b"\xff" * 64, b"\0\0\0\0" * 4, b"\0\0\0\1" + b"\0\0\1\0" * 2, b"\0\0\0\1\x7f" + b"\0" * 7]
)
def test_what_is_no_message_or_too_long_is_refused_before_it_is_read(ends: Ends, sent: bytes) -> None:
    ends[2].sendall(sent)
    with pytest.raises(ChannelClosedError, match=r"no message|are the most"):
        ends[1].receive(5)


# -- errors -----------------------------------------------------------------------------------------------------------

REPLY = Reply(failure=CallFailure.AUTH, detail="HTTP 401", attempts=1)


@pytest.mark.parametrize(
    "error",
    [
        InfrastructureError("model_lost", "it gave no answer"),
        FuseBlownError("over_cost", "$1 are spent", REPLY),
        ModelUnaskableError("cannot be asked", REPLY),
        AgentUnclosedError("could not be closed"),
        ConfigError("wrong"),
        UnknownNameError("There is no split 'x'."),
        InputFileError(Path("a.toml"), "model", "is missing"),
        MissingExtraError("llm", "An agent"),
        BrowserUnavailableError("none"),
        OracleError("does not fit"),
    ],
)
def test_an_error_of_this_package_is_raised_again_as_it_was(error: RiskChainError) -> None:
    again = rebuilt(told(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    for name in ("cause", "reply", "path", "field", "problem", "extra"):
        assert getattr(again, name, None) == getattr(error, name, None)


def test_any_other_error_shows_its_own_traceback_and_is_not_made_by_its_name() -> None:
    class ConfigError(Exception):
        """Not the one of this package."""

    try:
        raise ConfigError("of mine")
    except ConfigError as error:
        data, trace = told(error), traceback.format_exc()
    again = rebuilt(data)
    assert isinstance(again, RaisedElsewhereError)
    assert again.kind == "ConfigError"
    assert trace in str(again)
    assert "SystemExit(1)" in str(rebuilt(told(SystemExit(1))))


@pytest.mark.parametrize("data", [{}, {"kind": "InputFileError", "known": True, "args": []}, {"kind": "X", "known": 1}])
def test_what_is_no_error_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no error"):
        rebuilt(data)


# -- order ------------------------------------------------------------------------------------------------------------


def test_an_episode_that_is_to_be_alone_waits_and_is_waited_for() -> None:
    jobs = JobQueue()
    for job in (Job("a", "1"), Job("a", "2", alone=True), Job("a", "3")):
        jobs.put(job)
    handed: list[str] = []

    def take() -> None:
        while (job := jobs.next()) is not None:
            handed.append(job.chain)

    taker = threading.Thread(target=take, daemon=True)
    assert jobs.next() == Job("a", "1")
    taker.start()
    taker.join(0.1)
    assert handed == [], "the second waits for the first"
    jobs.done()
    taker.join(0.1)
    assert handed == ["2"], "and the third for the second"
    jobs.done()
    taker.join(0.1)
    assert handed == ["2", "3"]
    jobs.close()
    taker.join(10)
    assert not taker.is_alive()
