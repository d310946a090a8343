"""Reports that are right: the oracle's, on the text backend, for judges to be tried on."""

from __future__ import annotations

from collections.abc import Callable

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.oracle import OracleAgent
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.episode import run_episode
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.trajectory import Trajectory


def oracle_reports(
    split: str, limit: int | None = None, progress: Callable[[int], None] | None = None
) -> list[tuple[Trajectory, GoldChain]]:
    """Return the oracle's episode and the gold of the first chains of a split, in order of their ids.

    Args:
        split: Name or path of the split; it must have gold.
        limit: How many chains at most; all of them by default.
        progress: Called with the number of episodes that are done.

    Raises:
        UnknownNameError: There is no such split.
        InputFileError: The split has no gold, or a file of it is damaged.
        InfrastructureError: An episode was lost.
        OracleError: The gold of a chain does not fit its site.
    """
    gold = load_gold(split)
    chains = [chain.chain_id for chain in load_public(split)][:limit]
    env = RunSettings(split=split, backend="text", observe=()).make_env()
    oracle, encoder = OracleAgent(), ScreenshotEncoder()
    instructions = build_instructions(max_steps=env.unwrapped.config.max_steps)  # type: ignore[attr-defined]
    done: list[tuple[Trajectory, GoldChain]] = []
    try:
        for chain in chains:
            oracle.prepare(gold[chain])
            trajectory = run_episode(env, oracle, instructions, chain, encoder).trajectory
            if trajectory.infra_cause:
                raise InfrastructureError(trajectory.infra_cause, f"the oracle's episode of chain '{chain}' was lost")
            done.append((trajectory, gold[chain]))
            if progress is not None:
                progress(len(done))
    finally:
        env.close()  # type: ignore[no-untyped-call]
    return done
