"""The one command, ``riskchain``.

Exit codes: 0 done; 1 the job ran and found a fault; 2 bad usage or bad input; 3 something is not installed;
4 infrastructure failed; 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table
from typer.core import TyperGroup

from riskchain_gym import __version__
from riskchain_gym.cli_agents import agents_app
from riskchain_gym.cli_annotate import annotate
from riskchain_gym.cli_audit import audit_app
from riskchain_gym.cli_export import export
from riskchain_gym.cli_fake_llm import serve_fake_llm
from riskchain_gym.cli_import import sites_app
from riskchain_gym.cli_judge_pairs import judge_app
from riskchain_gym.cli_labels_items import labels_app
from riskchain_gym.cli_leaderboard import leaderboard
from riskchain_gym.cli_message_scores import messages_app
from riskchain_gym.cli_official import official_app
from riskchain_gym.cli_run import run
from riskchain_gym.cli_runs import compare, demo, report
from riskchain_gym.cli_score import score
from riskchain_gym.cli_train import train
from riskchain_gym.cli_verify import runs_app
from riskchain_gym.console import failure, make_console, progress_on, say
from riskchain_gym.places import check_file
from riskchain_gym.protocol.errors import (
    BrowserUnavailableError,
    ConfigError,
    InfrastructureError,
    InputFileError,
    MissingExtraError,
    RiskChainError,
)

out = make_console()
err = make_console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
Split = Annotated[str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote.")]
Backend = Annotated[str, typer.Option(help="Browse backend: chromium, or text (no browser, no screenshots).")]


class Commands(TyperGroup):
    """The commands; every expected failure of one is a sentence on stderr and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (MissingExtraError, BrowserUnavailableError) as error:
            raise failure(str(error), 3) from error
        except InfrastructureError as error:
            raise failure(str(error), 4) from error
        except RiskChainError as error:
            raise failure(str(error), 2) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise failure(_sentence(error), 4 if error.errno in _FULL else 2) from error
        except KeyboardInterrupt as error:
            err.print("Interrupted.")
            raise typer.Exit(130) from error


_ESCAPES = "riskchain-escapes"
_FULL = (errno.ENOSPC, errno.EDQUOT)

