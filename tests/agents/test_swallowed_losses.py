"""What an agent makes of a lost call is nobody's result, and what it asks is written down whatever it says of it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.calls import CALLS, REPLIES, CallLog
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import losses, usage_of
from riskchain_gym.llm.fake import FakeEndpoint, FakeRequest
from riskchain_gym.llm.fake_replies import Fail, FakeReply, Raw, Say
from riskchain_gym.llm.prices import Price, PriceTable
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError

pytest.importorskip("openai")

CHAINS = tuple(chain.chain_id for chain in load_public("mini"))[:2]
PRICES = PriceTable(as_of="2026-01-01", source="invented", models={"m": Price(input=1.0, output=1.0)})

OWN = """
import itertools
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.trajectory import Phase

class Own:
    asks_model = True

    def __init__(self, model, what="pass"):
        self.model, self.what = model, what

    def reset(self, instructions):
        if self.what == "resets":
            self.model.reset()

    def act(self, observation):
        if self.what == "resets":
            self.model.reset()
        if self.what == "exits":
            raise SystemExit(0)
        request = ChatRequest(messages=(Message(role="user", text="hi" + observation["text"]),))
        try:
            return self.model.ask(request, phase=Phase.RESTORE).text
        except Exception as error:
            if self.what == "swallows":
                return "{}"
            if self.what == "renames":
                raise ValueError("my own error") from error
            raise

    def close(self):
        pass
