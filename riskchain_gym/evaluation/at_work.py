"""A run at work: what ends is written down, what machines lost is run again, and all of it is frozen at last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.engine.jobs import Ended, Job, Setback
from riskchain_gym.evaluation.engine.local import LocalAgent
from riskchain_gym.evaluation.engine.play import Episode
from riskchain_gym.evaluation.engine.pool import EpisodePool, is_setback
from riskchain_gym.evaluation.engine.staff import LocalStaff, ProcessStaff, Staff, Workers
from riskchain_gym.evaluation.open_run import ATTEMPTS, OpenRun
from riskchain_gym.evaluation.planning import Planned
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.versions import versions_of
from riskchain_gym.evaluation.writing import UnwrittenError, writing
from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError

LOST_IN_A_ROW = 20
"""Attempts in a row that machines kept from their end, before a run is ended: then it is no matter of episodes.

Only those count that count as an attempt: where one process is lost to many episodes, that is one loss.
"""

MACHINES_LOST = "machines_lost"

Progress = Callable[[str, int], None]
"""Called with an agent's name, as it was asked for, and the number of its episodes that are done."""


def work(
    runs: dict[str, OpenRun], planned: Sequence[Planned], settings: RunSettings, progress: Progress | None
) -> None:
    """Run what is to be run, write it down as it ends, and freeze what is complete.

    Args:
        runs: The runs, by agent.
        planned: The same runs as they were checked.
        settings: How to run.
        progress: Called after every episode.

    Raises:
        Exception: As :func:`~riskchain_gym.evaluation.run.run_agents` from its first episode on.
    """
    jobs = [job for run in runs.values() for job in run.jobs]
    rules = planned[0].manifest.environment
    instructions = build_instructions(rules.max_steps, settings.repeat, revises=rules.revision != "none")
    all_ended, writable = False, True
    try:
        staff = _staff(planned, settings)
    except RiskChainError:
        for run in runs.values():
            run.discard_if_nothing(ended=False)
        raise
    gold = cache(lambda: load_gold(settings.split))
    refereed = rules.revision == "told"
    pool = EpisodePool(jobs, settings.workers, staff, instructions, lambda chain: gold()[chain], refereed=refereed)
    try:
        lost_in_a_row, why = 0, ""
        for ended in pool.finished():
            again = _added(runs, ended)
            why = _why(ended) if is_setback(ended) else why
            if not is_setback(ended):
                lost_in_a_row = 0
            elif not isinstance(ended.result, Setback) or ended.result.counted:
                lost_in_a_row += 1
            if lost_in_a_row >= LOST_IN_A_ROW:
                raise _machines_lost(runs, f"{LOST_IN_A_ROW} episodes in a row were lost; {why}.")
            if again is not None:
                pool.again(again)
            elif progress is not None:
                progress(ended.job.agent, runs[ended.job.agent].settled)
        for run in runs.values():
            run.freeze()
        all_ended = True
        pool.finish()
        if held_back := sum(run.held_back for run in runs.values()):
            raise _machines_lost(
                runs,
                f"{held_back} of the episodes were lost {ATTEMPTS} times, and none has ended well, so that nothing "
                f"tells whether it was them; {why}. Look at the deadlines and the machine.",
            )
    except UnwrittenError:
        writable = False
        raise
    finally:
        pool.stop()
        for ended in pool.leftovers() if writable else ():
            _added(runs, ended)
        for run in runs.values():
            run.discard_if_nothing(ended=all_ended)


def _machines_lost(runs: dict[str, OpenRun], said: str) -> InfrastructureError:
    """Return what ends runs of which machines lose everything; their episodes have all of their attempts again."""
    for run in runs.values():
        run.take_back(MACHINES_LOST)
    return InfrastructureError(MACHINES_LOST, said)


def _why(ended: Ended) -> str:
    result = ended.result
    if isinstance(result, Setback):
        return f"of the last one {result.detail} ({result.cause})"
    assert isinstance(result, Episode), "a loss is no setback"
    return f"the cause of the last one is {result.trajectory.infra_cause}"


def _added(runs: dict[str, OpenRun], ended: Ended) -> Job | None:
    run = runs[ended.job.agent]
    with writing(run.folder.path):
        return run.add(ended)


def _staff(planned: Sequence[Planned], settings: RunSettings) -> Staff:
    if settings.isolation == "process" or settings.ray is not None:
        plans = {each.agent: each.plan(settings) for each in planned}
        return ProcessStaff(settings, plans, settings.workers, _workers(settings))
    models = {each.agent: each.models for each in planned}

    def close() -> None:
        for each in models.values():
            each.close()

    return LocalStaff(settings, lambda name: LocalAgent(models[name].load(name), models[name].count), close)


def _workers(settings: RunSettings) -> Workers | None:
    if settings.ray is None:
        return None
    from riskchain_gym.evaluation.engine.ray_environment import RayWorkers

    return RayWorkers(settings, versions_of(settings))
