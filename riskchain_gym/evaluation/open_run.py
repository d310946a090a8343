"""A run while it is at work: what becomes of its episodes is written down, and decides what is run again."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.evaluation.calls import STOPPED, CallLog, ChainCalls, was_answered
from riskchain_gym.evaluation.engine.jobs import Ended, Job, Loss, Setback
from riskchain_gym.evaluation.engine.play import Episode
from riskchain_gym.evaluation.incidents import Incident, IncidentLog
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import restoring_kwargs
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.evaluation.writing import writing
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.trajectory import Trajectory

ATTEMPTS = 3
"""Attempts that an episode has where machines fail, over all starts of a run: the first, and two rounds after it."""


class OpenRun:
    """A run folder that gets what became of its chains, as they end.

    Args:
        folder: The run folder; what is frozen in it is not run again.
        agent: The agent, as it was asked for.

    Attributes:
        jobs: What is to be run.
        settled: How many chains need no run any more.

    Raises:
        UnwrittenError: An episode that has had all of its attempts cannot be frozen.
    """

    def __init__(self, folder: RunFolder, agent: str) -> None:
        self.folder = folder
        self._place = _place_of(folder)
        self._lost = 0
        self._calls = CallLog(folder.path)
        self._incidents = IncidentLog(folder.path)
        self._attempts: Counter[tuple[str, str]] = self._incidents.attempts()
        worked_once = any(_setback(Episode(r.trajectory, {}, None)) is None for r in folder.records())
        self._taken_back = self._incidents.taken_back() if worked_once else set()
        self._ended_well = self._in_a_row = 0
        self._held_back: list[tuple[Job, Episode]] = []
        manifest = folder.manifest
        restored = [Job(agent, chain, variant) for chain in manifest.chains for variant in manifest.restored]
        episodes = [Job(agent, chain) for chain in manifest.chains]
        self._freeze_given_up([*restored, *episodes])
        self.jobs = [job for job in (*restored, *episodes) if not self._holds(job)]
        self.settled = sum(folder.holds(chain) for chain in manifest.chains)

    def add(self, ended: Ended) -> Job | None:
        """Write down what became of a job; return it if it is to be run again.

        The calls come first. What machines did wrong is an incident; after so many attempts it is frozen as such. But
        first an episode must have ended well in this start, or in an earlier one and this have been held back already:
        until then it is held back, for nothing tells an episode that ends machines from machines that do no work.

        Raises:
            OSError: It cannot be written.
        """
        self._check_there()
        job, result = ended.job, ended.result
        setback = _setback(result)
        self._write_calls(ended, setback)
        if setback is not None:
            is_last = setback.counted and self._attempts[job.chain, job.variant] + 1 >= ATTEMPTS
            is_known = self._ended_well > 0 or (job.chain, job.variant) in self._taken_back
            self._write_incident(job, setback, final=is_last and is_known)
            if not is_last:
                return replace(job, alone=job.alone or setback.alone)
            result = result if isinstance(result, Episode) else _lost(self.folder.manifest, job, setback.cause)
            if not is_known:
                self._held_back.append((job, result))
                return None
        if isinstance(result, Episode) and not self._holds(job):
            self._append(job, result)
        self._lost += isinstance(result, Loss)
        if not job.variant:
            self.settled += 1
        if isinstance(result, Episode) and setback is None:
            self._freeze_held_back()
        return None

    @property
    def held_back(self) -> int:
        """How many episodes have had all of their attempts and are not frozen, see :meth:`add`."""
        return len(self._held_back)

    def take_back(self, cause: str) -> None:
        """Let the incidents since an episode ended well, in this start, count as no attempts: machines did no work.

        Args:
            cause: Why, in a word.

        Raises:
            UnwrittenError: It cannot be written.
        """
        self._held_back = []
        if self._in_a_row:
            with writing(self.folder.path):
                self._incidents.take_back(cause, self._in_a_row)
        self._in_a_row = 0

    def freeze(self) -> None:
        """Put everything into the planned order and seal it, if all of it is there.

        Raises:
            UnwrittenError: It cannot be written.
        """
        with writing(self.folder.path):
            self._check_there()
            if self.folder.complete:
                self.folder.freeze()
            elif not self._lost and not self._held_back:
                raise FileNotFoundError(errno.ENOENT, "episodes that were written are not there any more")

    def discard_if_nothing(self, *, ended: bool) -> None:
        """Remove the folder of a run that nothing came of, so that another can be begun there.

        Args:
            ended: Whether every episode has ended; then it stays known why each of them was lost.
        """
        if _place_of(self.folder) != self._place:
            return
        if not self.folder.empty or ended or any(was_answered(c) for e in self._calls.entries() for c in e.calls):
            return
        self._calls.remove()
        self.folder.discard_if_empty()

    def _check_there(self) -> None:
        """Refuse to write to a folder that is not the one that the run was begun in.

        Raises:
            OSError: It is not.
        """
        if _place_of(self.folder) != self._place:
            raise FileNotFoundError(errno.ENOENT, "the run folder was removed or moved while the run was at work")

    def _freeze_given_up(self, planned: Sequence[Job]) -> None:
        """Freeze what a program that was ended right after the last attempt has not frozen any more."""
        last = self._incidents.last_counted()
        for job in planned:
            place = job.chain, job.variant
            if place in last and last[place].final and not self._holds(job):
                with writing(self.folder.path):
                    self._append(job, _lost(self.folder.manifest, job, last[place].cause))

    def _freeze_held_back(self) -> None:
        """Freeze what was held back: an episode has ended well, so that machines do their work."""
        self._ended_well += 1
        self._in_a_row = 0
        held_back, self._held_back = self._held_back, []
        for job, episode in held_back:
            self._append(job, episode)
            self.settled += not job.variant

    def _append(self, job: Job, episode: Episode) -> None:
        if job.variant:
            self.folder.append_restoration(episode.trajectory, episode.seconds)
        else:
            self.folder.append(episode.trajectory, episode.images, episode.seconds)

    def _holds(self, job: Job) -> bool:
        if job.variant:
            return self.folder.holds_restoration(job.chain, job.variant)
        return self.folder.holds(job.chain)

    def _write_calls(self, ended: Ended, setback: Setback | None) -> None:
        why = setback or (ended.result if isinstance(ended.result, Loss) else Loss(""))
        stopped, lost = why.cause == STOPPED, isinstance(why, Loss) and bool(why.cause)
        if ended.calls or (not stopped and (ended.asks_model or lost)):
            job, calls = ended.job, ended.calls
            self._calls.add(
                ChainCalls(chain_id=job.chain, variant=job.variant, calls=calls, lost=why.cause, detail=why.detail)
            )

    def _write_incident(self, job: Job, setback: Setback, *, final: bool) -> None:
        self._incidents.add(
            Incident(
                chain_id=job.chain,
                variant=job.variant,
                cause=setback.cause,
                detail=setback.detail,
                counted=setback.counted,
                final=final,
            )
        )
        self._in_a_row += 1
        if setback.counted:
            self._attempts[job.chain, job.variant] += 1


def _place_of(folder: RunFolder) -> tuple[int, int] | None:
    """Return which file is the manifest of a run, ``None`` if there is none."""
    try:
        found = (folder.path / MANIFEST).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _setback(result: Episode | Loss | Setback) -> Setback | None:
    """Return what machines did wrong in what came of a job, ``None`` if nothing."""
    if isinstance(result, Episode) and result.trajectory.status is EpisodeStatus.INFRA_ERROR:
        cause = result.trajectory.infra_cause
        return Setback(cause, f"the environment ended the episode ({cause})", counted=True, alone=False)
    return result if isinstance(result, Setback) else None


def _lost(manifest: RunManifest, job: Job, cause: str) -> Episode:
    """Return the episode of which nothing is left but that it was lost."""
    environment = manifest.environment
    if job.variant:
        environment = resolve_config("restore", None, restoring_kwargs(manifest.env_kwargs))
    trajectory = Trajectory(
        chain_id=job.chain,
        variant=job.variant or environment.variants[0],
        protocol=environment.protocol,
        routing=environment.routing,
        modalities=environment.page_modalities,
        viewport=environment.viewport,
        status=EpisodeStatus.INFRA_ERROR,
        infra_cause=cause,
    )
    return Episode(trajectory, {}, None)
