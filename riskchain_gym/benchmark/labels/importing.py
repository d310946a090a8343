"""Labels of other tools as a labelling project: a plan that nobody drew, and the logs of those who answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.benchmark.labels.cells import ALIASES, FIELDS, REQUIRED, Cells, Given, ItemNames
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.import_plan import clashes, passes_of, plan_of
from riskchain_gym.benchmark.labels.log import unsealed, write_log
from riskchain_gym.benchmark.labels.plan import Plan, Task
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.rows import Fault, LabelRowsError, Row, read_rows
from riskchain_gym.benchmark.labels.sources import IMPORT, ItemSites
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.benchmark.whole_folder import check_place, replacing
from riskchain_gym.protocol.errors import ConfigError, InputFileError

_LISTED = 20


@dataclass(frozen=True)
class ImportedLabels:
    """What an import of labels has made.

    Attributes:
        project: The project.
        rows: How many answers it holds.
        unknown_for_none: How many of them had the type ``NONE`` with INSUFFICIENT_EVIDENCE, which is ``UNKNOWN``.
        ignored: Columns of the file that say nothing of a label.
        unlabelled: How many of the sites the file says nothing of; they are no part of the project.
        incomplete: Sites with fewer passes than others; their missing passes are tasks of the project.
    """

    project: Project
    rows: int
    unknown_for_none: int
    ignored: tuple[str, ...]
    unlabelled: int
    incomplete: tuple[str, ...]


def import_labels(
    path: Path,
    sites: ItemSites,
    folder: Path,
    *,
    columns: Mapping[str, str] | None = None,
    fill: Mapping[str, str] | None = None,
    coordinator: str | None = None,
    partial: bool = False,
) -> ImportedLabels:
    """Make a project of the labels in a file; everything is checked before anything is written.

    The same file and options give the same bytes.

    Args:
        path: CSV or JSON Lines, an answer a row.
        sites: What was labelled.
        folder: Folder of the new project; missing, or empty.
        columns: The field that a column of the file holds, where its name does not say so.
        fill: What a field says in rows that leave it empty.
        coordinator: Who adjudicates in the workbench what the file leaves open.
        partial: Whether sites may have fewer passes than others.

    Raises:
        LabelRowsError: Rows are not labels of these sites; all faults are named.
        InputFileError: The file cannot be read, or the folder is not empty.
        ConfigError: An option does not fit the file, or sites have fewer passes than others.
        OSError: A file cannot be written.
    """
    _check_empty(folder)
    names, rows = read_rows(path)
    fields, filled = _fields(names, columns or {}), _filled(fill or {})
    _check_required(path, names, {*fields.values(), *filled})
    given, faults = _parsed(rows, fields, _item_names(sites), filled)
    faults += clashes(given, {field: column for column, field in fields.items()})
    if faults:
        raise LabelRowsError(path, sorted(faults, key=lambda fault: fault.line))
    passes = passes_of(given)
    most = max(map(len, passes.values()))
    short = {item: len(people) for item, people in passes.items() if len(people) < most}
    if short and not partial:
        raise ConfigError(_told_short(short, len(passes)))
    plan = plan_of(given, sites, coordinator)
    with replacing(folder, _nothing) as new:
        create_project(new, plan)
        for worker, events in _events(plan, given).items():
            write_log(new, plan, worker, events)
    return ImportedLabels(
        project=Project.open(folder),
        rows=len(given),
        unknown_for_none=sum(each.unknown_for_none for each in given),
        ignored=tuple(name for name in names if name not in fields),
        unlabelled=len(sites) - len(plan.items),
        incomplete=tuple(short),
    )


def _check_empty(folder: Path) -> None:
    check_place(folder)
    _nothing(folder)


def _nothing(folder: Path) -> tuple[Path, ...]:
    """Return the files of a folder that may be removed: none, for it must be empty."""
    if folder.exists() and (held := sorted(folder.iterdir())):
        raise InputFileError(folder, "", f"holds '{held[0].name}': give an empty folder or a new one")
    return ()


def _fields(names: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return the field of each column that has one."""
    known = {**{field: field for field in FIELDS}, **ALIASES}
    if strange := [field for field in columns.values() if field not in known]:
        raise ConfigError(f"--map: there is no field '{strange[0]}', there are {', '.join((*FIELDS, *ALIASES))}.")
    if absent := [column for column in columns if column not in names]:
        raise ConfigError(f"--map: the file has no column '{absent[0]}', it has {', '.join(names)}.")
    mapped = {column: known[field] for column, field in columns.items()}
    for name in names:
        plain = name.strip().lower().replace(" ", "_").replace("-", "_")
        field = known.get(plain)
        if name not in mapped and field is None and plain.startswith("sim"):
            raise ConfigError(
                f"The column '{name}' is no field and may say which answers a program gave: name it by "
                f"--map '{name}=simulated', or take it out of the file."
            )
        if name not in mapped and field is not None and field not in mapped.values():
            mapped[name] = field
        elif name not in mapped and field is not None:
            taken = next(column for column, other in mapped.items() if other == field)
            raise ConfigError(f"The columns '{taken}' and '{name}' both hold {field}: take one out of the file.")
    if twice := [field for field, n in Counter(mapped.values()).items() if n > 1]:
        raise ConfigError(f"--map: several columns are {twice[0]}, map one.")
    return mapped


