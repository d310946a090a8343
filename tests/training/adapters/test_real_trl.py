"""Tools and rewards inside TRL's own GRPO trainer, around a tiny model that is told what to say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tool_player import SPLIT, STORIES, Infrastructure, assert_says_nothing, by_heart, chains

trl = pytest.importorskip("trl")
pytest.importorskip("transformers", minversion="5.2")

from riskchain_gym.training.adapters.tools import TOOLS  # noqa: E402 - after the packages that may be missing
from riskchain_gym.training.adapters.trl_rewards import RestoreReward, restore_rows, tool_rows  # noqa: E402
from riskchain_gym.training.adapters.trl_tools import environment_factory  # noqa: E402

SETTINGS: dict[str, Any] = {"split": SPLIT, "backend": "text", "reward": "delta_gate", "web_outcomes": 0.5}


def tokenizer() -> Any:
    """Return a tokenizer of bytes that writes and reads tool calls as Qwen's do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={each: place for place, each in enumerate(alphabet)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.add_tokens(["<tool_call>", "</tool_call>", "<think>", "</think>"])
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


def trainer_for(tmp_path: Path, rows: list[Any], **more: Any) -> Any:
    from datasets import Dataset
    from transformers import Qwen3Config, Qwen3ForCausalLM

    words = tokenizer()
    config = Qwen3Config(
        vocab_size=len(words),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=200_000,
    )
    args = trl.GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=1,
        num_generations=4,
        per_device_train_batch_size=4,
        max_completion_length=100_000,
        report_to="none",
        use_cpu=True,
        save_strategy="no",
        shuffle_dataset=False,
    )
    return trl.GRPOTrainer(
        model=Qwen3ForCausalLM(config),
        args=args,
        processing_class=words,
        train_dataset=Dataset.from_list(rows),
        **more,
    )


def told(trainer: Any, monkeypatch: pytest.MonkeyPatch, scripts: list[list[str]]) -> None:
    """Have the model say what stands in scripts, one for each completion, a line a turn."""
    words, left = trainer.processing_class, [list(script) for script in scripts]
    order: list[int] = list(range(len(scripts)))

    def generate(prompt_ids: list[Any], *_: Any, **__: Any) -> Any:
        texts = [left[place].pop(0) if left[place] else "Done." for place in order]
        # Only those that called a tool are asked again.
        order[:] = [place for place, text in zip(order, texts, strict=True) if "<tool_call>" in text]
        assert len(prompt_ids) == len(texts)
        return [words(f"{text}<|im_end|>")["input_ids"] for text in texts], None

    monkeypatch.setattr(trainer, "_generate_single_turn", generate)


def rollouts(trainer: Any, row: Any) -> tuple[list[float], list[float]]:
    """Play one group of a row; return its rewards and advantages. What is learned of it would take minutes."""
    trainer.model.train()
    trainer._generate_and_score_completions([dict(row) for _ in STORIES])
    return logged(trainer)


def logged(trainer: Any) -> tuple[list[float], list[float]]:
    """Return rewards and advantages of the last step."""
    (rewards,) = trainer._logs["rewards"].values()
    return list(rewards), list(trainer._logs["advantages"])


def test_every_tool_becomes_a_schema() -> None:
    from transformers.utils import get_json_schema

    environment = environment_factory(**SETTINGS)()
    for tool in TOOLS:
        function = get_json_schema(getattr(environment, tool.name))["function"]
        assert (function["name"], function["description"]) == (tool.name, tool.description)
        assert list(function["parameters"]["properties"]) == list(tool.schema["properties"])
        assert function["parameters"].get("required", []) == tool.schema["required"]


def test_tools_are_played_and_a_lost_rollout_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, infrastructure: Infrastructure
) -> None:
    row = next(row for row in tool_rows(40, **SETTINGS) if row["chain"] in chains())
    plays = [by_heart(row["chain"], story, "delta_gate") for story in STORIES]
    scripts = [
        [
            f"<tool_call>\n{json.dumps({'name': n, 'arguments': a}, ensure_ascii=False)}\n</tool_call>"
            for n, a in p.calls
        ]
        for p in plays
    ]
    trainer = trainer_for(tmp_path, [row], environment_factory=environment_factory(**SETTINGS))
    told(trainer, monkeypatch, scripts)
    rewards, advantages = rollouts(trainer, row)
    assert rewards == pytest.approx([play.reward for play in plays])
    assert_says_nothing([str(trainer._logs["prompt"]), str(trainer._logs["completion"])], row["chain"])

    trainer = trainer_for(tmp_path, [row], environment_factory=environment_factory(**SETTINGS))
    told(trainer, monkeypatch, scripts)
    infrastructure.lose(2)
    rewards, advantages = rollouts(trainer, row)
    lost = [place for place, each in enumerate(rewards) if math.isnan(each)]
    assert len(lost) == infrastructure.lost == 1
    assert advantages[lost[0]] == 0.0
    kept = [each for place, each in enumerate(advantages) if place not in lost]
    assert sum(kept) == pytest.approx(0.0, abs=1e-4), "the lost one is no zero in the baseline"


def test_restorations_are_paid_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in restore_rows(40, split=SPLIT) if row["chain"] in chains())
    said = [by_heart(row["chain"], story).actions[0] for story in ("right", "wrong")]
    trainer = trainer_for(tmp_path, [row], reward_funcs=RestoreReward(split=SPLIT))
    told(trainer, monkeypatch, [[said[0]], [said[1]], ["I cannot say."], [said[0]]])
    trainer.train()
    assert list(trainer._logs["rewards"]) == ["restore_gated"]
    assert logged(trainer)[0] == [1.0, 0.0, 0.0, 1.0]
