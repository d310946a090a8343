"""The restorer's training: what it is trained with, and the cloned start from which it learns by the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.training.playing import chain_ids
from riskchain_gym.training.restoring import choices_of, edits_of
from riskchain_gym.training.rllib.cloning import Cloned, CloneSettings, Pairs, cloned_weights
from riskchain_gym.training.rllib.settings import TrainSettings

Interface = Literal["select", "edit"]
INTERFACES: tuple[Interface, ...] = ("select", "edit")

START = "start.npz"
"""Weights that a run begins with, in its folder."""

CLONED = "cloned.json"
"""What cloning has come to, beside them."""

TEACHER = "rules"
"""The restorer that choosing is cloned from."""

EDIT_MODULE = "riskchain_gym.training.rllib.edit_module:EditModule"

_VALUES: Mapping[Interface, Mapping[str, Any]] = {
    "select": {
        "env_id": "RiskChainRestoreSelect-v0",
        "env": {"split": "messages/train", "pool": 8192},
        "steps": 24_576,
        "lr": 5e-4,
    },
    "edit": {
        "env_id": "RiskChainRestoreEdit-v0",
        "env": {"split": "messages/train", "pool": 8192},
        "module": EDIT_MODULE,
        "hidden": [96],
        "steps": 16_384,
        "epochs": 2,
        "lr": 1e-4,
        "entropy": 0.0,
        "critic_first": 1,
    },
}
_CLONED_CHAINS: Mapping[Interface, int] = {"select": 2048, "edit": 12_288}
_CLONING: Mapping[Interface, CloneSettings] = {
    "select": CloneSettings(epochs=8, entropy=0.3),
    "edit": CloneSettings(epochs=8, minibatch=64),
}


def restorer_values(interface: str) -> dict[str, Any]:
    """Return the values of the settings of an interface, over those that are usual for the task.

    Args:
        interface: ``select``, to choose among candidate entries, or ``edit``, to keep, drop or map each character.

    Raises:
        ConfigError: There is no such interface.
    """
    for name in INTERFACES:
        if interface == name:
            return dict(_VALUES[name])
    raise ConfigError(f"There is no interface '{interface}' to restore with: give one of {', '.join(INTERFACES)}.")


def interface_of(settings: TrainSettings) -> Interface:
    """Return the interface that the environment of a run has.

    Raises:
        ConfigError: It is none of a restorer's.
    """
    for name in INTERFACES:
        if settings.env_id == _VALUES[name]["env_id"]:
            return name
    raise ConfigError(f"A restorer is cloned for RiskChainRestoreSelect-v0 or …Edit-v0, not for '{settings.env_id}'.")


def first_chains(settings: TrainSettings, count: int) -> list[str]:
    """Return the first chains of the split that a run is trained on, fewer where there are fewer.

    Args:
        settings: Those of the run.
        count: How many.
    """
    from riskchain_gym.training.rllib.algorithm import env_name

    return chain_ids(env_name(settings.env_id), settings.env, count)


def demonstrated(
    settings: TrainSettings,
    interface: Interface,
    count: int | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Pairs:
    """Return what to clone, on the first chains of the training split: the rules' choices, or the edits of the traces.

    Args:
        settings: Those of the run.
        interface: Its interface.
        count: How many chains; by default that of the interface.
        progress: Called with how many chains are done and how many there are.
    """
    chains = first_chains(settings, count or _CLONED_CHAINS[interface])
    if interface == "select":
        return Pairs.of(*choices_of(TEACHER, settings.env, chains, progress=progress))
    return Pairs.of(*edits_of(settings.env, chains, progress=progress))


def cloned_start(
    settings: TrainSettings, interface: Interface, pairs: Pairs, folder: Path
) -> tuple[TrainSettings, Cloned]:
    """Clone what a run begins with into its folder, and return the settings that begin with it.

    Args:
        settings: Those of the run.
        interface: Its interface, which decides how it is cloned.
        pairs: What to clone.
        folder: The run folder.
    """
    make_folder(folder)
    start = folder / START
    cloned = cloned_weights(settings, pairs, _CLONING[interface].model_copy(update={"seed": settings.seed}), start)
    write_atomically(folder / CLONED, (cloned.model_dump_json(indent=2) + "\n").encode())
    return settings.with_values({"initial": str(start)}), cloned
