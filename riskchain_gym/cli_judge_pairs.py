"""The command ``riskchain judge pairs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from riskchain_gym.cli_judge import Json, err, judge_app, out
from riskchain_gym.cli_judge_tables import show_pairs
from riskchain_gym.console import say
from riskchain_gym.places import check_file

__all__ = ["judge_app"]


@judge_app.command("pairs")
def judge_pairs(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders whose reports are drawn from, or folders that hold some.", metavar="RUN…"),
    ],
    count: Annotated[int, typer.Option(min=1, help="How many pairs at most.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    faults: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the pairs that are about a planted fault; needs gold.")
    ] = 0.0,
    to: Annotated[Path, typer.Option("--out", help="JSONL file to write, for people to answer.")] = Path("pairs.jsonl"),
    key: Annotated[
        Path | None,
        typer.Option(help="JSONL file to write of what people must not see (default: the same name with -key)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw claims about reports for people to answer, so that judges can be measured by them."""
    from riskchain_gym.evaluation.pair_reports import report_sources
    from riskchain_gym.evaluation.store import open_runs
    from riskchain_gym.protocol.errors import ConfigError
    from riskchain_gym.protocol.files import write_atomically
    from riskchain_gym.scoring.calibration.pair_draw import draw_pairs
    from riskchain_gym.scoring.calibration.pair_key import encoded_key
    from riskchain_gym.scoring.calibration.pairs import encoded_pairs

    hidden = key or to.with_name(f"{to.stem}-key{to.suffix}")
    if hidden.absolute() == to.absolute():
        raise ConfigError(f"--out and --key are both {to}: give the key a file of its own, people must not see it.")
    for file in (to, hidden):
        check_file(file)
    with err.status("Reading runs and drawing …"):
        found, left_out = open_runs(runs)
        sources = report_sources(found, gold=faults > 0)
        drawn = draw_pairs(sources, count=count, seed=seed, faults=faults)
    for sentence in left_out:
        say(err, sentence)
    wanted = round(count * faults)
    # The key first: pairs without their key cannot be told apart afterwards, a key without pairs does no harm.
    write_atomically(hidden, encoded_key(drawn.key), private=True)
    write_atomically(to, encoded_pairs(drawn.items))
    if as_json:
        out.print_json(data=drawn.summary())
    else:
        show_pairs(drawn)
    if drawn.unshown:
        say(err, f"{drawn.unshown} reports were left out: they could not be redacted.")
    if len(drawn.items) < count:
        say(err, f"The reports give no more than {len(drawn.items)} of {count} pairs: give more runs for more.")
    elif drawn.faulty < wanted:
        say(err, f"Faults could be planted for {drawn.faulty} of {wanted} pairs only: give more runs for more.")
    say(err, f"{len(drawn.items)} pairs: {to}")
    say(err, f"What nobody who answers may see: {hidden}")