app = typer.Typer(
    name="riskchain",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


app.add_typer(agents_app, name="agents")
app.add_typer(audit_app, name="audit")
app.add_typer(judge_app, name="judge")
app.add_typer(labels_app, name="labels")
app.add_typer(messages_app, name="messages")
app.add_typer(official_app, name="official")
app.add_typer(runs_app, name="runs")
app.add_typer(sites_app, name="sites")


def _tell_version(wanted: bool) -> None:
    if wanted:
        say(out, f"riskchain {__version__}")
        raise typer.Exit


@app.callback()
def _riskchain(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Restore a disguised message, commit, investigate its site, file a cited report."""


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that is not UTF-8 shows an escape for what it cannot show, instead of ending the command.
        codecs.register_error(_ESCAPES, _escaped)
        sys.stdout.reconfigure(errors=_ESCAPES)
    app()


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks as JSON does, so that JSON stays JSON."""
    assert isinstance(error, UnicodeEncodeError), "only output is escaped"
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _sentence(error: OSError) -> str:
    where = f"'{error.filename}'" if error.filename else "a file"
    if error.errno in _FULL:
        return f"Cannot write {where} ({error.strerror}): make room there and run the same command again."
    return f"Cannot read or write {where} ({error.strerror or error}): check its path, its permissions and the disk."


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check versions, extras, browser, fonts and machine; say what is missing and how to get it."""
    from riskchain_gym.envs.doctor import diagnose

    with err.status("Looking at this machine …"):
        checks = diagnose()
    if as_json:
        out.print_json(data=[asdict(check) for check in checks])
    else:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False)
        for heading in ("", "Check", "Found", "What to do"):
            table.add_column(heading, overflow="fold")
        for check in checks:
            mark = "[green]✓[/]" if check.ok else "[red]✗[/]" if check.required else "[yellow]–[/]"
            table.add_row(mark, escape(check.name), escape(check.detail), escape(check.fix))
        out.print(table)
        out.print("✓ fine, – missing but not needed for the demo, ✗ needs mending", style="dim")
    if not all(check.ok for check in checks if check.required):
        raise typer.Exit(1)


app.command()(demo)
app.command()(run)
app.command()(score)
app.command()(report)
app.command()(compare)
app.command()(leaderboard)
app.command()(export)
app.command()(train)
app.command()(annotate)
app.command()(serve_fake_llm)


@app.command()
def restore(
    inputs: Annotated[
        Path, typer.Argument(help="JSONL: inputs.jsonl of a build or import, published input rows, or short rows.")
    ],
    to: Annotated[Path, typer.Option("--out", help="JSONL of predictions to write.")],
    agent: Annotated[str, typer.Option(help="Restorer.")] = "rules",
    run_id: Annotated[str, typer.Option(help="Run id written into every prediction.")] = "run-0",
) -> None:
    """Restore every message of a file; the agent sees platform, surface and content, never an id."""
    from riskchain_gym.agents.registry import load_restorer
    from riskchain_gym.messages.official import check_ids, read_inputs, write_predictions

    restorer = load_restorer(agent)
    model_id = agent.replace("+", "-")  # the published rows allow no "+" in an id
    check_ids(model_id=model_id, run_id=run_id)
    check_file(to)
    if to.exists() and inputs.exists() and to.samefile(inputs):
        raise InputFileError(to, "", "is the input itself, give another file for the predictions")
    tasks = list(read_inputs(inputs))
    with progress_on(err) as progress:
        answers = [(task_id, restorer.restore(m)) for task_id, m in progress.track(tasks, description="Restoring")]
    write_predictions(to, answers, model_id=model_id, run_id=run_id)
    named = sum(bool(commit.entry_candidates) for _, commit in answers)
    say(err, f"{len(answers)} predictions, {named} with an entry: {to}")


@app.command()
def play(
    chain: Annotated[str | None, typer.Argument(help="Chain id (default: the first of the split).")] = None,
    split: Split = "mini",
    backend: Backend = "text",
) -> None:
    """Walk one chain by hand; the dialogue is on stderr, how you did is JSON on stdout."""
    import gymnasium as gym

    from riskchain_gym.agents.human import HumanAgent
    from riskchain_gym.agents.instructions import build_instructions
    from riskchain_gym.benchmark.splits import find_chain, load_gold, load_public
    from riskchain_gym.envs.screenshots import ScreenshotEncoder
    from riskchain_gym.evaluation.episode import run_episode
    from riskchain_gym.protocol.failures import EpisodeStatus
    from riskchain_gym.scoring.episode import score_episode

    chosen = find_chain(split, chain).chain_id if chain else load_public(split)[0].chain_id
    gold = load_gold(split).get(chosen)
    if gold is None:
        raise ConfigError(f"Split '{split}' has no gold for chain '{chosen}', nothing could be scored: rebuild it.")
    env = gym.make("RiskChain-v0", split=split, backend=backend, reward="none", disable_env_checker=True)
    person = HumanAgent(ask=_ask, show=lambda text: typer.echo(text, err=True))
    try:
        budget = env.unwrapped.config.max_steps  # type: ignore[attr-defined]
        episode = run_episode(env, person, build_instructions(max_steps=budget), chosen, ScreenshotEncoder())
    except EOFError:
        raise failure("The input ended before the episode did: nothing was scored.", 2) from None
    finally:
        env.close()  # type: ignore[no-untyped-call]
    out.print_json(data=score_episode(episode.trajectory, gold).flat())
    if episode.trajectory.status is EpisodeStatus.INFRA_ERROR:
        raise failure(f"The episode was lost to infrastructure ({episode.trajectory.infra_cause}): play it again.", 4)


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(help="commit, action, report, official-paired, …; leave out for all.")
    ] = None,
) -> None:
    """Print the JSON schema of what crosses a boundary, of labels, and of the rows that the official scorers take."""
    from riskchain_gym.benchmark.labels.schemas import LABEL_SCHEMAS
    from riskchain_gym.protocol.schemas import SCHEMAS
    from riskchain_gym.scoring.official.schemas import OFFICIAL_SCHEMAS

    known = SCHEMAS | LABEL_SCHEMAS | OFFICIAL_SCHEMAS
    if name is not None and name not in known:
        raise ConfigError(f"There is no schema '{name}'. Schemas: {', '.join(known)}.")
    chosen = known if name is None else {name: known[name]}
    built = {key: model.model_json_schema() for key, model in chosen.items()}
    out.print_json(data=built if name is None else built[name])


@app.command()
def build(
    what: Annotated[
        str,
        typer.Argument(help="sites, messages, imported, or a plan of your own, by its name in sites/splits."),
    ],
    to: Annotated[Path, typer.Option("--out", help="Folder to write into.")],
    folders: Annotated[
        list[Path] | None, typer.Argument(help="imported: folders of `riskchain sites import`.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="sites, messages, imported: public seed.")] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(help="sites, messages: file with a secret of 32 random bytes or more, instead of a seed."),
    ] = None,
    train_sessions: Annotated[int | None, typer.Option(min=1, help="messages: training sessions to write.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", "--split", help="sites, messages: split to build; repeat for more (default: all)."),
    ] = None,
    content: Annotated[
        Path | None, typer.Option(help="sites: private content folder, laid out like sites/ (default: the project's).")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="sites: an earlier build may lose splits that this one does not make.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="sites: processes (default: 2).")] = None,
    labels: Annotated[
        Path | None, typer.Option(help="imported: labels that `riskchain labels freeze` wrote.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Build the sites and their chains, the messages, or a split of your own; the same input gives the same bytes."""
    from riskchain_gym.cli_build import build_plan, build_sites
    from riskchain_gym.cli_import import build_imported_split
    from riskchain_gym.cli_messages import build_messages

    options = {"--seed": seed, "--key-file": key_file, "--split": only}
    foreign = {
        "--train-sessions": (train_sessions, "messages"),
        "--content": (content, "sites"),
        "--replace": (replace or None, "sites"),
        "--workers": (workers, "sites"),
        "--labels": (labels, "imported"),
    }
    for name, (value, owner) in foreign.items():
        if value is not None and what != owner:
            raise ConfigError(f"{name} belongs to `riskchain build {owner}`, not to '{what}': leave it out.")
    if folders and what != "imported":
        raise ConfigError(f"'{folders[0]}' is no part of `riskchain build {what}`: only 'imported' takes folders.")
    if what == "imported":
        for name in ("--key-file", "--split"):
            if options[name] is not None:
                raise ConfigError(f"{name} does not go with `riskchain build imported`: leave it out.")
        build_imported_split(folders or (), to, seed=seed, labels=labels, as_json=as_json)
    elif what == "messages":
        build_messages(to, seed=seed, key_file=key_file, train_sessions=train_sessions, only=only, as_json=as_json)
    elif what == "sites":
        build_sites(
            to,
            seed=seed,
            key_file=key_file,
            only=only,
            content=content,
            replace=replace,
            workers=workers or 2,
            as_json=as_json,
        )
    elif given := [name for name, value in options.items() if value is not None]:
        raise ConfigError(
            f"{given[0]} belongs to `riskchain build sites` and to `messages`: '{what}' is built from its plan alone."
        )
    else:
        build_plan(what, to)


def _ask(prompt: str) -> str:
    say(err, prompt, style="bold cyan", end=" > ")
    try:
        return input()
    except (EOFError, KeyboardInterrupt):
        err.print()
        raise
    except UnicodeDecodeError as error:
        raise ConfigError(f"The input is not {error.encoding} ({error.reason}): give it as UTF-8 text.") from error
