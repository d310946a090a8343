"""The commands ``riskchain labels freeze``, ``import`` and ``export``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskchain_gym.cli_labels_agreement import labels_app
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file, check_folder
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import ConfigError, InputFileError

if TYPE_CHECKING:
    from riskchain_gym.benchmark.labels.importing import ImportedLabels
    from riskchain_gym.benchmark.labels.project import Project

__all__ = ["labels_app"]

out = make_console()
err = make_console(stderr=True)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a labelling project.")]

_NAMED = 20


@labels_app.command("freeze")
def freeze(
    folder: Folder,
    to: Annotated[Path, typer.Option("--out", help="JSON file to write; of a project of pairs, JSONL with anchors.")],
    partial: Annotated[bool, typer.Option("--partial", help="Leave out what is not settled yet.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Another freeze in the file may be lost.")] = False,
    codebook: Annotated[
        str, typer.Option(help="Codebook that the labels follow, where it is not that of this package.")
    ] = CODEBOOK_VERSION,
    key: Annotated[
        Path | None, typer.Option(help="pairs: the key that was written with them.", show_default=False)
    ] = None,
) -> None:
    """Write the settled labels as gold, bound by hashes to every answer; the same answers give the same bytes."""
    from riskchain_gym.annotation.freezing import freeze_project
    from riskchain_gym.benchmark.labels.freeze import write_frozen
    from riskchain_gym.benchmark.labels.project import Project

    check_file(to)
    project = Project.open(folder)
    if project.plan.subject == "pairs":
        _freeze_pairs(project, to, key, partial=partial, replace=replace, codebook=codebook)
        return
    if key is not None:
        raise ConfigError("--key belongs to a project of pairs, and this one is of sites: leave it out.")
    with err.status("Reading answers and visits …"):
        frozen = freeze_project(project, partial=partial, codebook=codebook)
    write_frozen(to, frozen, replace=replace)
    decisions = Counter(str(label.decision) for label in frozen.labels)
    sources = Counter[str](label.provenance for label in frozen.labels)
    say(out, f"{_many(len(frozen.labels), 'label')}: {_counted(decisions)}; {_counted(sources)}.")
    if frozen.left_out:
        say(err, f"Left out, for want of a settled label: {_many(frozen.left_out, 'site')}.")
    say(err, f"Frozen labels: {to}")


@labels_app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or JSONL, an answer a row.")],
    sites: Annotated[
        list[str],
        typer.Option(help="A split, or folders of `riskchain sites import`: repeat."),
    ],
    to: Annotated[Path, typer.Option("--out", help="Folder of the project to make.")],
    columns: Annotated[
        list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="What a column of the file is; repeat.")
    ] = None,
    fill: Annotated[
        list[str] | None, typer.Option(metavar="FIELD=VALUE", help="What rows say that leave a field empty; repeat.")
    ] = None,
    coordinator: Annotated[
        str | None, typer.Option(help="Who adjudicates in the workbench what the file leaves open.", show_default=False)
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Sites may have fewer passes than others.")] = False,
) -> None:
    """Make a labelling project of labels that people gave in another tool."""
    from riskchain_gym.benchmark.labels.importing import import_labels
    from riskchain_gym.benchmark.labels.sources import item_sites

    check_folder(to)
    with err.status("Reading sites and labels …"):
        made = import_labels(
            file,
            item_sites(sites),
            to,
            columns=dict(_pair("--map", each) for each in columns or ()),
            fill=dict(_pair("--fill", each) for each in fill or ()),
            coordinator=coordinator,
            partial=partial,
        )
    _tell(made)
    say(err, f"Project: {to}")


@labels_app.command("export")
def export(
    folder: Folder,
    to: Annotated[Path, typer.Option("--out", help="CSV or JSONL to write.")],
    replace: Annotated[bool, typer.Option("--replace", help="What is in the file may be lost.")] = False,
) -> None:
    """Write the answers of a project as rows, as `riskchain labels import` reads them; for the coordinator only."""
    from riskchain_gym.benchmark.labels.exporting import export_labels
    from riskchain_gym.benchmark.labels.project import Project
    from riskchain_gym.protocol.files import write_atomically

    check_file(to)
    project = Project.open(folder)
    data, count = export_labels(to, project.plan, project.events())
    _check_other(to, data, replace=replace)
    write_atomically(to, data)
    say(err, f"{_many(count, 'answer')}: {to}")


def _freeze_pairs(project: Project, to: Path, key: Path | None, *, partial: bool, replace: bool, codebook: str) -> None:
    """Write the settled pairs of a project as anchors for `riskchain judge calibrate`."""
    from riskchain_gym.benchmark.labels.freeze import check_freezable, check_settled
    from riskchain_gym.benchmark.labels.project import ITEMS
    from riskchain_gym.protocol.files import write_atomically
    from riskchain_gym.scoring.calibration.anchors import encoded, read_all_anchors
    from riskchain_gym.scoring.calibration.human_anchors import human_anchors
    from riskchain_gym.scoring.calibration.pair_key import read_key
    from riskchain_gym.scoring.calibration.pairs import read_pairs

    check_freezable(project.plan, codebook)
    states = project.states()
    check_settled(states, partial=partial)
    pairs = read_pairs(project.folder / ITEMS)
    anchors = human_anchors(project.plan, states, pairs, None if key is None else read_key(key))
    data = encoded(anchors)
    if to.exists() and replace:
        read_all_anchors([to])  # what is no anchors is never lost
    _check_other(to, data, replace=replace)
    write_atomically(to, data)
    say(out, f"{_many(len(anchors), 'anchor')}: {_counted(Counter(str(anchor.reference) for anchor in anchors))}.")
    if left_out := len(states) - len(anchors):
        say(err, f"Left out, for want of a settled answer: {_many(left_out, 'pair')}.")
    say(err, f"Anchors: {to}")


def _check_other(path: Path, data: bytes, *, replace: bool) -> None:
    if path.exists() and not replace and path.read_bytes() != data:
        raise InputFileError(path, "", "is there already and holds something else: give another file, or --replace")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _pair(option: str, given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise ConfigError(f"{option} is NAME=VALUE, got '{given}'.")
    return name.strip(), value.strip()


def _tell(made: ImportedLabels) -> None:
    """Say what was made of the file, and what was not."""
    plan = made.project.plan
    answered = {event.worker for event in made.project.events()}
    people = ", ".join(worker.name for worker in plan.workers if worker.name in answered)
    answers, sites = _many(made.rows, "answer"), _many(len(plan.items), "site")
    say(out, f"{answers} of {people} about {sites}; passes of each: {plan.passes}.")
    if made.unknown_for_none:
        say(
            err, f"The type NONE of INSUFFICIENT_EVIDENCE was read as UNKNOWN in {_many(made.unknown_for_none, 'row')}."
        )
    if made.ignored:
        say(err, f"Columns that say nothing of a label were passed over: {', '.join(made.ignored)}.")
    if made.unlabelled:
        say(err, f"Not in the project, for the file has no label of them: {_many(made.unlabelled, 'site')}.")
    if made.incomplete:
        say(err, f"Passes that are missing are asked for by the project, of {_some(made.incomplete)}.")


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" … and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
