"""What plays for the learner: it hands over whole episodes only, and none that infrastructure has ended.

RLlib cuts episodes where a fragment is full. A cut would give the learner the rewards of an episode of which nobody
knows yet whether its browser will die. Here the pieces of an episode are kept until it has ended: then it is handed
over in one piece, or dropped with every reward that it was paid, and counted.
"""

from __future__ import annotations

from typing import Any

from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.debug import update_global_seed_if_necessary

from riskchain_gym.protocol.errors import InfrastructureError

LOST = "episodes_lost"
"""Metric: episodes that were dropped because infrastructure ended them, in this iteration."""


MOST_LOST = 200
"""Episodes that may be lost one after the other; then the run ends, for there is nothing to learn from."""


class WholeEpisodes(SingleAgentEnvRunner):  # type: ignore[misc]
    """RLlib's own runner, but for what it hands over and for :meth:`start_afresh`.

    An episode that spans two iterations is learned from in the second; the probabilities of its actions are those
    with which they were drawn, so PPO's ratio stays right.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.episodes_to_numpy = False
        self._held: dict[str, SingleAgentEpisode] = {}
        self._lost_in_a_row = 0

    def start_afresh(self, seed: int) -> None:
        """Forget the episodes that are running, and begin new ones whose chains and actions follow from a seed.

        Args:
            seed: The seed, apart for each runner.
        """
        self._held.clear()
        self._ongoing_episodes_for_metrics.clear()
        self._seed = seed
        self._needs_initial_reset = True
        self._cached_to_module = None
        update_global_seed_if_necessary("torch", seed)

    def set_on_envs(self, name: str, value: float) -> None:
        """Call ``set_NAME(value)`` of every environment.

        Args:
            name: Name of the value, e.g. ``p_reference``.
            value: The value.
        """
        if self.env is None:
            return
        vector = self.env.unwrapped
        if hasattr(vector, setter := f"set_{name}"):
            getattr(vector, setter)(value)
        else:
            vector.call(setter, value)

    def _sample(self, **kwargs: Any) -> list[SingleAgentEpisode]:
        whole: list[SingleAgentEpisode] = []
        # A sample without an episode would be an iteration without one, in which nobody counts what was lost.
        while not whole:
            whole = self._joined(super()._sample(**kwargs))
        self._done_episodes_for_metrics[:] = whole
        return [episode.to_numpy() for episode in whole]

    def _joined(self, pieces: list[SingleAgentEpisode]) -> list[SingleAgentEpisode]:
        """Return the valid episodes that have ended, each in one piece, and keep those that are running."""
        whole: list[SingleAgentEpisode] = []
        for piece in pieces:
            earlier = self._held.pop(piece.id_, None)
            if earlier is not None:
                earlier.concat_episode(piece)
            episode = earlier or piece
            if not episode.is_done:
                self._held[episode.id_] = episode
            elif is_valid(episode):
                whole.append(episode)
                self._lost_in_a_row = 0
            else:
                self._lose(episode)
        running = {episode.id_ for episode in self._ongoing_episodes if episode is not None}
        self._held = {name: held for name, held in self._held.items() if name in running}
        # RLlib adds up the pieces of an episode for its means and for callbacks: here they are one piece.
        self._ongoing_episodes_for_metrics.clear()
        self._ongoing_episodes_for_metrics.update({name: [held] for name, held in self._held.items()})
        return whole

    def _lose(self, episode: SingleAgentEpisode) -> None:
        self.metrics.log_value(LOST, 1, reduce="sum")
        self._lost_in_a_row += 1
        if self._lost_in_a_row == MOST_LOST:
            cause = (episode.get_infos(-1).get("outcome") or {}).get("infra_cause", "infra_error")
            raise InfrastructureError(
                str(cause),
                f"{MOST_LOST} episodes in a row were lost to infrastructure: mend it, then go on (--resume).",
            )


def is_valid(episode: SingleAgentEpisode) -> bool:
    """Say whether an episode that has ended was ended by the agent, and not by infrastructure.

    Args:
        episode: The episode, or its last piece. One of an environment that says nothing of ``valid`` is valid.
    """
    return bool(episode.get_infos(-1).get("valid", True))
