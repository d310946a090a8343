"""Playing the chains of ``mini`` by actions that only the chain decides, and what came of it as two hashes.

``python tests/envs/fixed_player.py > tests/envs/pinned_episodes.json`` pins anew, when ``mini`` has been rebuilt.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import gymnasium as gym

import riskchain_gym  # noqa: F401 - registers the ids
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed

UNTARGETED = ("reload", "back", "scroll_down", "scroll_up")
BROKEN = ("{", "[]", '{"action":"click","element_id":"e999"}', '{"action":"click","element_id":"e1"}')


def make_env() -> Any:
    return gym.make("RiskChain-v0", split="mini", backend="text", reward="none")


def commit(message: dict[str, Any]) -> str:
    return json.dumps(
        {
            "reconstructed_messages": [{"message_id": m["message_id"], "text": "x"} for m in message["messages"]],
            "intent": "UNKNOWN",
            "platform": message["platform"],
            "entry_candidates": [],
            "abstain": True,
            "uncertainties": [],
        }
    )


def browse(elements: str, rng: KeyedRandom) -> str:
    """Return an action: mostly on a random element, sometimes another one, sometimes a broken one."""
    able = [
        {"action": name, "element_id": element["element_id"]}
        for element in json.loads(elements)["elements"]
        for name, takes in element["capabilities"].items()
        if takes
    ]
    kind = rng.below(10)
    if kind == 0:
        return rng.choice(BROKEN)
    if kind <= 2 or not able:
        return json.dumps({"action": rng.choice(UNTARGETED)})
    forms = [action for action in able if action["action"] != "click"]
    return json.dumps(rng.choice(forms if forms and kind <= 6 else able))


def play(env: Any, chain: str) -> tuple[str, str]:
    """Return the trajectory hash of an episode, and a hash of all that the agent was given."""
    rng = KeyedRandom(key_from_seed(5), "fixed player", chain)
    given = hashlib.sha256()
    observation, info = env.reset(options={"chain": chain})
    note(given, observation, info)
    ended = False
    while not ended:
        match int(observation["phase"]):
            case 0:
                action = commit(json.loads(observation["text"]))
            case 1:
                action = browse(observation["elements"], rng)
            case _:
                action = "no report"
        observation, reward, terminated, truncated, info = env.step(action)
        note(given, observation, info, reward, terminated, truncated)
        ended = terminated or truncated
    return env.unwrapped.trajectory.trajectory_hash(), given.hexdigest()


def note(given: Any, observation: dict[str, Any], info: dict[str, Any], *ends: object) -> None:
    seen = {name: observation[name] for name in ("phase", "text", "elements", "feedback", "steps_left")}
    said = {name: info[name] for name in ("status", "phase", "valid", "strikes", "action_result")}
    whole = json.dumps([seen, said, ends], ensure_ascii=False, sort_keys=True, default=lambda number: number.tolist())
    given.update(whole.encode())


if __name__ == "__main__":
    env = make_env()
    json.dump({chain: play(env, chain) for chain in env.unwrapped.chain_ids}, sys.stdout, indent=0)
    sys.stdout.write("\n")
