"""Opening a project for somebody to work on; where there is none, one for this person alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from riskchain_gym.annotation.desk import Desk, find_worker
from riskchain_gym.annotation.visiting import BackendFactory, VisitDesk, human_backend
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.plan import Subject, Worker, checked_name
from riskchain_gym.benchmark.labels.project import ITEMS, PLAN, Project, create_project
from riskchain_gym.benchmark.labels.sources import item_sites, plan_sites
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs, read_pairs

REPEATS = 0.05
"""Share of items that come again in a project of one person: it says how steady that person is."""

_OTHER_FOLDER = "name another DIR to put new answers in"


def open_project(
    folder: Path,
    name: str,
    *,
    subject: Subject | None = None,
    sites: Sequence[str] = (),
    pairs: Path | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Project:
    """Return the project of a folder; where there is none, draw one for this person alone: one pass, no review.

    Args:
        folder: Its folder.
        name: Who works.
        subject: What must be labelled in it, ``None`` for either.
        sites: Where sites come from, for a project that is drawn.
        pairs: File of pairs, for a project that is drawn.
        seed: Draws the order.
        limit: Take the first so many items, in order of id, for a project that is drawn; ``None`` for all.

    Raises:
        ConfigError: There is no project and nothing to make one of, or there is one of another kind or size.
        UnknownNameError: The project has no such worker.
        InputFileError: A file is malformed.
    """
    if (folder / PLAN).exists():
        project = Project.open(folder)
        if subject not in (None, project.plan.subject):
            raise ConfigError(f"{folder} is a project of {project.plan.subject}, not of {subject}: {_OTHER_FOLDER}.")
        if limit is not None:
            _check_limit(project, limit, sites, pairs)
    elif pairs is not None and not sites and subject != "sites":
        project = _of_pairs(folder, _alone(name), pairs, seed, limit)
    elif sites and pairs is None and subject != "pairs":
        project = _of_sites(folder, _alone(name), sites, seed, limit)
    elif sites and pairs is not None:
        raise ConfigError("--sites and --pairs are projects of two kinds: give one of them.")
    else:
        wanted = "--pairs FILE" if subject == "pairs" else "--sites SPLIT"
        raise ConfigError(
            f"There is no project in {folder}: give the folder of `riskchain labels plan`, or {wanted} to label alone."
        )
    find_worker(project, name)
    return project


def open_desk(
    project: Project,
    name: str,
    *,
    sites: Sequence[str] = (),
    pairs: Path | None = None,
    backend: BackendFactory = human_backend,
) -> tuple[Desk, VisitDesk | None]:
    """Return the desk of a worker, and what shows sites there, which is to be closed after the desk.

    Args:
        project: The project.
        name: Who works.
        sites: Where the sites are on this machine, by default where the plan says.
        pairs: The file that the project's pairs must be of, ``None`` for no check.
        backend: Makes the browser.

    Raises:
        ConfigError: The sites or pairs are not those of the plan.
        InputFileError: A file is malformed.
        MissingExtraError: A package that the browser needs is not installed.
        BrowserUnavailableError: No browser was found.
    """
    if project.plan.subject == "pairs":
        if sites:
            raise ConfigError(f"{project.folder} is a project of pairs, not of sites: {_OTHER_FOLDER}.")
        if pairs is not None and _sha256(_planned(project, pairs)) != project.plan.source_sha256:
            raise ConfigError(f"The pairs of {pairs} are not those of {project.folder}: {_OTHER_FOLDER}.")
        own = read_pairs(project.folder / ITEMS)
        if _sha256(own) != project.plan.source_sha256:
            raise InputFileError(project.folder / ITEMS, "", "is not what was planned, restore it from a copy")
        return Desk(project, name, pairs={pair.item_id: pair for pair in own}), None
    if pairs is not None:
        raise ConfigError(f"{project.folder} is a project of sites, not of pairs: {_OTHER_FOLDER}.")
    found = plan_sites(project.plan, sites)
    visits = VisitDesk(project.folder, name, backend=backend)
    return Desk(project, name, visits=visits, sites=found), visits


def _alone(name: str) -> Worker:
    return Worker(name=checked_name(name, given="--annotator"), role="annotator")


def _check_limit(project: Project, limit: int, sites: Sequence[str], pairs: Path | None) -> None:
    """Refuse another number of items than a project has: its plan is never changed."""
    held = len(project.plan.items)
    if limit > held and (sites or pairs is not None):
        limit = min(limit, len(item_sites(sites)) if pairs is None else len(read_pairs(pairs)))
    if limit != held:
        raise ConfigError(
            f"{project.folder} holds {held} {project.plan.subject}, and a plan is never changed: leave out --limit, "
            "or name another DIR."
        )


def _of_sites(folder: Path, worker: Worker, given: Sequence[str], seed: int, limit: int | None) -> Project:
    found = item_sites(given)
    plan = draw_plan(
        "sites",
        tuple(found)[:limit],
        (worker,),
        source=found.source,
        source_sha256=found.sha256,
        seed=seed,
        passes=1,
        repeats=REPEATS,
        clusters=found.clusters,
        digests=found.digests,
    )
    return create_project(folder, plan)


def _of_pairs(folder: Path, worker: Worker, path: Path, seed: int, limit: int | None) -> Project:
    pairs = _in_order(path)[:limit]
    plan = draw_plan(
        "pairs",
        [pair.item_id for pair in pairs],
        (worker,),
        source=str(path),
        source_sha256=_sha256(pairs),
        seed=seed,
        passes=1,
        repeats=REPEATS,
        clusters={pair.item_id: pair.cluster for pair in pairs},
    )
    return create_project(folder, plan, encoded_pairs(pairs))


def _in_order(path: Path) -> Sequence[PairItem]:
    """Return pairs in order of id, as projects hold them."""
    return sorted(read_pairs(path), key=lambda pair: pair.item_id)


def _planned(project: Project, path: Path) -> Sequence[PairItem]:
    """Return those pairs of a file that the project has."""
    return [pair for pair in _in_order(path) if pair.item_id in project.plan.items]


def _sha256(pairs: Sequence[PairItem]) -> str:
    return hashlib.sha256(encoded_pairs(pairs)).hexdigest()
