"""The commands ``riskchain sites new``, ``lint`` and ``certify``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, progress_on, say
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError

if TYPE_CHECKING:
    from riskchain_gym.sites.library import Library
    from riskchain_gym.sites.proofs import Proof

sites_app = typer.Typer(help="Write, check and certify sites.", no_args_is_help=True)

out = make_console()
err = make_console(stderr=True)

Content = Annotated[
    Path | None,
    typer.Option("--content", help="Private content folder, laid out like sites/ (default: the project's)."),
]

_MOVES = (
    "Once filled in, this is part of what the pool is drawn from: `mini` and every other split change with it, and "
    "`riskchain build sites` makes their new version (see CONTRIBUTING.md)."
)
_MOVES_OWN = (
    "Once filled in, this is part of what splits of this folder are drawn from: they change with it, and "
    "`riskchain build sites --content {folder}` makes their new version; the project's own stay as they are."
)

Names = Annotated[list[str] | None, typer.Argument(help="Archetypes (default: all).", show_default=False)]


@sites_app.callback()
def _sites() -> None:
    """Write, check and certify sites."""


@sites_app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Name of the archetype, e.g. parcel-refund.")],
    family: Annotated[str, typer.Option(help="Family it belongs to.")],
    decision: Annotated[Decision, typer.Option(help="Its label.")] = Decision.VIOLATION,
    violation_type: Annotated[
        ViolationType | None, typer.Option("--type", help="Type of a violation (default: fraud).", show_default=False)
    ] = None,
    with_family: Annotated[
        bool, typer.Option("--new-family", help="Write the family too: four pages, banks and three members.")
    ] = False,
    content: Content = None,
) -> None:
    """Write the files of a new archetype, ready to be filled in; nothing is ever overwritten."""
    from riskchain_gym.sites.scaffold import new_archetype, new_family

    if with_family:
        if decision is not Decision.VIOLATION or violation_type is not None:
            raise ConfigError("--new-family writes a member of each decision: leave out --decision and --type.")
        written = new_family(name, family, _library(content, new=True))
    else:
        written = new_archetype(name, family, decision, _library(content, new=True), violation_type)
    for path in written:
        say(out, str(path))
    say(err, _MOVES if content is None else _MOVES_OWN.format(folder=content))


@sites_app.command("lint")
def lint(names: Names = None, content: Content = None) -> None:
    """Check archetypes and their families: every problem with its file, its field and what to do."""
    from riskchain_gym.sites.archetypes import lint_content

    chosen = filled_library(content)
    with err.status("Reading and checking …"):
        problems = lint_content(chosen, names or None)
    for problem in problems:
        say(out, str(problem))
    checked = len(set(names) if names else chosen.archetype_names())
    say(err, f"{checked} archetypes, {len(problems)} problems.")
    if problems:
        raise typer.Exit(1)


@sites_app.command("certify")
def certify(
    names: Names = None,
    seed: Annotated[int, typer.Option(help="Seed of the sites to draw.")] = 2026,
    count: Annotated[int, typer.Option(min=1, help="Sites to draw of each archetype.")] = 5,
    pool: Annotated[Path | None, typer.Option(help="Check the certificates of a built pool instead.")] = None,
    content: Content = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")] = False,
) -> None:
    """Prove that what decides each site's label can be seen within the budget."""
    from riskchain_gym.protocol.keyed import key_from_seed
    from riskchain_gym.sites.proofs import prove_archetypes, prove_pool

    if pool is None:
        chosen = filled_library(content)
        archetypes = tuple(dict.fromkeys(names)) if names else chosen.archetype_names()
        for name in archetypes:
            chosen.archetype_file(name)
        total, proofs = len(archetypes) * count, prove_archetypes(archetypes, key_from_seed(seed), count, chosen)
    else:
        if names or content is not None:
            raise ConfigError("--pool certifies what the pool holds: leave out the names and --content.")
        total, proofs = prove_pool(pool)
    found: list[Proof] = []
    with progress_on(err) as progress:
        task = progress.add_task("Certifying", total=total)
        for proof in proofs:
            found.append(proof)
            progress.update(task, completed=len(found))
    failed = [proof for proof in found if proof.problem]
    if as_json:
        out.print_json(data=[{"archetype": p.archetype, "steps": p.steps, "problem": p.problem} for p in found])
    else:
        _show(found)
        for proof in failed:
            say(out, f"{proof.archetype}: {proof.problem}")
    if failed:
        raise typer.Exit(1)


def _show(found: Sequence[Proof]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Archetype", overflow="fold")
    for heading in ("Sites", "Steps min", "median", "max", "Failures"):
        table.add_column(heading, justify="right", no_wrap=True)
    groups = list(_groups(found))
    for name, proofs in [*groups, *([("all", list(found))] if len(groups) > 1 else [])]:
        steps = sorted(proof.steps for proof in proofs if not proof.problem)
        middle = [str(steps[0]), str(steps[(len(steps) - 1) // 2]), str(steps[-1])] if steps else ["–"] * 3
        failures = sum(bool(proof.problem) for proof in proofs)
        style = "dim" if name == "all" else "red" if failures else ""
        table.add_row(escape(name), str(len(proofs)), *middle, str(failures), style=style)
    out.print(table, crop=False)


def _groups(found: Sequence[Proof]) -> Iterator[tuple[str, list[Proof]]]:
    groups: dict[str, list[Proof]] = {}
    for proof in found:
        groups.setdefault(proof.archetype, []).append(proof)
    yield from sorted(groups.items())


def filled_library(folder: Path | None) -> Library:
    """Return the library of a content folder, the project's own by default.

    Raises:
        InputFileError: It is no folder, or holds no archetype.
    """
    chosen = _library(folder)
    if not chosen.archetype_names():
        where = chosen.root / "archetypes"
        raise InputFileError(where, "", "holds no archetype, give a content folder that is laid out like sites/")
    return chosen


def _library(folder: Path | None, *, new: bool = False) -> Library:
    from riskchain_gym.sites.library import Library, library

    if folder is not None and not folder.is_dir() and (folder.exists() or not new):
        raise InputFileError(folder, "", "is no folder, give a content folder that is laid out like sites/")
    return library() if folder is None else Library(folder)
