"""An estimate is made without asking anybody, of a few chains, and says what it takes the others to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_cases import CHAINS, MODEL, PRICES

import riskchain_gym.evaluation.estimate as estimate_module
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.evaluation.estimate import PICTURE_TOKENS, Estimate, estimate
from riskchain_gym.evaluation.run import plan_run
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.settings import RunSettings

pytest.importorskip("openai")


def estimated(tmp_path: Path, settings: dict[str, Any] | None = None, **options: str | int | float | bool) -> Estimate:
    nowhere = Overrides(model=MODEL, base_url="http://127.0.0.1:9/v1", settings=settings or {}, options=options)
    plain = RunSettings("mini", "text", (), 1, CHAINS, Asking({"llm": nowhere}, PRICES))
    seen = replace(plain, backend="fake", observe=("screenshot",)) if options.get("images") else plain
    found = estimate("llm", plan_run("llm", tmp_path / "run", seen), seen, CHAINS)
    assert found is not None
    assert not (tmp_path / "run").exists()
    return found


def test_the_chains_that_are_not_tried_out_are_taken_to_be_like_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = estimated(tmp_path)
    monkeypatch.setattr(estimate_module, "REHEARSED", 1)
    one = estimated(tmp_path)
    assert (whole.rehearsed, one.rehearsed, whole.chains, one.chains) == (3, 1, 3, 3)
    assert one.about.calls % 3 == 0
    assert one.about.calls == pytest.approx(whole.about.calls, rel=0.5)
    assert whole.models == one.models == (MODEL,)


def test_every_strike_and_step_is_in_what_is_used_up_and_twice_with_repair(tmp_path: Path) -> None:
    most = estimated(tmp_path).used_up
    assert most.calls == len(CHAINS) * (3 + 3 * 30 + 3)
    assert most.output_tokens == most.calls * 1024
    assert most.cost == pytest.approx((most.input_tokens + most.output_tokens) / 1e6)
    assert estimated(tmp_path, repair=True).used_up.calls == 2 * most.calls


def test_the_schema_of_an_answer_is_sent_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate_module, "REHEARSED", 1)
    held, told = estimated(tmp_path), estimated(tmp_path, settings={"structure": "prompt"})
    assert held.about.calls == told.about.calls
    assert held.about.input_tokens > told.about.input_tokens + 100 * held.about.calls


def test_pictures_are_counted_though_none_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    plain, seen = estimated(tmp_path), estimated(tmp_path, images=True, report_images=2)
    browsed = plain.about.calls - 2 * len(CHAINS)
    assert seen.about.calls == plain.about.calls
    assert seen.about.input_tokens - plain.about.input_tokens == PICTURE_TOKENS * (browsed + 2 * len(CHAINS))
    assert seen.about.cost == pytest.approx((seen.about.input_tokens + seen.about.output_tokens) / 1e6)