def _check_required(path: Path, names: Sequence[str], held: Collection[str]) -> None:
    """Refuse a file that says nowhere what every row must say; one sentence, not one a row."""
    if lacking := [f"`{field}`" for field in REQUIRED if field not in held]:
        problem = (
            f"no column is {' or '.join(lacking)}; the columns are {', '.join(names)}; use --map COLUMN=FIELD, or "
            "--fill FIELD=VALUE for what all rows say"
        )
        raise InputFileError(path, "", problem)


def _filled(fill: Mapping[str, str]) -> Mapping[str, str]:
    if strange := [field for field in fill if field not in FIELDS]:
        raise ConfigError(f"--fill: there is no field '{strange[0]}', there are {', '.join(FIELDS)}.")
    return fill


def _item_names(sites: ItemSites) -> ItemNames:
    """Return the site that an id means: its own, or that of a chain that leads to it."""
    named = {site_id: site_id for site_id in sites}
    if sites.source != IMPORT:
        named |= {chain.chain_id: chain.site.site_id for chain in load_public(sites.source)}
    return ItemNames(named)


def _parsed(
    rows: Iterable[Row], fields: Mapping[str, str], items: ItemNames, fill: Mapping[str, str]
) -> tuple[list[Given], list[Fault]]:
    """Return the answers of all rows, and what is wrong with rows that are none."""
    column_of = {field: column for column, field in fields.items()}
    found: list[Given] = []
    faults: list[Fault] = []
    for row in rows:
        said: dict[str, Any] = {field: row.cells.get(column) for column, field in fields.items()}
        said |= {field: value for field, value in fill.items() if said.get(field) in (None, "")}
        cells = Cells(said)
        given = cells.given(row.line, items)
        if given is not None:
            found.append(given)
        faults += [Fault(row.line, column_of.get(field, field), problem) for field, problem in cells.problems]
    return found, faults


def _told_short(short: Mapping[str, int], items: int) -> str:
    named = ", ".join(f"{item} ({n})" for item, n in list(short.items())[:_LISTED])
    more = f" … and {len(short) - _LISTED} more" if len(short) > _LISTED else ""
    return (
        f"{len(short)} of {items} sites have fewer passes than the others: {named}{more}. Add the missing rows, take "
        "those sites out, or give --partial: what is missing is then asked for in the workbench."
    )


def _events(plan: Plan, given: Iterable[Given]) -> dict[str, list[Event]]:
    """Return the events of each person's log, in order of the file."""
    tasks: dict[tuple[str, str, str], Task] = {(task.worker, task.layer, task.item_id): task for task in plan.tasks}
    found: dict[str, list[Event]] = {}
    for each in given:
        task = tasks[each.annotator, each.layer, each.item_id]
        event = unsealed(plan, task, each.answer, at=each.at, seconds=each.seconds)
        # Where nobody says when it was answered, the time of the import is no answer to that.
        found.setdefault(each.annotator, []).append(event.model_copy(update={"at": each.at}))
    return found
