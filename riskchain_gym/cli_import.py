"""The command ``riskchain sites import``, and the work of ``riskchain build imported``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from riskchain_gym.cli_site_views import sites_app
from riskchain_gym.console import make_console, progress_on, say
from riskchain_gym.places import check_folder

if TYPE_CHECKING:
    from riskchain_gym.sites.replay.store import ImportReport

__all__ = ["sites_app"]

out = make_console()
err = make_console(stderr=True)

_SHOWN = 12


@sites_app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(help="Mirror folder, HAR, or WARC (.warc, .warc.gz).")],
    to: Annotated[Path, typer.Option("--out", help="Folder to write the site to.")],
    entry: Annotated[
        str | None, typer.Option(help="Address of the landing page; of a folder, its file (default: the first page).")
    ] = None,
    base: Annotated[str | None, typer.Option(help="Folders: web address that the folder was saved from.")] = None,
    scripts: Annotated[
        bool, typer.Option("--scripts", help="Keep the pages' own scripts; they reach nothing but the site.")
    ] = False,
    max_mb: Annotated[float, typer.Option(min=0.001, help="Largest body that is kept, in megabytes.")] = 8.0,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier import; its label stays.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Make a replay site of a capture: it asks nothing of the world outside, and has a label file to fill in."""
    from riskchain_gym.sites.replay.importer import Options, import_site
    from riskchain_gym.sites.replay.store import check_target, write_import

    check_folder(to)
    check_target(to, force=force)
    with err.status("Reading and rewriting …"):
        imported = import_site(source, Options(entry, base, scripts, int(max_mb * 1_000_000)))
        report = write_import(to, imported, source)
    if as_json:
        out.print_json(report.model_dump_json())
    else:
        _show(report, to)


def build_imported_split(
    folders: Sequence[Path], to: Path, *, seed: int | None, labels: Path | None, as_json: bool
) -> None:
    """Build a split from imported sites and print what was written.

    Args:
        folders: What ``riskchain sites import`` wrote; labels filled in, unless ``labels`` has them.
        to: Where to write.
        seed: Chooses the messages.
        labels: File of ``riskchain labels freeze``.
        as_json: Whether to print the manifest instead of a sentence.

    Raises:
        ConfigError: No folder is given, or one twice, or there is no label of one.
        InputFileError: A site or its label cannot be read, or the folder cannot take a split.
    """
    from riskchain_gym.benchmark.build import check_split_target
    from riskchain_gym.benchmark.imported import build_imported, write_imported
    from riskchain_gym.benchmark.labels.frozen import read_frozen

    check_folder(to)
    seed = 2026 if seed is None else seed
    name = to.resolve().name
    check_split_target(to, name)
    frozen = None if labels is None else read_frozen(labels)
    with progress_on(err) as progress:
        task = progress.add_task("Building", total=len(folders))
        chains = build_imported(folders, name, seed, lambda done: progress.update(task, completed=done), labels=frozen)
    manifest = write_imported(chains, name, seed, to, labels=frozen)
    if as_json:
        out.print_json(manifest.model_dump_json())
    else:
        counts = ", ".join(f"{count} {decision}" for decision, count in manifest.decisions.items())
        chains_built = "1 chain" if manifest.chains == 1 else f"{manifest.chains} chains"
        say(out, f"{chains_built} ({counts}): play with split='{to.resolve()}' and backend='chromium'.")


def _show(report: ImportReport, folder: Path) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    rows: list[tuple[int, str]] = [
        (report.captured, f"answers captured ({report.kind})"),
        (report.resources, f"paths on the replay site, {report.size:,} bytes"),
        (len(report.unreached), "answers left out: nothing leads to them"),
        (sum(report.missing.values()), "references to what is missing: captured hosts have it, the capture does not"),
        (sum(report.outside.values()), "references to outside: other hosts"),
        *((count, f"taken out: {kind}") for kind, count in report.dropped.items()),
        (len(report.too_large), "bodies too large to keep"),
        (sum(report.repeated.values()), "further answers of the same address"),
        (len(report.skipped), "records or files that could not be used"),
    ]
    for count, what in rows:
        if count:
            table.add_row(f"{count:,}", escape(what))
    out.print(table, highlight=False)
    if report.missing or report.outside:
        say(out, "\nWhat is missing or outside and a page loads is empty now; links to it lead to a page that says so.")
    left_out = dict.fromkeys(report.unreached, 1)
    for heading, found in (
        ("Missing", report.missing),
        ("Outside", report.outside),
        ("Left out", left_out),
        ("Unused", report.skipped),
    ):
        _list(heading, found)
    say(out, f"\nAll of it is in {folder / 'import.json'}. Now fill in {folder / 'label.toml'}, then:")
    say(out, f"riskchain build imported {folder} --out SPLIT")
    say(out, "Or look at it as agents do and label it in the workbench, alone or as a team (docs/labels.md):")
    say(out, f"riskchain annotate --sites {folder} --annotator NAME")


def _list(heading: str, found: Mapping[str, int | str]) -> None:
    from riskchain_gym.sites.replay.folder import NOWHERE

    if found:
        say(out, f"\n{heading}:")
    for address, what in list(found.items())[:_SHOWN]:
        say(out, f"  {address.removeprefix(NOWHERE)} ({what if isinstance(what, str) else f'{what}×'})")
    if len(found) > _SHOWN:
        say(out, f"  … and {len(found) - _SHOWN} more")
