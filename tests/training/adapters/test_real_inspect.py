"""The task in Inspect AI itself, with a model that plays by heart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_player import SPLIT, STORIES, Infrastructure, assert_says_nothing, by_heart, chains

inspect_ai = pytest.importorskip("inspect_ai")


def model_for(playing: list[Any]) -> Any:
    """Return a model that says in each episode what a play of the list says; episodes come one after the other."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    left: list[Any] = []
    plays = iter(playing)

    def answer(messages: Any, tools: Any, *_: Any) -> Any:
        if len(messages) == 2:
            left[:] = next(plays).calls
        if left:
            name, arguments = left.pop(0)
            assert name in {each.name for each in tools}
            output = ModelOutput.for_tool_call("mockllm", name, arguments)
        else:
            output = ModelOutput.from_content("mockllm", "I have nothing more to say.")
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # or it would be counted, by a download
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def run(tmp_path: Path, plays: list[Any], **settings: Any) -> Any:
    from riskchain_gym.training.adapters.inspect_task import riskchain

    task = riskchain(split=SPLIT, **settings)
    (log,) = inspect_ai.eval(
        task,
        model=model_for(plays),
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
        sample_id=list(chains()[: len(plays)]),
    )
    return log


def test_gate_web_and_end_to_end_are_scored(tmp_path: Path) -> None:
    plays = {chain: by_heart(chain, story) for chain, story in zip(chains(), STORIES, strict=False)}
    from riskchain_gym.benchmark.splits import load_gold

    in_order = [plays[chain] for chain in load_gold(SPLIT) if chain in plays]
    log = run(tmp_path, in_order)
    assert log.status == "success", [sample.error for sample in log.samples]
    wanted = {"right": (1, 1, 1), "wrong": (0, 1, 0), "clumsy": (1, 1, 1), "silent": (1, 0, 0)}
    for sample in log.samples:
        (score,) = sample.scores.values()
        story = STORIES[chains().index(sample.id)]
        assert tuple(score.value[name] for name in ("gate", "web", "end_to_end")) == wanted[story]
        assert_says_nothing([message.text for message in sample.messages], sample.id)
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {"gate": 0.75, "web": 0.75, "end_to_end": 0.5}


def test_a_lost_episode_is_an_error_and_no_wrong_answer(tmp_path: Path, infrastructure: Infrastructure) -> None:
    plays = [by_heart(chain, "right") for chain in chains()[:3]]
    infrastructure.lose(plays[0].looks + 1)
    log = run(tmp_path, plays)
    assert infrastructure.lost == 1
    by_error = [sample for sample in log.samples if sample.error is not None]
    assert len(by_error) == 1
    assert not by_error[0].scores
    assert "browser_lost" in by_error[0].error.message
    kept = [next(iter(sample.scores.values())).value for sample in log.samples if sample.error is None]
    assert kept == [{"gate": 1, "web": 1, "end_to_end": 1}] * 2
    assert log.status == "error", "one in three is more than one in a hundred"
    assert {score.metrics["mean"].value for score in log.results.scores} == {1.0}, "the lost one is no zero"
