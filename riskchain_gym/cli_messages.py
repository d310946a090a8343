"""The work of the commands that build messages and score predictions for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, progress_on, say
from riskchain_gym.keys import build_key
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError

if TYPE_CHECKING:
    from riskchain_gym.scoring.messages import MessageScores

_FIGURES = {
    "entry_top1": "Entry Top-1",
    "ceiling": "Ceiling",
    "recall_at_5": "Recall@5",
    "false_entry": "False entry",
    "message_exact": "Msg exact",
    "cer": "CER",
    "intent_accuracy": "Intent",
    "full": "Full",
}


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


def score_messages(predictions: Path, gold: Path, *, by: str, as_json: bool) -> None:
    """Score predictions for messages and print the figures, of all and of every group.

    Args:
        predictions: Published prediction rows.
        gold: The gold of the messages they are for.
        by: What to group the messages by, one of :data:`riskchain_gym.scoring.messages.GROUPINGS`.
        as_json: Whether to print JSON instead of a table.

    Raises:
        ConfigError: Messages cannot be grouped by that.
        InputFileError: A file or a row of it is wrong, a sample id comes twice, or a prediction has no gold.
    """
    from riskchain_gym.scoring.messages import GROUPINGS, score_predictions, summarize_by, summarize_messages

    if by not in GROUPINGS:
        raise ConfigError(f"Messages cannot be grouped by '{by}': choose one of {', '.join(GROUPINGS)}.")
    scored = score_predictions(predictions, gold)
    everything, groups = summarize_messages(scored), summarize_by(by, scored)
    missing = [each.row.sample_id for each in scored if each.commit is None]
    out, err = make_console(), make_console(stderr=True)
    if as_json:
        figures = {name: scores.model_dump() for name, scores in groups.items()}
        out.print_json(data={"all": everything.model_dump(), "by": by, "groups": figures, "missing": missing})
    else:
        out.print(_score_table(by, {"all": everything, **groups}), crop=False)
    if missing:
        named = f"{', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}"
        sentence = f"{len(missing)} of {len(scored)} messages have no prediction and count as wrong: {named}"
        say(err, sentence)


def _score_table(by: str, rows: dict[str, MessageScores]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column(by.capitalize(), overflow="fold")
    table.add_column("Messages", justify="right")
    figures = {name: scores.model_dump() for name, scores in rows.items()}
    shown = [field for field in _FIGURES if any(figure[field] is not None for figure in figures.values())]
    for field in shown:
        table.add_column(_FIGURES[field].replace(" ", "\n"), justify="right", no_wrap=True)
    for place, (name, figure) in enumerate(figures.items()):
        cells = ("–" if figure[field] is None else f"{100 * figure[field]:.1f}" for field in shown)
        table.add_row(escape(name), f"{figure['messages']:,}", *cells, end_section=place == 0)
    return table
