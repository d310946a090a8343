"""People's visits as run folders, so that a person is scored by the same program as an agent."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from riskchain_gym.annotation.human_visit import HumanVisit
from riskchain_gym.annotation.pictures import MEDIA, Pictures
from riskchain_gym.annotation.visit_store import VISITS, VisitStore
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.sources import IMPORT
from riskchain_gym.benchmark.splits import PUBLIC, load_manifest, load_public
from riskchain_gym.envs.config import ENV_IDS, EnvConfig
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.evaluation.records import CODEBOOK, RunManifest
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.protocol.trajectory import Trajectory


@dataclass(frozen=True)
class HumanRun:
    """One person's run folder.

    Attributes:
        worker: The person.
        folder: The run folder; ``None`` where there is nothing to put into one.
        episodes: Visits in it.
        unseen: Answered passes that have no visit, e.g. because another tool was used; they are not in it.
        cut_short: Visits that a failure of the browser cut off before the answer; they are not in it.
    """

    worker: str
    folder: RunFolder | None
    episodes: int
    unseen: int
    cut_short: int


@dataclass(frozen=True)
class _Browsed:
    """What there is of one person's standing passes; the fields are those of :class:`HumanRun`."""

    visits: Mapping[str, HumanVisit]
    unseen: int
    cut_short: int


def agent_name(worker: str) -> str:
    """Return what a person is called among agents."""
    return f"human:{worker}"


def write_human_runs(project: Project, out: Path, split: str | None = None) -> list[HumanRun]:
    """Write a run folder for each person who has passed sites of the project, below a folder; return those who browsed.

    People label sites, and runs hold chains: a visit stands for the first chain of the split that leads to its site. A
    run plans the chains that its person has answered and browsed to the end: what a failing browser cut off says
    nothing of a person. Of each it holds the pass that stands; repeats, reviews and adjudications are not in it.
    Simulated workers have no visits. Everything is checked before anything is written.

    Args:
        project: A project on the sites of a split.
        out: Folder for the run folders; must not hold runs of the same people.
        split: Where the split is on this machine; by default where the plan says that it was.

    Raises:
        ConfigError: There is nothing to score people by, nobody has browsed, or a run folder exists already.
        UnknownNameError: There is no such split here.
        InputFileError: The split here is another one than the project's, or a visit is missing or not the one that its
            answer rests on.
    """
    plan = project.plan
    split = split or plan.source
    environment = _environment(plan, split)
    chains = first_chains(split)
    people = [worker.name for worker in plan.workers if not worker.simulated]
    found = {name: _browsed(project, name, chains) for name in people}
    if not any(each.visits for each in found.values()):
        cut = sum(each.cut_short for each in found.values())
        why = f" ({cut} were cut short by the browser and do not count)" if cut else ""
        raise ConfigError(
            f"{project.folder} holds no visit of a person to a site that was passed{why}: label some first."
        )
    for name, each in found.items():
        if each.visits:
            RunFolder.check_free(out / agent_name(name))
        for visit in each.visits.values():
            _check(visit, environment, project.folder / VISITS / name)
    return [
        _write(project, out, name, each, environment) for name, each in found.items() if each.visits or each.cut_short
    ]


def first_chains(split: str) -> dict[str, str]:
    """Return by site id the first chain of a split, in order of id, that leads there.

    Raises:
        UnknownNameError: There is no such split.
        InputFileError: A file is missing, malformed, or not the one its manifest pins.
    """
    return {chain.site.site_id: chain.chain_id for chain in reversed(load_public(split))}


def on_chain(trajectory: Trajectory, chain_id: str) -> Trajectory:
    """Return the trajectory of a visit to a site as that of an episode on a chain that leads there.

    ``RiskChainBrowse-v0`` with ``config="human"`` comes to the same hash when it plays its actions on that chain.
    """
    return trajectory.model_copy(update={"chain_id": chain_id})


