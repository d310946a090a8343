"""The arms that are compared: one reward, one λ, one ŵ, one protocol each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.training.rllib.settings import TrainSettings, make_settings

LAMBDAS = (0.9, 1.0)
W_HATS = ("constant", "outcomes")
PROTOCOLS = ("joint-told", "joint-blind")


@dataclass(frozen=True)
class Arm:
    """One thing that is tried.

    Attributes:
        reward: Name of the reward.
        lambda_: λ of generalised advantage estimation.
        w_hat: ``constant`` or ``outcomes``; ``""`` where the reward does not read it.
        protocol: ``""`` for commit-then-browse, else the name of a config beside this file.
    """

    reward: str
    lambda_: float
    w_hat: str = ""
    protocol: str = ""

    @property
    def label(self) -> str:
        """What it is called in tables and legends, λ left out."""
        return " ".join(part for part in (self.reward, self.w_hat and f"ŵ={self.w_hat}", self.protocol) if part)

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return "-".join(part for part in (self.reward, self.w_hat, self.protocol, f"lambda{self.lambda_:g}") if part)


def first_arms() -> list[Arm]:
    """Return the arms of ``web``: what they learn is what ŵ is read from."""
    return [Arm("web", lambda_) for lambda_ in LAMBDAS]


def other_arms() -> list[Arm]:
    """Return all other arms."""
    return [
        *(Arm("gated", lambda_) for lambda_ in LAMBDAS),
        *(
            Arm(reward, lambda_, w_hat)
            for reward in ("delta_gate", "delta_gate_shaped")
            for w_hat in W_HATS
            for lambda_ in LAMBDAS
        ),
        *(Arm("gated", LAMBDAS[0], protocol=protocol) for protocol in PROTOCOLS),
    ]


@dataclass(frozen=True)
class Setting:
    """What all arms share.

    Attributes:
        sites: Folder by split.
        steps: Environment steps of a run.
        max_steps: Browse actions allowed.
        evaluate: Splits that trained policies are played on.
        values: Further settings of training, over the usual ones.
        starts: Folder of the weights that arms begin with, one file a seed.
        constant: ŵ for all chains.
        outcomes: File of ŵ by chain.
    """

    sites: Mapping[str, str]
    steps: int
    max_steps: int
    evaluate: tuple[str, ...]
    values: Mapping[str, Any]
    starts: Path
    constant: float | None = None
    outcomes: Path | None = None

    def start(self, seed: int) -> Path:
        """Return the file of the weights that all arms of a seed begin with."""
        return self.starts / f"start-seed{seed}.npz"


def settings_of(arm: Arm, seed: int, setting: Setting, *, initial: bool = True) -> TrainSettings:
    """Return how one arm is trained with one seed; γ is 1 everywhere.

    Args:
        arm: The arm.
        seed: The seed.
        setting: What all arms share.
        initial: Whether it begins with the weights of the seed, or with fresh ones.
    """
    env: dict[str, Any] = {
        "split": setting.sites["train"],
        "backend": "text",
        "reward": arm.reward,
        "max_steps": setting.max_steps,
    }
    if arm.w_hat:
        env["web_outcomes"] = setting.constant if arm.w_hat == "constant" else str(setting.outcomes)
    if arm.protocol:
        env["config"] = str(Path(__file__).with_name(f"{arm.protocol}.toml"))
    return make_settings(
        {
            "task": "chain",
            "env": env,
            "seed": seed,
            "steps": setting.steps,
            "gamma": 1.0,
            "lambda_": arm.lambda_,
            "evaluate": {name: setting.sites[name] for name in setting.evaluate},
            "checkpoint_every": 1000,
            "initial": str(setting.start(seed)) if initial else None,
            **setting.values,
        }
    )
