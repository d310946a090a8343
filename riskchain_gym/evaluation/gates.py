"""What messages were restored to, as a gate that the investigations of any run of the split can be put behind."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.splits import PUBLIC, load_gold, load_manifest
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.restored import restored
from riskchain_gym.evaluation.score import check_split
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.messages.official import read_predictions
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.failures import Failure
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import GATE_VARIANT
from riskchain_gym.protocol.outcome import GateResult, RestorationResult
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.gate import gate
from riskchain_gym.scoring.restoration import score_restoration

_BEFORE_VARIANT = "--"


@dataclass(frozen=True)
class Behind:
    """What one chain's message was restored to.

    Attributes:
        gate: Whether the entry is right; ``None`` where the restoration was lost to infrastructure.
        restoration: How the restored text compares; ``None`` likewise.
        failures: What went wrong while it was restored.
    """

    gate: GateResult | None
    restoration: RestorationResult | None
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class Gate:
    """The restorations that investigations are put behind.

    Attributes:
        name: Agent of the run, or model of the predictions.
        identity: Identity of the run, or SHA-256 of the file of predictions.
        split_sha256: Hash of the split's public file.
        chains: What every chain's message was restored to, by chain id.
    """

    name: str
    identity: str
    split_sha256: str
    chains: Mapping[str, Behind]


def read_gate(path: Path, split: str) -> Gate:
    """Return the restorations in a run folder, or in a file of predictions for the messages of a split.

    A prediction's sample id is that of its chain and variant, ``CHAIN--v000``; those of further variants are passed
    over. A chain without a prediction is not among the restorations.

    Args:
        path: A run folder, or a JSON Lines file of published prediction rows.
        split: The split whose messages were restored.

    Raises:
        ConfigError: The run began on the sites and restored nothing.
        InputFileError: The run or the file is missing or damaged, or is of another split.
        UnknownNameError: There is no such split.
    """
    if not path.is_file():
        return gate_of(RunFolder.open(path))
    gold = load_gold(split)
    found: dict[str, Behind] = {}
    models: set[str] = set()
    for row in read_predictions(path):
        chain, _, variant = row.sample_id.rpartition(_BEFORE_VARIANT)
        if chain not in gold:
            problem = (
                f"'{row.sample_id}' is no message of split '{split}': sample ids are "
                f"CHAIN{_BEFORE_VARIANT}{GATE_VARIANT}"
            )
            raise InputFileError(path, "sample_id", problem)
        models.add(row.model_id)
        if variant == GATE_VARIANT:
            message = gold[chain].message
            found[chain] = Behind(gate(row, message.entry), score_restoration(row.restoration(), message))
    if len(models) > 1:
        raise InputFileError(path, "model_id", f"has predictions of {', '.join(sorted(models))}: give one model a file")
    here = load_manifest(split).sha256[PUBLIC]
    return Gate(models.pop(), hashlib.sha256(path.read_bytes()).hexdigest(), here, found)


def gate_of(run: RunFolder) -> Gate:
    """Return what a run restored the gate's variant of its messages to.

    Raises:
        ConfigError: The run began on the sites and restored nothing.
        InputFileError: The run is damaged, or was made on another split than the one here.
        UnknownNameError: There is no such split here.
    """
    if run.manifest.env_id == ENV_IDS["browse"]:
        raise ConfigError(f"{run.path} began on the sites and restored nothing: give a run that has a restore phase.")
    check_split(run)
    gold = load_gold(run.manifest.split)
    found: dict[str, Behind] = {}
    for records in (run.records(), run.restorations()):
        for record in records:
            if record.trajectory.variant == GATE_VARIANT:
                chain = record.trajectory.chain_id
                found[chain] = _behind(record.trajectory, gold[chain])
    return Gate(run.manifest.agent, run.identity, run.manifest.split_sha256, found)


def last_restore_step(trajectory: Trajectory) -> int:
    """Return the index of the last step of the restore phase, -1 if there is none."""
    return max((step.index for step in trajectory.steps if step.phase is Phase.RESTORE), default=-1)


def _behind(trajectory: Trajectory, gold: GoldChain) -> Behind:
    message, lost = restored(trajectory, gold.message)
    if lost:
        return Behind(None, None)
    last = last_restore_step(trajectory)
    failures = tuple(failure for failure in trajectory.failures if failure.step <= last)
    return Behind(message.gate, message.result, failures)
