"""The work of the command that builds messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from riskchain_gym.console import make_console, progress_on
from riskchain_gym.keys import build_key
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError


def build_messages(
    folder: Path,
    *,
    seed: int | None,
    key_file: Path | None,
    train_sessions: int | None,
    only: Sequence[str] | None,
    as_json: bool,
) -> None:
    """Build message splits into a folder and print what was written.

    Args:
        folder: Where to write; it may hold an earlier build, which is replaced, and nothing else.
        seed: The public seed; or give a key file.
        key_file: File with the secret of a sealed build.
        train_sessions: Number of training sessions; the plan's by default.
        only: Names of the splits to build; all by default.
        as_json: Whether to print the manifest instead of a table.

    Raises:
        ConfigError: Neither or both of seed and key file are given.
        InputFileError: The folder cannot take a build, or the key file is too short.
        UnknownNameError: A name is no split.
    """
    from riskchain_gym.messages import build
    from riskchain_gym.messages.folder import check_target
    from riskchain_gym.messages.plans import TRAIN_SESSIONS
    from riskchain_gym.messages.rows import INPUTS

    check_folder(folder)
    check_target(folder)
    key = build_key("messages", seed, key_file).key
    train = TRAIN_SESSIONS if train_sessions is None else train_sessions
    counts = build.session_counts(train, only)
    if train_sessions is not None and "train" not in counts:
        raise ConfigError("--train-sessions is given, but --split leaves 'train' out: name it too, or drop the number.")
    err = make_console(stderr=True)
    with progress_on(err) as progress:
        task = progress.add_task("Building messages", total=sum(counts.values()))
        splits = build.build_messages(
            key, train_sessions=train, splits=only, progress=lambda done: progress.update(task, completed=done)
        )
    manifest = build.write_messages(folder, splits, seed=seed)
    out = make_console()
    if as_json:
        out.print_json(manifest.model_dump_json())
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("Split")
    for heading in ("Sessions", "Messages", "Bytes"):
        table.add_column(heading, justify="right")
    table.add_column("SHA-256 of the inputs", no_wrap=True)
    for name, files in manifest.splits.items():
        size = sum((folder / name / file).stat().st_size for file in files.sha256)
        table.add_row(name, f"{files.sessions:,}", f"{files.messages:,}", f"{size:,}", files.sha256[INPUTS][:16])
    out.print(table)
    out.print(f"{manifest.origin} build, everything in it: {build.content_sha256(manifest)}", highlight=False)
