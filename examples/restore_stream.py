"""Two hundred messages from the endless training split, restored by rules: how often is the entry right?

A message counts in every family that its recipe draws from.

Usage: python examples/restore_stream.py
"""

from collections import Counter

import gymnasium as gym

import riskchain_gym  # noqa: F401 - registers the ids
from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.messages.techniques.registry import get_technique
from riskchain_gym.protocol.message import Message

env = gym.make("RiskChainRestore-v0", split="messages/train", web_outcomes=1.0)
restorer = RulesRestorer()
shown: Counter[str] = Counter()
right: Counter[str] = Counter()
for episode in range(200):
    observation, info = env.reset(seed=0 if episode == 0 else None)
    message = Message.model_validate_json(observation["text"])
    commit = restorer.restore(message)
    observation, reward, *_ = env.step(commit.model_dump_json())
    # A recipe is a published one, "clean", or techniques with a severity each: "homophones@2+zero_width@1".
    parts = [part.split("@") for part in env.unwrapped.recipe.split("+")]
    families = {get_technique(part[0]).family.value if len(part) == 2 else "published or clean" for part in parts}
    shown.update(["all", *families])
    right.update({name: int(reward) for name in ["all", *families]})
env.close()

print(f"{'recipe family':22}{'messages':>9}{'Entry Top-1':>13}")
for name, count in shown.most_common():
    print(f"{name:22}{count:9}{right[name] / count:13.1%}")
