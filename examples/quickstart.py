"""One chain, from message to report, without a browser: what an agent sees and what it answers.

Usage: python examples/quickstart.py
"""

import json

import gymnasium as gym

import riskchain_gym  # noqa: F401 - registers the ids

env = gym.make("RiskChain-v0", split="mini", backend="text", reward="delta_gate", web_outcomes=0.5)
observation, info = env.reset(seed=0)
message = json.loads(observation["text"])
print("message:", message["messages"][0]["content"])

# Restore: freeze a guess. A wrong entry costs −ŵ now, and the site is investigated all the same.
commit = {"entry_candidates": [{"rank": 1, "value": "not.the-right.test"}], "platform": message["platform"]}
observation, reward, *_ = env.step(json.dumps(commit))
print("commit reward:", reward)

# Browse: look at the landing page, then stop.
page = json.loads(observation["elements"])
print("site:", page["title"], "with", len(page["elements"]), "controls")
first_line = observation["text"].splitlines()[0]
observation, *_ = env.step(json.dumps({"action": "stop", "stop_status": "COMPLETE"}))

# Report: every citation names a step and quotes what was shown there.
report = {
    "environment_status": "PARTIAL",
    "decision": "INSUFFICIENT_EVIDENCE",
    "primary_violation_type": "UNKNOWN",
    "evidence": [{"step": 0, "quote": first_line, "anchor_type": "ENVIRONMENT_LIMITATION"}],
    "risk_reason": "Only the landing page was looked at.",
    "confidence": 1,
    "evidence_sufficiency": "INSUFFICIENT",
}
observation, reward, terminated, truncated, info = env.step(json.dumps(report))
print("final reward:", reward, "·", {k: v for k, v in info["outcome"].items() if k.startswith(("gate", "label"))})
env.close()
