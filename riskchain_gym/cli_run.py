"""The command that runs one agent over a split, and goes on where it was ended."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from riskchain_gym.cli_run_ends import estimate_run, finish_run
from riskchain_gym.cli_score import score
from riskchain_gym.console import failure, make_console, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import GATE_VARIANT

if TYPE_CHECKING:
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.agents.registry import LoadedAgent
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.evaluation.settings import RunSettings

out = make_console()
err = make_console(stderr=True)


def run(
    agent: Annotated[
        str, typer.Option(help="Agent: a name, RESTORER+INVESTIGATOR, llm:MODEL in place of a part, or a TOML file.")
    ],
    split: Annotated[
        str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")
    ] = "mini",
    to: Annotated[
        Path | None,
        typer.Option("--out", help="Run folder; the same run goes on in it (default: runs/SPLIT-AGENT[-MODEL])."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Episodes side by side.")] = 2,
    backend: Annotated[
        str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")
    ] = "chromium",
    chains: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many chains.", show_default=False)
    ] = None,
    chain: Annotated[
        list[str] | None, typer.Option(help="Only this chain; repeat for more.", show_default=False)
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Name of the model (default: RISKCHAIN_LLM_MODEL).", show_default=False)
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Its address (default: RISKCHAIN_LLM_BASE_URL).", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Option of the agent, as name=value; repeat for more.", show_default=False)
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Setting of the model, as name=value, e.g. temperature=0.7.", show_default=False),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="TOML with prices, over those that ship.", show_default=False)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop once the run has cost so many US dollars.", show_default=False)
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for the model's answers (default: that of the run).", show_default=False)
    ] = None,
    variants: Annotated[
        str,
        typer.Option(
            help=f"Which variants of a message are restored: that of the gate ({GATE_VARIANT}), all, or a list. Those "
            "beside the gate's are restored on their own."
        ),
    ] = GATE_VARIANT,
    budget: Annotated[
        str | None,
        typer.Option(
            help="Browse actions that the agent is told, e.g. 60 (default: 30); of several (15,30,60) each is a run, "
            "below --out.",
            show_default=False,
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Run it so often; each is a run of its own, below --out.")] = 1,
    agent_deadline: Annotated[
        float, typer.Option(min=0.1, help="Seconds an agent may take for one action, its model's answers included.")
    ] = 1800,
    worker_deadline: Annotated[
        float, typer.Option(min=0.1, help="Seconds an environment may take for one reset or step.")
    ] = 300,
    ray: Annotated[
        str | None,
        typer.Option(help="Play environments on this Ray cluster, e.g. auto or HOST:6379.", show_default=False),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="Rules of another protocol, a name in envs/ or a TOML file, e.g. joint (default: the benchmark's).",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost; ask nothing and write nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Run one agent over a split; the same command again goes on where it was ended, and asks nothing twice."""
    from riskchain_gym.agents.overrides import Overrides
    from riskchain_gym.evaluation.run_models import Asking
    from riskchain_gym.evaluation.series import further_variants, members
    from riskchain_gym.evaluation.store import SEAL
    from riskchain_gym.llm.prices import shipped_prices

    overrides = _overrides(model, base_url, _assignments("--set", setting), _assignments("--option", option))
    given = {agent: overrides} if overrides != Overrides() else {}
    asking = Asking(given, shipped_prices(prices) if prices else None, max_cost, cache)
    settings, named, asked = _settings(agent, asking, split, backend, workers, _chains(split, chains, chain))
    restored = further_variants(split, settings.chains or (), variants.split(","))
    settings = replace(settings, agent_seconds=agent_deadline, worker_seconds=worker_deadline, ray=ray)
    settings = replace(settings, restored=restored, config=config)
    ruled = [Path(config).stem] if config is not None else []
    folder = to or Path("runs") / _slug(split, *named, *ruled)
    planned = members(folder, _budgets(budget), repeats)
    if not all((each.path / SEAL).exists() for each in planned):
        check_folder(folder)  # what is frozen is shown, also from where nothing can be written
    missing: dict[str, None] = {}
    for each in planned:
        one = replace(settings, max_steps=each.max_steps, repeat=each.repeat)
        if len(planned) > 1:
            say(err, str(each.path))
        if dry_run:
            estimate_run(agent, each.path, one, as_json)
        else:
            missing[finish_run(agent, each.path, one, asked, as_json, shown=len(planned) == 1)] = None
    if len(planned) > 1 and not dry_run:
        score([folder], as_json=as_json)
        say(err, f"\nRuns: {folder.resolve()}")
    if sentences := " ".join(filter(None, missing)):
        raise failure(sentences, 4)


