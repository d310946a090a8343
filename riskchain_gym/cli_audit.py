"""The commands ``riskchain audit messages``, ``riskchain audit sites`` and ``riskchain messages import``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.message import Platform, Surface

if TYPE_CHECKING:
    from riskchain_gym.messages.audit.result import CheckResult

audit_app = typer.Typer(help="Check what was built.", no_args_is_help=True)
messages_app = typer.Typer(help="Show messages, draw them, bring them in from elsewhere.", no_args_is_help=True)

out = make_console()
err = make_console(stderr=True)

_MARKS = {"PASS": "[green]✓[/]", "FAIL": "[red]✗[/]", "SKIPPED": "[yellow]–[/]"}


@audit_app.callback()
def _audit() -> None:
    """Check what was built."""


@messages_app.callback()
def _messages() -> None:
    """Show messages, draw them, bring them in from elsewhere."""


@audit_app.command("messages")
def audit_messages(
    folder: Annotated[
        Path, typer.Argument(help="Folder of `riskchain build messages` or `riskchain messages import`.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Check a folder of messages; exit code 1 when a check fails."""
    from riskchain_gym.messages.audit.run import audit

    with err.status("Reading and checking …"):
        results = audit(folder)
    if as_json:
        out.print_json(data=[result.model_dump(mode="json") for result in results])
    else:
        _show(results)
    if any(result.status == "FAIL" for result in results):
        raise typer.Exit(1)


@audit_app.command("sites")
def audit_sites(
    folder: Annotated[Path, typer.Argument(help="Folder of `riskchain build sites`.")],
    certificates: Annotated[int, typer.Option(min=0, help="How many certificates to walk; 0 for all.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Check a folder of sites and chains; exit code 1 when a check fails."""
    from riskchain_gym.benchmark.audit import audit_release

    with err.status("Reading and checking …"):
        results = audit_release(folder, certificates=certificates or None)
    if as_json:
        out.print_json(data=[result.model_dump(mode="json") for result in results])
    else:
        _show(results)
    if any(result.status == "FAIL" for result in results):
        raise typer.Exit(1)


def _show(results: Sequence[CheckResult]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("", "Check", "Looked at"):
        table.add_column(heading, overflow="fold")
    table.add_column("Breaches", justify="right")
    for result in results:
        seen = result.looked_at if result.status == "SKIPPED" else f"{result.count:,} {result.looked_at}"
        breaches = "" if result.status == "SKIPPED" else f"{result.breaches:,}"
        table.add_row(_MARKS[result.status], result.name, escape(seen), breaches)
    out.print(table)
    for result in results:
        for offender in result.offenders:
            say(out, f"{result.name}: {offender}")
        if (more := result.breaches - len(result.offenders)) > 0:
            say(out, f"{result.name}: and {more:,} more")
    out.print("✓ passed, ✗ breached, – skipped for the reason given", style="dim")


@messages_app.command("import")
def import_messages(
    file: Annotated[Path, typer.Argument(help="CSV, TSV or JSONL with a column of obfuscated and one of plain text.")],
    obfuscated: Annotated[str, typer.Option(help="Name of the column with the obfuscated texts.")],
    plain: Annotated[str, typer.Option(help="Name of the column with the plain texts.")],
    to: Annotated[Path, typer.Option("--out", help="New folder for the transfer set.")],
    licence: Annotated[str, typer.Option(help="Licence of the texts, e.g. 'CC BY 4.0'.")],
    source: Annotated[str, typer.Option(help="Name of the set (default: the file's name).")] = "",
    platform: Annotated[Platform, typer.Option(help="Platform all messages are said to come from.")] = Platform.WEIBO,
    surface: Annotated[Surface, typer.Option(help="Surface all messages are said to come from.")] = Surface.COMMENT,
    intent: Annotated[Intent, typer.Option(help="What all messages ask for.")] = Intent.UNKNOWN,
    english: Annotated[bool, typer.Option("--english", help="The texts are English, not Chinese.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Also print how far the two columns are apart.")] = False,
) -> None:
    """Import pairs of obfuscated and plain text as a transfer set: messages to restore, with no site behind them."""
    from riskchain_gym.messages.pairs import import_pairs
    from riskchain_gym.places import check_folder

    check_folder(to)
    manifest = import_pairs(
        file,
        to,
        obfuscated=obfuscated,
        plain=plain,
        licence=licence,
        source=source,
        platform=platform,
        surface=surface,
        intent=intent,
        language="en" if english else "zh",
    )
    out.print_json(manifest.model_dump_json())
    say(err, f"{manifest.messages} of {manifest.rows} rows imported, {manifest.with_entry} with an entry: {to}")
    for repeat in manifest.repeats[:5]:
        plain_text = "the same plain text" if repeat.agrees else "another plain text"
        say(err, f"Line {repeat.line} was left out: it repeats line {repeat.first}, with {plain_text}.")
    if (more := len(manifest.repeats) - 5) > 0:
        say(err, f"{more} further repeats were left out: the manifest names their lines.")
    if check:
        say(
            err,
            f"Mean CER between the two columns: {mean_cer(to):.1%}. Near 0 little is disguised; near 100 % the columns "
            "do not belong together.",
        )


def mean_cer(folder: Path) -> float:
    """Return the mean character error rate of the obfuscated texts of a transfer set, taken as restorations.

    The rate of a text is its edit distance from the plain one over the length of that, both in the published normal
    form; it can exceed 1.

    Args:
        folder: What ``riskchain messages import`` wrote.

    Raises:
        InputFileError: It is no transfer set.
    """
    from riskchain_gym.messages.pairs import load_transfer
    from riskchain_gym.scoring.text import edit_distance, normalize_text

    rates = []
    for _, message, gold in load_transfer(folder):
        shown, plain = normalize_text(message.messages[0].content), normalize_text(gold.messages[0].text)
        rates.append(edit_distance(shown, plain) / max(len(plain), 1))
    return sum(rates) / len(rates)