def _environment(plan: Plan, split: str) -> EnvConfig:
    if plan.subject != "sites":
        raise ConfigError(f"This project labels {plan.subject}, and only visits to sites can be scored: give another.")
    if plan.source == IMPORT:
        raise ConfigError(
            "This project labels import folders, which have no gold to score people by: freeze its labels, build a "
            "split of them with `riskchain build imported`, and label that."
        )
    here = load_manifest(split).sha256.get(PUBLIC, "missing")
    if here != plan.source_sha256:
        problem = f"is not the one that the project labels ({here[:12]}… here, {plan.source_sha256[:12]}… there)"
        raise InputFileError(Path(split), PUBLIC, f"{problem}: give the very split")
    return resolve_config("browse", "human", {"split": split, "reward": "none"})


def _browsed(project: Project, worker: str, chains: Mapping[str, str]) -> _Browsed:
    """Return the visits of a person's standing passes by chain, in order, and what is left out."""
    store = VisitStore(project.folder, worker)
    passes = [state.passes[worker] for state in project.states().values() if worker in state.passes]
    kept = [(event, event.visit_file) for event in passes]
    visits = [_of_answer(store.read(file), event, project.folder) for event, file in kept if file is not None]
    whole = {chains[visit.item_id]: visit for visit in visits if visit.completion == "COMPLETE"}
    return _Browsed(dict(sorted(whole.items())), len(passes) - len(visits), len(visits) - len(whole))


def _of_answer(visit: HumanVisit, event: Event, folder: Path) -> HumanVisit:
    """Return a visit, or refuse one that ended in another answer than the log has."""
    report, answer = visit.trajectory.report, event.site_answer
    same_item = visit.item_id == visit.trajectory.chain_id == event.item_id and visit.task_id == event.task_id
    same_label = (
        report is not None
        and answer is not None
        and (report.decision, report.primary_violation_type) == (answer.decision, answer.primary_violation_type)
    )
    if not (same_item and same_label):
        path = folder / VISITS / event.worker / event.visit
        raise InputFileError(path, "trajectory", "is not the visit of the answer in the log: restore the file")
    return visit


def _check(visit: HumanVisit, environment: EnvConfig, folder: Path) -> None:
    made = (visit.trajectory.protocol, visit.trajectory.viewport)
    if made != (environment.protocol, environment.viewport):
        raise InputFileError(
            folder,
            visit.task_id,
            f"the visit was made under {made[0]} in a viewport of {made[1]}, and envs/human.toml says "
            f"{environment.protocol} and {environment.viewport}: use the riskchain-gym that made it",
        )


def _write(project: Project, out: Path, worker: str, browsed: _Browsed, environment: EnvConfig) -> HumanRun:
    left_out = (browsed.unseen, browsed.cut_short)
    if not browsed.visits:
        return HumanRun(worker, None, 0, *left_out)
    manifest = _manifest(project.plan, worker, browsed.visits, environment)
    folder = RunFolder.create(out / manifest.agent, manifest)
    pictures, encoder = Pictures(project.folder / MEDIA), ScreenshotEncoder()
    for chain_id, visit in browsed.visits.items():
        images = {int(step): _encoded(pictures.read(name), encoder) for step, name in visit.media.items()}
        folder.append(on_chain(visit.trajectory, chain_id), images, visit.seconds)
    return HumanRun(worker, folder, len(browsed.visits), *left_out)


def _manifest(plan: Plan, worker: str, visits: Mapping[str, HumanVisit], environment: EnvConfig) -> RunManifest:
    split = load_manifest(environment.split)
    return RunManifest(
        agent=agent_name(worker),
        agent_kind="baseline",
        agent_sha256=sha256_of({"plan": plan.sha256, "worker": worker}),
        split=environment.split,
        split_sha256=plan.source_sha256,
        split_chains=split.chains,
        origin=split.origin,
        chains=tuple(visits),
        env_id=ENV_IDS["browse"],
        env_kwargs={"split": environment.split, "config": "human", "reward": "none"},
        environment=environment,
        versions={**_versions(visits.values()), CODEBOOK: plan.codebook_version},
    )


def _versions(visits: Iterable[HumanVisit]) -> dict[str, str]:
    """Return the versions that visits were made with, by name; several where they were updated meanwhile."""
    found: dict[str, set[str]] = {}
    for visit in visits:
        for name, version in visit.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(versions)) for name, versions in sorted(found.items())}


def _encoded(data: bytes, encoder: ScreenshotEncoder) -> bytes:
    """Return a picture as runs store screenshots: smaller, and not quite what it was."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return encoder.encode(np.asarray(image.convert("RGB")))
