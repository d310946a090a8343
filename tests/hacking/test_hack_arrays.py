"""Array environments: masked rows, constant rows and the order of rows are worth what their text controls are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from arena import Arena, Played
from other_gold import write_with_other_gold

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.envs.wrappers.browse_features import TYPES
from riskchain_gym.envs.wrappers.browse_moves import FREE
from riskchain_gym.envs.wrappers.options import mask_of
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision, ViolationType

RESTORE, BROWSE, WHOLE = "RiskChainRestoreSelect-v0", "RiskChainBrowseSelect-v0", "RiskChainSelect-v0"
GOLD = load_gold("mini")
SAMPLE = list(GOLD)[::4]
SMALL = {"memory_size": 64, "page_size": 32, "control_size": 16}
CANDIDATES = 8


def make(env_id: str, split: str = "mini", **settings: Any) -> Any:
    given: dict[str, Any] = {"split": split, "disable_env_checker": True, **settings}
    if env_id != RESTORE:
        given |= {"backend": "text", **SMALL}
    if env_id != BROWSE:
        given |= {"candidates": CANDIDATES}
    return gym.make(f"riskchain_gym:{env_id}", **given)


def rows_of(env: Any, kind: str) -> range:
    """Return the numbers of the rows of a kind: readings, controls, free moves or reports."""
    world = env.unwrapped
    first = getattr(world, "first_row", 0)
    if kind == "readings":
        return range(first)
    controls, free = world.sizes.controls, len(FREE)
    starts = {"controls": first, "free": first + controls, "reports": first + controls + free}
    ends = {"controls": starts["free"], "free": starts["reports"], "reports": starts["reports"] + len(TYPES)}
    return range(starts[kind], ends[kind])


def stop_row(env: Any) -> int:
    return rows_of(env, "free")[[str(kind) for kind in FREE].index("stop")]


def report_row(env: Any, kind: ViolationType) -> int:
    return rows_of(env, "reports")[TYPES.index(kind)]


def send(env: Any, chain: str, rows: Sequence[int | str]) -> tuple[float, dict[str, Any]]:
    """Choose rows until the episode ends; ``masked`` and ``last`` are the first masked and the last possible one."""
    observation, info = env.reset(options={"chain": chain})
    paid = 0.0
    for row in rows:
        mask = mask_of(observation)
        named = {"masked": int(np.argmin(mask)), "last": int(np.flatnonzero(mask)[-1])}
        observation, reward, terminated, truncated, info = env.step(named.get(str(row), row))
        paid += float(reward)
        if terminated or truncated:
            return paid, info
    raise AssertionError("the episode goes on")


# -- masked rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", [RESTORE, BROWSE, WHOLE])
@pytest.mark.parametrize("reward", ["gated", "delta_gate", "web"])
def test_masked_rows_pay_what_strikes_do(env_id: str, reward: str) -> None:
    if (env_id == BROWSE) != (reward == "web"):
        return
    outcomes = {} if reward in ("web", "gated") and env_id != RESTORE else {"web_outcomes": 0.5}
    env = make(env_id, reward=reward, **outcomes)
    text = Arena(env_id.replace("Select", ""), reward=reward, **outcomes)
    for chain in SAMPLE[:3]:
        control = text.send(chain, ["{}"] * 12)
        paid, info = send(env, chain, ["masked"] * 12)
        assert paid == control.paid <= 0
        assert info["outcome"]["status"] == control.outcome["status"]


@pytest.mark.parametrize("action", [-1, 10_000, 2**40, 1.5, None, "0", np.nan, [0]], ids=repr)
@pytest.mark.parametrize("env_id", [RESTORE, BROWSE, WHOLE])
def test_what_is_no_row_is_a_strike_too(env_id: str, action: object) -> None:
    env = make(env_id)
    env.reset(options={"chain": SAMPLE[0]})
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["strikes"]) == (0.0, False, False, 1)


# -- constant rows ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def entries_found() -> dict[str, float]:
    """What a constant choice among readings earns on the sample: the first one, the last one, and none."""
    env = make(RESTORE)
    choices: dict[str, int | str] = {"none": 0, "first": 1, "last": "last"}
    return {name: float(np.mean([send(env, chain, [row])[0] for chain in SAMPLE])) for name, row in choices.items()}


def test_always_the_same_reading_is_worth_no_more_than_the_proposer_s_first(
    entries_found: dict[str, float], honest: Sequence[Played]
) -> None:
    """Readings stand in the order of the proposer, so the first is a guess of its own; others are worth less."""
    control = {one.trajectory.chain_id: float(one.outcome["gate.passed"]) for one in honest}
    worked = float(np.mean([control[chain] for chain in SAMPLE]))
    assert entries_found["none"] == 0, "every message of the sample leads somewhere"
    assert entries_found["last"] < entries_found["first"] <= worked


@pytest.mark.parametrize("decision", list(Decision))
def test_a_constant_report_row_is_worth_the_share_of_its_decision(decision: Decision) -> None:
    env = make(BROWSE)
    kinds = Counter(gold.site.violation_type for gold in GOLD.values() if gold.site.decision is Decision.VIOLATION)
    kind = PSEUDO_TYPES.get(decision, kinds.most_common(1)[0][0])
    paid = [send(env, chain, [stop_row(env), report_row(env, kind)])[0] for chain in GOLD]
    share = sum(gold.site.decision is decision for gold in GOLD.values()) / len(GOLD)
    assert np.mean(paid) == pytest.approx(share)


def test_the_same_first_control_over_and_over_is_worth_stopping_at_once() -> None:
    env = make(BROWSE)
    benign = report_row(env, ViolationType.NONE)
    for chain in SAMPLE:
        control, _ = send(env, chain, [stop_row(env), benign])
        farmed, _ = send(env, chain, [rows_of(env, "controls")[0]] * 12 + [stop_row(env), benign])
        assert farmed == control


@pytest.mark.parametrize("scale", [1.0, 5.0])
@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_evidence_shaping_pays_no_second_visit(honest: Sequence[Played], scale: float, discount: float) -> None:
    """The discounted sum of what it adds is fixed when the episode begins, so a detour can only delay what counts."""
    paid = {"reward": "delta_gate_shaped", "web_outcomes": 0.5, "discount": discount, "evidence_shaping": scale}
    env = make(WHOLE, max_steps=60, **paid)
    one = max(honest, key=lambda played: len(played.actions))
    chain = one.trajectory.chain_id

    def discounted(detour: Sequence[int]) -> float:
        env.reset(options={"chain": chain})
        total, weight = 0.0, 1.0
        for action in one.actions:
            row = env.unwrapped.row_of(action)
            stops = row == stop_row(env)
            for each in [*detour, row] if stops else [row]:
                assert each is not None
                _, reward, ended, _, _ = env.step(each)
                total += weight * float(reward)
                weight *= discount
        assert ended
        return total

    back, reload = (rows_of(env, "free")[[str(kind) for kind in FREE].index(name)] for name in ("back", "reload"))
    control = discounted([])
    assert control > 0
    for detour in ([reload] * 6, [back, reload] * 3, [back] * 6):
        assert discounted(detour) <= control + 1e-9


# -- what rows say ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_with_other_gold("mini", tmp_path_factory.mktemp("other") / "mini")


def walked(env: Any, chain: str, steps: int = 12) -> list[dict[str, Any]]:
    """Return what is observed on the way of whoever takes the seventh possible row, again and again."""
    observation, info = env.reset(seed=3, options={"chain": chain})
    seen = [{**observation, "info": info}]
    for step in range(steps):
        possible = np.flatnonzero(mask_of(observation))
        observation, _, terminated, truncated, info = env.step(int(possible[(7 * step) % len(possible)]))
        if terminated or truncated:
            break
        seen.append({**observation, "info": info})
    return seen


@pytest.mark.parametrize("env_id", [RESTORE, BROWSE, WHOLE])
def test_rows_masks_and_their_order_do_not_change_with_the_gold(env_id: str, other: str) -> None:
    mine, theirs = make(env_id), make(env_id, split=other)
    for chain in SAMPLE:
        for here, there in zip(walked(mine, chain), walked(theirs, chain), strict=True):
            assert here["info"] == there["info"]
            for name in ("context", "options", "action_mask"):
                assert here[name].tobytes() == there[name].tobytes(), name


def test_vectors_show_the_same_whatever_the_gold_is(other: str) -> None:
    def first_looks(split: str) -> dict[str, Any]:
        settings = {"split": split, "candidates": CANDIDATES, "order": "sequential"}
        envs = gym.make_vec(f"riskchain_gym:{RESTORE}", 8, **settings)  # type: ignore[arg-type]
        observations, infos = envs.reset(seed=0)
        return {**observations, "infos": repr(infos)}

    here, there = first_looks("mini"), first_looks(other)
    assert here.pop("infos") == there.pop("infos")
    for name, values in here.items():
        assert values.tobytes() == there[name].tobytes(), name


@pytest.mark.parametrize("env_id", [BROWSE, WHOLE])
def test_report_rows_are_the_same_for_every_chain_and_every_page(env_id: str) -> None:
    env = make(env_id)
    reports = rows_of(env, "reports")
    shown = set()
    for chain in SAMPLE:
        observation, _ = env.reset(options={"chain": chain})
        rows = [*([1] if env_id == WHOLE else []), rows_of(env, "controls")[0], stop_row(env)]
        for row in rows:
            observation, *_ = env.step(row)
        assert mask_of(observation)[reports].all()
        shown.add(observation["options"][reports].tobytes())
    assert len(shown) == 1
