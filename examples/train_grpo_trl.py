"""GRPO with TRL: restoration paid by the gate, or the whole chain played with tools.

    python examples/train_grpo_trl.py --dry-run                        # no model, no extra: a policy by chance
    pip install 'riskchain-gym[trl]'
    python examples/train_grpo_trl.py --model Qwen/Qwen3-0.6B          # restoration: one completion is one commit
    python examples/train_grpo_trl.py --model Qwen/Qwen3-0.6B --chain  # the whole chain, with tools

With --dry-run the rules restore a message, or an entry that leads nowhere is named; groups, rewards, masks and
advantages are those of GRPO.
"""

import argparse
import random
from typing import Any

from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.llm.fence import blocks_in
from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.protocol.message import Message
from riskchain_gym.training.adapters.trl_rewards import RestoreReward, restore_rows, tool_rows
from riskchain_gym.training.adapters.trl_tools import environment_factory

CHAINS: dict[str, Any] = {"split": "mini", "backend": "text", "reward": "delta_gate", "web_outcomes": 0.5}


def dry_run(split: str, steps: int, generations: int, seed: int) -> float:
    """Play groups of completions without a model; return the mean reward of those that count."""
    gated, restorer, rng = RestoreReward(split=split), RulesRestorer(), random.Random(seed)
    kept: list[float] = []
    for step, row in enumerate(restore_rows(steps, seed=seed, split=split)):
        message = Message.model_validate(blocks_in(row["prompt"][-1]["content"])["message"])
        right, wrong = restorer.restore(message).model_dump_json(), '{"entry_candidates":[{"rank":1,"value":"a.b"}]}'
        said = [[{"role": "assistant", "content": rng.choice([right, wrong])}] for _ in range(generations)]
        rewards = gated(prompts=[row["prompt"]] * generations, completions=said, chain=[row["chain"]] * generations)
        counted = [each for each in rewards if each is not None]
        kept += counted
        base = sum(counted) / len(counted) if counted else 0.0
        advantages = [0.0 if each is None else each - base for each in rewards]
        print(f"step {step + 1:2}: rewards {rewards}, advantages {[round(each, 2) for each in advantages]}")
    gated.close()
    return sum(kept) / len(kept)


def train(model: str, split: str, steps: int, generations: int, seed: int, *, whole_chain: bool) -> None:
    """Train a model with TRL."""
    try:
        import torch
        from datasets import Dataset
        from trl import GRPOConfig, GRPOTrainer
    except ImportError as error:
        raise MissingExtraError("trl", "Training with TRL") from error
    rows = tool_rows(256, seed=seed, **CHAINS) if whole_chain else restore_rows(2048, seed=seed, split=split)
    GRPOTrainer(
        model=model,
        args=GRPOConfig(
            output_dir="grpo",
            seed=seed,
            max_steps=steps,
            num_generations=generations,
            per_device_train_batch_size=generations,
            max_completion_length=8192 if whole_chain else 512,
            report_to="none",
            use_cpu=not torch.cuda.is_available(),
        ),
        train_dataset=Dataset.from_list(rows),
        **(
            {"environment_factory": environment_factory(**CHAINS)}
            if whole_chain
            else {"reward_funcs": RestoreReward(split=split)}
        ),
    ).train()


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description="GRPO with TRL on RiskChain.")
    parser.add_argument("--model", help="a chat model, by its name or folder")
    parser.add_argument("--chain", action="store_true", help="play the whole chain with tools")
    parser.add_argument("--split", default="messages/train", help="messages to restore")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dry-run", action="store_true", help="no model: see rewards and advantages")
    given = parser.parse_args()
    if given.dry_run:
        mean = dry_run(given.split, given.steps, given.generations, given.seed)
        print(f"mean reward {mean:.2f} over {given.steps * given.generations} completions")
    elif given.model is None:
        parser.error("name a model with --model, or see how it works with --dry-run")
    else:
        try:
            train(given.model, given.split, given.steps, given.generations, given.seed, whole_chain=given.chain)
        except MissingExtraError as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
