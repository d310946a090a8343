"""The joint protocol by tool calls: one more commit in the report phase, and what it comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tool_player import SPLIT, by_heart, chains

from riskchain_gym.llm.fence import blocks_in
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.training.adapters.session import TextSession
from riskchain_gym.training.adapters.trl_tools import environment_factory


def commits(chain: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of a right commit and of a wrong one."""
    right, wrong = (by_heart(chain, story).calls[0][1] for story in ("right", "wrong"))
    return right, wrong


def in_report(config: str, first: dict[str, Any]) -> tuple[TextSession, str]:
    session = TextSession(split=SPLIT, backend="text", config=config)
    session.reset(chain=chains()[0])
    session.call("commit", first)
    assert "commit" not in [each.name for each in session.tools_now]
    return session, session.call("stop", {"stop_status": "COMPLETE"})


@pytest.mark.parametrize("config", ["joint", "joint-blind"])
def test_the_report_phase_shows_the_restoration_again_and_takes_one_more(config: str) -> None:
    right, wrong = commits(chains()[0])
    session, shown = in_report(config, wrong)
    assert "Tools here: commit, report." in shown
    message, restoration, *told = blocks_in(shown)["revision"]
    assert json.loads(message)["messages"]
    assert json.loads(restoration)["entry_candidates"][0]["value"] == wrong["entry_candidates"][0]["value"]
    assert told == (["The entry that was committed does not lead to the site that was shown."] * (config == "joint"))

    assert "Strike 1" in session.call("commit", {"intent": "WRONG"})
    shown = session.call("commit", right)
    assert session.phase is Phase.REPORT
    assert "Tools here: report." in shown
    assert "no place in this phase. Tools here: report." in blocks_in(session.call("commit", right))["feedback"]
    assert session.settle() == 0.0
    assert session.outcome["gate.passed"] is False
    assert session.outcome["revised_gate.passed"] is True
    session.close()


def test_without_it_a_commit_has_no_place_there() -> None:
    right, wrong = commits(chains()[0])
    session, shown = in_report("riskchain-v0", wrong)
    assert "Tools here: report." in shown
    assert "revision" not in blocks_in(shown)
    assert "no place in this phase" in session.call("commit", right)
    session.close()


def test_a_model_that_revises_and_then_stops_has_filed_no_report() -> None:
    right, wrong = commits(chains()[0])
    session, _ = in_report("joint", wrong)
    session.call("commit", right)
    assert session.settle() == 0.0
    assert session.outcome["revised_gate.passed"] is True
    session.close()


def test_a_trainer_has_the_tool_as_a_method() -> None:
    right, wrong = commits(chains()[0])
    env: Any = environment_factory(split=SPLIT, backend="text", config="joint")()
    env.reset(chain=chains()[0])
    env.commit(**wrong)
    env.stop(stop_status="COMPLETE")
    assert "Tools here: report." in env.commit(**right)
    env._close()