"""


class Answers:
    """Says one thing, and some others to the requests of some numbers, counted from 1."""

    def __init__(self, others: dict[int, FakeReply], usual: FakeReply | None = None) -> None:
        self._others = others
        self._usual = usual
        self._numbers = itertools.count(1)

    def __call__(self, request: FakeRequest) -> FakeReply:
        number = next(self._numbers)
        return self._others.get(number) or self._usual or Say(" " * number + "{}", usage=(10, 0, 1))


def own(folder: Path, what: str) -> str:
    (folder / "swallowing.py").write_text(OWN)
    file = folder / "agent.toml"
    file.write_text(f'name = "own"\nagent = "swallowing:Own"\n[options]\nwhat = "{what}"\n')
    return str(file)


def settings(agent: str, endpoint: FakeEndpoint, **asking: object) -> RunSettings:
    overrides = Overrides(model="m", base_url=endpoint.base_url, settings={"attempts": 1})
    return RunSettings("mini", "text", (), 1, CHAINS, Asking({agent: overrides}, **asking))  # type: ignore[arg-type]


@pytest.mark.parametrize("what", ["swallows", "renames", "resets"])
def test_a_lost_call_loses_the_episode_whatever_the_agent_makes_of_it(tmp_path: Path, what: str) -> None:
    agent, script = own(tmp_path, what), Answers({1: Fail(500, "out of order")})
    with FakeEndpoint(script) as endpoint:
        run = run_agent(agent, tmp_path / "run", settings(agent, endpoint))
    assert [record.trajectory.chain_id for record in run.records()] == [CHAINS[1]]
    assert losses(run) == {"model_lost: transport": 1}
    (lost,) = CallLog(run.path).standing()[CHAINS[0]].calls
    assert lost.failure == "transport", "and nothing more was asked for the episode"


def test_a_model_that_cannot_be_asked_ends_the_run_though_the_agent_swallows_it(tmp_path: Path) -> None:
    agent = own(tmp_path, "swallows")
    with FakeEndpoint(Answers({}, Fail(401, "no such key"))) as endpoint:
        with pytest.raises(ConfigError, match="cannot be asked"):
            run_agent(agent, tmp_path / "run", settings(agent, endpoint))
        assert len(endpoint.requests) == 1


@pytest.mark.parametrize("what", ["pass", "resets"])
def test_what_an_agent_asks_is_written_down_and_billed_though_it_says_nothing_of_it(tmp_path: Path, what: str) -> None:
    agent = own(tmp_path, what)
    with FakeEndpoint(Answers({})) as endpoint:
        run = run_agent(agent, tmp_path / "run", settings(agent, endpoint, prices=PRICES))
        asked = len(endpoint.requests)
    usage = usage_of(run)
    assert usage is not None
    assert usage.calls >= asked > 2
    assert usage.paid == pytest.approx(11e-6 * asked)
    assert usage.chains == 2


def test_an_agent_that_would_end_the_program_is_told_of(tmp_path: Path) -> None:
    agent = own(tmp_path, "exits")
    with FakeEndpoint(Answers({})) as endpoint, pytest.raises(RuntimeError, match=r"SystemExit\(0\)") as raised:
        run_agent(agent, tmp_path / "run", settings(agent, endpoint))
    assert CHAINS[0] in "".join(raised.value.__notes__)


def test_an_error_within_an_answer_is_lost_and_no_strike(tmp_path: Path) -> None:
    agent = own(tmp_path, "pass")
    choice = {"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": "{"}}
    within = [
        {"model": "m", "choices": [choice]},
        {"model": "m", "choices": [{**choice, "finish_reason": "stop", "error": {"message": "died"}}]},
        {"error": {"message": "died", "code": 502}},
    ]
    for number, body in enumerate(within):
        script = Answers({1: Raw(json.dumps(body).encode())})
        with FakeEndpoint(script) as endpoint:
            run = run_agent(agent, tmp_path / f"run{number}", settings(agent, endpoint))
        assert losses(run) == {"model_lost: transport": 1}


def test_what_is_no_completion_closes_no_budget_and_what_has_no_count_says_so(tmp_path: Path) -> None:
    agent = own(tmp_path, "pass")
    with FakeEndpoint(Answers({1: Raw(b"<html>welcome</html>")})) as endpoint:
        limited = settings(agent, endpoint, prices=PRICES, max_cost=1.0)
        run = run_agent(agent, tmp_path / "page", limited)
        assert losses(run) == {"model_lost: bad_response": 1}
        assert losses(run_agent(agent, tmp_path / "page", limited)) == {}
    with FakeEndpoint(Answers({1: Say("{}", usage=None)})) as endpoint:
        limited = settings(agent, endpoint, prices=PRICES, max_cost=1.0)
        with pytest.raises(InfrastructureError, match=r"cost_unknown.*counts no tokens.*leave it out"):
            run_agent(agent, tmp_path / "silent", limited)
        run = run_agent(agent, tmp_path / "silent", settings(agent, endpoint, prices=PRICES))
        assert {record.trajectory.chain_id for record in run.records()} == set(CHAINS)


def test_what_a_killed_process_paid_counts_by_the_answer(tmp_path: Path) -> None:
    """The chain has a line of an earlier start, and answers of a later one that was killed."""
    agent, path = own(tmp_path, "pass"), tmp_path / "run"
    with FakeEndpoint(Answers({2: Fail(500, "out of order")})) as endpoint:
        run_agent(agent, path, settings(agent, endpoint, prices=PRICES, max_cost=1.0))
        lines = (path / CALLS).read_bytes()
        usage = usage_of(run_agent(agent, path, settings(agent, endpoint, prices=PRICES, max_cost=1.0)))
        assert usage is not None
        assert usage.paid is not None
        asked = len(endpoint.requests)
        (path / CALLS).write_bytes(lines)
        (path / "shards" / "00000.jsonl").unlink()
        run_agent(agent, path, settings(agent, endpoint, prices=PRICES, max_cost=1.0))
        assert len(endpoint.requests) == asked
        (path / "shards" / "00000.jsonl").unlink()
        for reply in (path / REPLIES).rglob("*.json"):
            reply.unlink()
        with pytest.raises(InfrastructureError, match="over_cost"):
            run_agent(agent, path, settings(agent, endpoint, prices=PRICES, max_cost=0.95 * usage.paid))
        assert len(endpoint.requests) == asked
    assert RunFolder.open(path).manifest.agent == "own"