def _settings(
    agent: str, asking: Asking, split: str, backend: str, workers: int, chains: tuple[str, ...]
) -> tuple[RunSettings, list[str], str]:
    """Return how to run, what the agent and its model are called, and where that is asked; nothing is asked yet."""
    from riskchain_gym.evaluation.planning import usual_settings
    from riskchain_gym.evaluation.settings import RunSettings

    settings, loaded = usual_settings(agent, RunSettings(split, backend, (), workers, chains, asking))
    said = {"--prices": asking.prices, "--max-cost": asking.max_cost, "--cache": asking.cache}
    if not loaded.asks_model and (flags := [flag for flag, value in said.items() if value is not None]):
        raise ConfigError(f"Agent '{loaded.spec.name}' asks no model: leave out {' and '.join(flags)}.")
    given = asking.overrides.get(agent)
    named = sorted({each.model for each in loaded.models}) if given is not None or not loaded.spec.model else []
    # A colon stays visible: llm:MODEL and llm with --model are agents of two names, whose runs do not mix.
    names = [loaded.spec.name.replace(":", "@"), *(name for name in named if name not in loaded.spec.name)]
    return settings, names, _where(loaded, given)


def _where(loaded: LoadedAgent, given: Overrides | None) -> str:
    """Return a sentence on which models are asked at which addresses; it is for the terminal, and kept nowhere."""
    from riskchain_gym.agents.models import SCRIPTED
    from riskchain_gym.llm.settings import BASE_URL_VARIABLE

    asked = dict.fromkeys(f"'{each.model}' at {each.base_url}" for each in loaded.models)
    named, variable = loaded.spec.model.get("base_url"), os.environ.get(BASE_URL_VARIABLE)
    hidden = variable and named not in (None, SCRIPTED) and variable.rstrip("/") != str(named).rstrip("/")
    wins = f" That is the agent's file's address, which wins over {BASE_URL_VARIABLE}: give --base-url to win over it."
    return f"Asked: {', '.join(asked)}.{wins if hidden and not (given and given.base_url) else ''}" if asked else ""


def _overrides(model: str | None, base_url: str | None, settings: dict[str, Any], options: dict[str, Any]) -> Overrides:
    from riskchain_gym.agents.overrides import Overrides

    if wrong := [name for name, value in options.items() if not isinstance(value, str | int | float)]:
        raise ConfigError(f"--option {wrong[0]}: an option is a text, a number, true or false.")
    try:
        return Overrides(model=model, base_url=base_url, settings=settings, options=options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = " ".join(ascii(part)[1:-1] for part in first["loc"] if isinstance(part, str))
        raise ConfigError(f"{where}: {first['msg']}.") from None


def _chains(split: str, first: int | None, named: list[str] | None) -> tuple[str, ...]:
    from riskchain_gym.benchmark.splits import load_public

    if first is not None and named:
        raise ConfigError("--chains and --chain contradict each other: give one of them.")
    return tuple(named or [chain.chain_id for chain in load_public(split)][:first])


def _budgets(given: str | None) -> tuple[int, ...]:
    """Read budgets, e.g. ``15,30,60``."""
    try:
        return tuple(int(each) for each in given.split(",")) if given is not None else ()
    except ValueError:
        raise ConfigError(f"--budget takes numbers of browse actions, e.g. 15,30,60, not {given!a}.") from None


def _assignments(flag: str, given: list[str] | None) -> dict[str, Any]:
    """Read ``name=value`` arguments; a value is JSON where it can be, else the text itself."""
    found: dict[str, Any] = {}
    for each in given or ():
        name, equals, text = each.partition("=")
        if not name or not equals:
            raise ConfigError(f"{flag} takes name=value, not {each!a}.")
        if name in found:
            raise ConfigError(f"{flag} names '{name}' twice: give it once.")
        try:
            found[name] = json.loads(text)
        except (ValueError, RecursionError):
            found[name] = text
        try:
            json.dumps([name, found[name]], ensure_ascii=False, allow_nan=False).encode()
        except ValueError:
            raise ConfigError(
                f"{flag} {ascii(name)[1:-1]}: it holds a number without end, or a character that is none: give another."
            ) from None
    return found


def _slug(split: str, *names: str) -> str:
    parts = [Path(split).name or "split", *names]
    return "-".join(re.sub(r"[^A-Za-z0-9._+@-]+", "-", part) for part in parts)[:120]
