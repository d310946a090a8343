"""Runs as a ``WebOutcomes`` file: what an agent's investigation comes to on each chain, for rewards that read ŵ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from riskchain_gym.envs.web_outcomes import WebOutcome
from riskchain_gym.evaluation.exports.played import scored_outcomes
from riskchain_gym.evaluation.sameness import agent_key
from riskchain_gym.evaluation.score import check_split
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus

_NAMED = 3


def web_outcome_rows(runs: Sequence[RunFolder]) -> Iterator[dict[str, Any]]:
    """Yield a row for each chain, by chain id: ŵ is the mean of a^w over the episodes that count.

    A chain of which every episode was lost to infrastructure has no row: nothing is known of it, and least of all 0.

    Args:
        runs: One run, or repeats of one agent on one split.

    Raises:
        ConfigError: They are of several agents, settings or splits, one is there twice, or no episode counts.
        InputFileError: A run is damaged, was not scored, or was made on another split than the one here.
        UnknownNameError: The split is not here.
    """
    found = _web_outcomes(runs)
    if not any(found.values()):
        raise ConfigError("No episode of these runs has a result, so there is no ŵ to write: run the agent again.")
    for chain_id, values in sorted(found.items()):
        if values:
            yield WebOutcome(chain_id=chain_id, w_hat=sum(values) / len(values)).model_dump(mode="json")


def without_row(runs: Sequence[RunFolder]) -> list[str]:
    """Return in a sentence which chains have no row, if some have none; training on them is refused.

    Raises:
        RiskChainError: As :func:`web_outcome_rows` does.
    """
    lost = sorted(chain_id for chain_id, values in _web_outcomes(runs).items() if not values)
    if not lost:
        return []
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    chains = "1 chain has" if len(lost) == 1 else f"{len(lost)} chains have"
    return [f"{chains} no row, as no episode of it has a result: {', '.join(lost[:_NAMED])}{more}."]


def _web_outcomes(runs: Sequence[RunFolder]) -> dict[str, list[int]]:
    """Return a^w of every episode that counts, by chain; an empty list for a chain that was planned and has none."""
    _check(runs)
    found: defaultdict[str, list[int]] = defaultdict(list)
    for run in runs:
        check_split(run)
        for chain_id in run.manifest.chains:
            found[chain_id] += []
        for chain_id, outcome in scored_outcomes(run, "ŵ").items():
            if outcome.status is not EpisodeStatus.INFRA_ERROR and outcome.web_correct is not None:
                found[chain_id].append(outcome.web_correct)
    return dict(found)


def _check(runs: Sequence[RunFolder]) -> None:
    if len({run.manifest.split_sha256 for run in runs}) > 1:
        raise ConfigError("ŵ is of the chains of one split, and these runs are on several: write a file for each.")
    if len({agent_key(run.manifest) for run in runs}) > 1:
        agents = ", ".join(dict.fromkeys(f"'{run.manifest.agent}'" for run in runs))
        raise ConfigError(
            f"ŵ is what one agent comes to under one set of rules, and these runs are of several ({agents}): give the "
            "repeats of one."
        )
    if len({run.identity for run in runs}) < len(runs):
        raise ConfigError("One of the runs is there twice, and would count twice: give each run once.")
