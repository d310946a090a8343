"""Whatever is raised: every episode has an end."""

from __future__ import annotations

from typing import Any, cast

import pytest
from engine_cases import NotableError, SpeechlessError, soon

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.engine.jobs import Job, Loss
from riskchain_gym.evaluation.engine.pool import EpisodePool
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.engine.staff import Staff
from riskchain_gym.evaluation.engine.told import told


class Raising:
    """Both sides and their staff: raises where it is told to."""

    asks_model, is_oracle = True, False

    def __init__(self, at: str, error: BaseException) -> None:
        self._at, self._error = at, error

    def environment(self, seat: int) -> Raising:
        return self._reached("environment")

    def agent(self, name: str, seat: int) -> Raising:
        return self._reached("agent")

    def begin(self, gold: object) -> None:
        self._reached("begin")

    def reset(self, *_: object) -> None:
        self._reached("reset")
        raise SideLostError("worker_died", "it is gone")

    def asked(self) -> tuple[CallRecord, ...]:
        self._reached("asked")
        return ()

    def leave(self, seat: int) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...

    def _reached(self, at: str) -> Raising:
        if at == self._at:
            raise self._error
        return self


@pytest.mark.parametrize("at", ["environment", "agent", "begin", "reset", "asked"])
@pytest.mark.parametrize(
    "error", [SpeechlessError(), NotableError("so"), LookupError("so"), SystemExit(SpeechlessError())], ids=repr
)
def test_whatever_is_raised_the_episode_ends_and_with_it_the_run(at: str, error: BaseException) -> None:
    jobs, staff = [Job("odd", "1"), Job("odd", "2")], cast(Staff, Raising(at, error))
    pool = EpisodePool(jobs, 1, staff, build_instructions(9), cast(Any, None))
    raised = soon(lambda: list(pool.finished()))
    pool.stop()
    assert raised is not None
    assert error in (raised, raised.__cause__, raised.__context__)
    assert list(pool.leftovers()) == []


def test_the_episode_that_ends_the_run_is_told_of_before() -> None:
    pool = EpisodePool(
        [Job("odd", "1")], 1, cast(Staff, Raising("asked", SpeechlessError())), build_instructions(9), cast(Any, None)
    )
    first = next(pool.finished())
    pool.stop()
    assert first.result == Loss("SpeechlessError", "(its message cannot be read: ValueError)")


def test_an_error_without_a_readable_text_is_told_of() -> None:
    data = told(LookupError(SpeechlessError()))
    assert [*data["args"], data["message"]] == ["(its message cannot be read: ValueError)"] * 2
