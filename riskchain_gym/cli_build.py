"""The work of ``riskchain build sites`` and of building a split from a plan of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from riskchain_gym.console import make_console, progress_on
from riskchain_gym.keys import build_key
from riskchain_gym.places import check_folder

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from riskchain_gym.benchmark.release_manifest import ReleaseManifest


def build_sites(
    folder: Path,
    *,
    seed: int | None,
    key_file: Path | None,
    only: Sequence[str] | None,
    content: Path | None,
    replace: bool,
    workers: int,
    as_json: bool,
) -> None:
    """Build the pool of sites and its splits of chains into a folder and print what was written.

    Args:
        folder: Where to write; it may hold an earlier build of sites, which is replaced as a whole, and nothing else.
        seed: The public seed; or give a key file.
        key_file: File with the secret of a sealed build.
        only: Names of the splits to build; all by default.
        content: Content folder with its ``pool.toml``; the project's own by default.
        replace: Whether splits of an earlier build may be removed that this one does not make.
        workers: Number of processes.
        as_json: Whether to print the manifest instead of a table.

    Raises:
        ConfigError: Neither or both of seed and key file are given, or the pool cannot meet the numbers of its plan.
        InputFileError: The folder cannot take a build, the key file is no secret, or the content is wrong.
        UnknownNameError: A name is no split.
        InfrastructureError: A process died.
    """
    from riskchain_gym.benchmark import release, release_files
    from riskchain_gym.benchmark.pool_plan import load_pool_plan
    from riskchain_gym.sites.library import library

    check_folder(folder)
    key = build_key("sites", seed, key_file)
    chosen = library(content) if content else library()
    splits = release.release_splits(load_pool_plan(chosen.root), only)
    release_files.check_target(folder, splits, replace=replace)
    err = make_console(stderr=True)
    with progress_on(err) as progress:
        bars: dict[str, TaskID] = {}
        made = release.build_release(
            key.key,
            only=only,
            worker_count=workers,
            content=chosen,
            progress=lambda what, done, whole: advance(progress, bars, what, done, whole),
        )
    manifest = release_files.write_release(
        folder, made, seed=key.seed, key_commitment=key.commitment, content=chosen, replace=replace
    )
    out = make_console()
    if as_json:
        out.print_json(manifest.model_dump_json())
    else:
        _show(manifest)


def build_plan(split: str, folder: Path) -> None:
    """Build a split from its plan below ``sites/splits`` and print its manifest.

    Args:
        split: Name of the plan.
        folder: Where to write.

    Raises:
        UnknownNameError: There is no such plan.
        InputFileError: The folder cannot take a build, or plan or content are wrong.
    """
    from riskchain_gym.benchmark import build, plan

    check_folder(folder)
    found = plan.load_plan(split)
    build.check_split_target(folder, split)
    with progress_on(make_console(stderr=True)) as progress:
        task = progress.add_task(f"Building {split}", total=found.chains)
        chains = build.build_chains(found, split, lambda done: progress.update(task, completed=done))
    make_console().print_json(build.write_split(chains, found, split, folder).model_dump_json())


def advance(progress: Progress, bars: dict[str, TaskID], what: str, done: int, whole: int) -> None:
    """Move the bar of what is being done, which is put up the first time.

    Args:
        progress: The bars' place.
        bars: Bar by what is being done.
        what: What is being done.
        done: How much of it is done.
        whole: How much there is.
    """
    if what not in bars:
        bars[what] = progress.add_task(what, total=whole)
    progress.update(bars[what], completed=done)


def _show(manifest: ReleaseManifest) -> None:
    out = make_console()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Split")
    for heading in ("Chains", "Hosts", "V", "N", "U"):
        table.add_column(heading, justify="right")
    table.add_column("SHA-256 of the public file", no_wrap=True)
    labels = ("VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE")
    for name, split in manifest.splits.items():
        numbers = (split.chains, split.hosts, *(split.counts["decision"].get(label, 0) for label in labels))
        table.add_row(name, *(f"{number:,}" for number in numbers), split.sha256["public.jsonl"][:16])
    out.print(table)
    if manifest.pool_sites:
        out.print(f"pool: {manifest.pool_sites:,} sites of {manifest.pool_hosts:,} host families", highlight=False)
    if manifest.selection is not None:
        found = manifest.selection
        out.print(f"selection by {found.solver}: {found.status}", highlight=False)
    if manifest.key_commitment is not None:
        out.print(f"key commitment: {manifest.key_commitment}", highlight=False)
    out.print(f"{manifest.origin} build, everything in it: {manifest.content_sha256}", highlight=False)
