"""The command that writes runs in the forms that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file, check_outside_runs
from riskchain_gym.protocol.errors import ConfigError

err = make_console(stderr=True)

_OF: dict[str, tuple[str, ...]] = {
    "--only": ("chat",),
    "--by": ("chat", "dpo"),
    "--answers": ("chat", "dpo"),
    "--rule": ("dpo",),
    "--steps": ("parquet", "csv"),
}
"""Formats that an option belongs to."""


def export(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders that hold some.")],
    form: Annotated[
        Literal["chat", "dpo", "inspect", "parquet", "csv", "web-outcomes"],
        typer.Option(
            "--format",
            help="chat: messages for fine-tuning; dpo: pairs of a right and a wrong episode; inspect: a log of Inspect "
            "AI; parquet, csv: a row an episode; web-outcomes: ŵ of each chain, for training.",
        ),
    ],
    to: Annotated[Path, typer.Option("--out", help="File to write.")],
    only: Annotated[
        Literal["right", "reported", "all"] | None,
        typer.Option(help="chat: episodes with a^e = 1, with a report, or all with a result (default: all)."),
    ] = None,
    by: Annotated[
        Literal["episode", "call"] | None,
        typer.Option(help="chat, dpo: whole episodes, or single calls as the agent llm makes them (default: episode)."),
    ] = None,
    answers: Annotated[
        Literal["form", "sent"] | None,
        typer.Option(help="chat, dpo: answers in the form that is asked for, or as they were sent (default: form)."),
    ] = None,
    rule: Annotated[
        Literal["end-to-end", "gate", "web"] | None,
        typer.Option(help="dpo: right by a^e, by the gate (restoration only) or by a^w (site only)."),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="parquet, csv: a row a step.")] = False,
    allow_sealed: Annotated[
        bool, typer.Option("--allow-sealed", help="Write the words of a sealed split: they are spoilt if they get out.")
    ] = False,
) -> None:
    """Write frozen runs as chat messages, preference pairs, an Inspect AI log, a table, or the ŵ of training."""
    given = {"--only": only, "--by": by, "--answers": answers, "--rule": rule, "--steps": steps or None}
    for name, value in given.items():
        if value is not None and form not in _OF[name]:
            raise ConfigError(f"{name} belongs to {' and '.join(_OF[name])}, not to '{form}': leave it out.")
    from riskchain_gym.evaluation.exports.writing import ExportSettings, warnings_for
    from riskchain_gym.evaluation.exports.writing import export as write
    from riskchain_gym.evaluation.store import open_runs

    check_file(to)
    check_outside_runs(to)
    folders, left_out = open_runs(runs)
    settings = ExportSettings(
        format=form,
        only=only or "all",
        by=by or "episode",
        answers=answers or "form",
        rule=rule or "end-to-end",
        steps=steps,
        allow_sealed=allow_sealed,
    )
    for sentence in (*left_out, *warnings_for(folders, settings)):
        say(err, sentence)
    count = write(folders, to, settings)
    what = {"inspect": "samples", "chat": "lines", "dpo": "pairs"}.get(form, "rows")
    say(err, f"{count} {what}: {to}")
