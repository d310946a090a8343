"""What the page on agents shows of a class that asks a model can be copied, and runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from llm_stub import StubModel

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"


def test_the_restorer_with_a_model_answers_with_a_commit() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    (code,) = [block for block in blocks if "asks_model = True" in block]
    shown: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), shown)
    model = StubModel([" abc.de.test\n", CallFailure.REFUSED])
    restorer = shown["MyRestorer"](model.asked(), tone="Be brief.")
    said = (ChatMessage(message_id="m001", content="看 abc点de.test"),)
    message = Message(platform=Platform.QQ, surface=Surface.COMMENT, messages=said)
    commit = restorer.restore(message)
    assert isinstance(commit, Commit)
    assert [entry.value for entry in commit.entry_candidates] == ["abc.de.test"]
    assert "Be brief." in model.prompt()
    assert restorer.restore(message).abstain
