"""The commands ``riskchain agents list``, ``show`` and ``new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.agents.scaffold import Kind, new_agent
from riskchain_gym.agents.spec import AgentSpec, Part, PartSpec
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_folder

agents_app = typer.Typer(help="The agents that there are, and agents of your own.", no_args_is_help=True)

out = make_console()
err = make_console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]


@agents_app.callback()
def _agents() -> None:
    """The agents that there are, and agents of your own."""


@agents_app.command("list")
def agents_list(as_json: Json = False) -> None:
    """List the agents of `baselines/` and the parts that combine to more."""
    from riskchain_gym.agents.registry import agent_names, find_part, find_spec, part_names

    agents = [find_spec(name)[0] for name in agent_names()]
    halves: tuple[Part, ...] = ("restorer", "investigator")
    parts = [find_part(half, name)[0] for half in halves for name in part_names(half)]
    if as_json:
        said = [each.model_dump(mode="json") for each in agents]
        out.print_json(data={"agents": said, "parts": [each.model_dump(mode="json") for each in parts]})
        return
    out.print(_table("Agents", agents, "kind"))
    out.print(_table("Parts: RESTORER+INVESTIGATOR is an agent", parts, "part"))
    say(err, "llm:MODEL may stand for llm. riskchain agents new NAME writes an agent of your own.")


@agents_app.command("show")
def agents_show(
    agent: Annotated[str, typer.Argument(help="Agent by name, RESTORER+INVESTIGATOR, or a TOML file.")],
) -> None:
    """Print what is said of an agent and of its parts, as JSON."""
    from riskchain_gym.agents.registry import asks_model, find_spec, parts_of

    spec, file = find_spec(agent)
    said = {"file": str(file) if file.exists() else None, "agent": spec.model_dump(mode="json")}
    parts = parts_of(spec)
    told = {**said, "parts": [part.model_dump(mode="json") for part in parts]}
    out.print_json(data=told | (_choices() if any(map(asks_model, parts)) else {}))


@agents_app.command("new")
def agents_new(
    name: Annotated[str, typer.Argument(help="Name of the agent, e.g. my-agent.")],
    part: Annotated[
        Kind, typer.Option(help="A whole agent, one half of one, or settings of the language-model agent.")
    ] = "agent",
    to: Annotated[
        Path | None, typer.Option("--out", help="Folder for it (default: ./NAME).", show_default=False)
    ] = None,
) -> None:
    """Write a new agent with a test; it plays at once, and is yours to change."""
    folder = to or Path(name)
    check_folder(folder)
    files = new_agent(name, folder, part)
    for file in files:
        say(out, str(file))
    further = " --model MODEL --base-url http://HOST:PORT/v1" if part == "llm" else " --backend text"
    say(err, f"\nTest it:  pytest {files[-1]}")
    say(err, f"Run it:   riskchain run --agent {files[0]} --split mini{further} --out runs/{name}")


def _choices() -> dict[str, object]:
    """Return what can be chosen about the language-model agent with ``--option`` and ``--set``, and the defaults."""
    from riskchain_gym.agents.llm.options import LLMOptions
    from riskchain_gym.llm.settings import ModelSettings

    usual = LLMOptions().model_dump(mode="json")
    options = LLMOptions.model_fields.items()
    settings = ModelSettings(base_url="http://127.0.0.1/v1", model="any").model_dump(mode="json")
    return {
        "option": {name: {"default": usual[name], "what": field.description} for name, field in options},
        "set": {name: value for name, value in settings.items() if name not in ("base_url", "model")},
    }


def _table(title: str, specs: list[AgentSpec] | list[PartSpec], column: str) -> Table:
    table = Table("Name", column.capitalize(), "What it is", title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for spec in specs:
        table.add_row(escape(spec.name), getattr(spec, column), escape(spec.summary))
    return table
