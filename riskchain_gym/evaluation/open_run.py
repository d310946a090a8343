"""A run while it is at work: episodes are frozen in the planned order, calls are written down as they come."""

from __future__ import annotations

from riskchain_gym.evaluation.calls import STOPPED, ChainCalls
from riskchain_gym.evaluation.episode import Episode
from riskchain_gym.evaluation.pool import Ended, Job, Loss
from riskchain_gym.evaluation.run_models import RunModels
from riskchain_gym.evaluation.store import RunFolder


class OpenRun:
    """A run folder that gets what became of its chains, whichever ends first.

    Args:
        folder: The run folder; what is frozen in it is not run again.
        agent: The agent, as it was asked for.
        models: Where it asks its models.
    """

    def __init__(self, folder: RunFolder, agent: str, models: RunModels) -> None:
        self.folder = folder
        self.models = models
        chains = enumerate(folder.manifest.chains)
        # Nothing waits for chains that are frozen already, or that are lost.
        self._waiting: dict[int, Episode | None] = {i: None for i, chain in chains if folder.holds(chain)}
        self._next = 0
        self.jobs = [Job(agent, i, c) for i, c in enumerate(folder.manifest.chains) if i not in self._waiting]
        self.settled = len(self._waiting)

    def add(self, ended: Ended) -> None:
        """Write down the calls, then freeze the episode once those before it are; until then it waits in memory."""
        lost = ended.result if isinstance(ended.result, Loss) else Loss("")
        if ended.calls or (lost.cause != STOPPED and (ended.asks_model or lost.cause)):
            chain = ended.job.chain
            self.models.write(ChainCalls(chain_id=chain, calls=ended.calls, lost=lost.cause, detail=lost.detail))
        self._waiting[ended.job.position] = ended.result if isinstance(ended.result, Episode) else None
        self.settled += 1
        while self._next in self._waiting:
            self._freeze(self._next)
            self._next += 1

    def flush(self) -> None:
        """Freeze what waits for episodes that will not come."""
        for position in sorted(self._waiting):
            self._freeze(position)

    def discard_if_nothing(self, *, ended: bool) -> None:
        """Remove the folder of a run that nothing came of, so that another can be begun there.

        Args:
            ended: Whether every episode has ended; then it stays known why each of them was lost.
        """
        if self.folder.empty and not ended and self.models.forget():
            self.folder.discard_if_empty()

    def _freeze(self, position: int) -> None:
        episode = self._waiting[position]
        # An interrupt may come just after an episode was frozen and before it was crossed off here.
        if episode is not None and not self.folder.holds(episode.trajectory.chain_id):
            self.folder.append(episode.trajectory, episode.images, episode.seconds)
        self._waiting[position] = None
