"""The command that runs one chain again as a run did."""

from __future__ import annotations

import shlex

from pydantic import JsonValue

from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.evaluation.naming import models_of
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import options_in
from riskchain_gym.protocol.model import canonical_json


def command_again(run: RunManifest, chain: str) -> str | None:
    """Return the command for a shell, or ``None`` where no agent could be run again, as where people answered.

    Where the model is served and the key are of a machine and not of the run: the command leaves them to its flags.

    Args:
        run: What was run.
        chain: The chain.
    """
    if not run.agent_config:
        return None
    words = ["riskchain", "run", "--agent", run.agent, "--split", run.split, "--chain", chain]
    words += ["--backend", run.environment.backend]
    if "max_steps" in run.env_kwargs:
        words += ["--budget", str(run.environment.max_steps)]
    spec = run.agent_config.get("spec")
    fixed = isinstance(spec, dict) and bool(spec.get("model"))
    models = models_of(run)
    if len(models) == 1 and not fixed and models[0] not in run.agent:
        words += ["--model", models[0]]
    words += [part for name, value in _chosen(run).items() for part in ("--option", f"{name}={_said(value)}")]
    return shlex.join([*words, "--out", f"runs/again-{chain}"])


def _chosen(run: RunManifest) -> dict[str, JsonValue]:
    usual = LLMOptions().model_dump(mode="json")
    chosen = [options for options in options_in(run.agent_config) if options.keys() <= usual.keys()]
    return {name: value for options in chosen for name, value in options.items() if value != usual[name]}


def _said(value: JsonValue) -> str:
    return value if isinstance(value, str) else canonical_json(value)
