"""Many restorations at once, as arrays: the native vector environments without the step that each of them adds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from riskchain_gym.envs.selection import CaseId, Selector, check_options
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.envs.sources import open_source
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.envs.vector_arguments import check_autoreset_mode, check_num_envs, check_seeds
from riskchain_gym.envs.web_outcomes import WebOutcomes
from riskchain_gym.envs.wrappers.over_text import check_keywords
from riskchain_gym.envs.wrappers.restoration import Task
from riskchain_gym.envs.wrappers.seats import Seats, check_pool
from riskchain_gym.envs.wrappers.vector_infos import gate_outcomes, running_infos
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import GateResult
from riskchain_gym.scoring.gate import CLOSED

Arrays = dict[str, NDArray[Any]]
Mask = NDArray[np.bool_]
SheetT = TypeVar("SheetT")

OUTCOMES = ("gate", "full")
"""What ``outcomes=`` accepts."""


class Verdict(NamedTuple):
    """What an action that was carried out comes to.

    Attributes:
        reward: What the episode pays.
        gate: The gate, or ``None`` where there is no gold.
    """

    reward: float
    gate: GateResult | None


class RestoreVectorEnv(VectorEnv[Arrays, NDArray[Any], NDArray[Any]], Generic[SheetT]):
    """A vector of one-step restorations; a subclass says what is observed and what an action commits.

    Environment i plays what a single environment plays that is reset with its seed (seed + i for a number), is paid by
    the same rewards and struck by the same rules. What is made of a session is kept for later episodes.

    Args:
        num_envs: How many environments.
        autoreset_mode: ``NEXT_STEP`` or ``SAME_STEP``.
        outcomes: What ``infos["outcome"]`` holds: the ``gate`` (id, status, routing and the gate's answers), or the
            ``full`` outcome of the text environment, which is about a millisecond an episode.
        pool: How many sessions are kept. Of a split without end in random order, that many are drawn by the seed, and
            episodes are drawn from these.
        kwargs: Keyword arguments of ``RiskChainRestore-v0``.

    Raises:
        ConfigError: As the single environment does, or for a mode or a rendering that a vector does not have.
    """

    env_id: ClassVar[str]
    own: ClassVar[tuple[str, ...]] = ("outcomes", "pool")

    def __init__(
        self,
        num_envs: int,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        outcomes: str = "gate",
        pool: int = 4096,
        config: Any = None,
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        check_keywords(self.env_id, self.own, kwargs)
        self.config = resolve_config("restore", config, {**kwargs, "observe": []})
        self.num_envs = _check_shape(num_envs, outcomes, render_mode)
        mode = check_autoreset_mode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            raise ConfigError("autoreset_mode: a native vector resets by itself, give 'NextStep' or 'SameStep'.")
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self.render_mode = None
        self._same_step = mode is AutoresetMode.SAME_STEP
        self._pool = check_pool(pool)
        self._source = open_source(self.config, "restore")
        selector = Selector(self._source, self.config, "restore")
        self._web_outcomes: WebOutcomes | None = None
        if self.config.web_outcomes is not None and self.config.needs_gold:
            self._web_outcomes = WebOutcomes.load(self.config.web_outcomes)
            self._web_outcomes.check(selector.chain_ids)
        self._seats = Seats(selector, self.config, num_envs, self._pool)
        self._whole = outcomes == "full" or self.config.terms.active
        self._full = outcomes == "full"
        self._kept: dict[CaseId, tuple[Task, SheetT]] = {}
        self._playing: list[tuple[Task, SheetT] | None] = [None] * num_envs
        self._strikes = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.bool_)
        self._began = False
        self.closed = False

    def _set_spaces(self, observation: spaces.Dict, action: spaces.Space[Any]) -> None:
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, self.num_envs)
        self.action_space = batch_space(action, self.num_envs)

    @abstractmethod
    def _make(self, task: Task) -> SheetT:
        """Return what is kept of a session: its observation as arrays, and what its actions come to."""

    @abstractmethod
    def _show(self, place: int, sheet: SheetT) -> None:
        """Write a session into the row of an environment."""

    @abstractmethod
    def _observe(self, strikes: NDArray[np.float32]) -> Arrays:
        """Return the observations, made afresh; ``strikes`` are shares of those that end an episode."""

    @abstractmethod
    def _read(self, actions: Any) -> tuple[NDArray[np.int64], Mask]:
        """Return the actions as arrays and which can be carried out; what stands for the others means nothing.

        Raises:
            ConfigError: They are not one an environment.
        """

    @abstractmethod
    def _carry_out(self, places: NDArray[np.int64], actions: NDArray[np.int64]) -> list[Verdict]:
        """Return what legal actions come to, one for each of some environments."""

    @abstractmethod
    def _commit(self, place: int, action: Any) -> Commit:
        """Return the whole commit of a legal action."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin an episode in every environment.

        Args:
            seed: A number (seed, seed + 1, …) or one seed an environment.
            options: ``{"chains": [id, ...]}``, one chain an environment.

        Raises:
            ConfigError: Another option, another number of chains or seeds, or what is no id or no seed.
            UnknownNameError: The split has no such chain.
        """
        named = self._named(options)
        self._seats.seed(check_seeds(seed, self.num_envs))
        for place in range(self.num_envs):
            self._begin(place, named[place])
        self._began, self.closed = True, False
        self._ended[:] = False
        status, results = (np.full(self.num_envs, text, object) for text in (EpisodeStatus.RUNNING.value, ""))
        return self._observe(self._struck()), running_infos(status, self._strikes, results, _all(self.num_envs))

    def step(self, actions: NDArray[Any]) -> tuple[Arrays, NDArray[Any], Mask, Mask, dict[str, Any]]:
        """Send one action to every environment; an environment that has just ended is reset instead, or at once.

        Args:
            actions: One an environment; one that is not of its action space is a strike.

        Returns:
            Observations, rewards float64 (n,), terminations and truncations bool (n,), infos.

        Raises:
            ResetNeeded: No episode is running.
            ConfigError: There is another number of actions; no strike is counted.
        """
        if not self._began:
            raise ResetNeeded("No episode is running (not begun, or closed): call reset() first.")
        actions, readable = self._read(actions)
        live = np.ones(self.num_envs, np.bool_) if self._same_step else ~self._ended
        legal = live & readable
        before = self._strikes.copy()
        self._strikes[live & ~legal] += 1
        self._strikes[legal] = 0
        lost = live & ~legal & (self._strikes >= self.config.strikes)
        ended = legal | lost
        rewards = np.zeros(self.num_envs)
        outcome = self._score(legal, lost, actions, rewards, before)
        status = self._status(legal, lost)
        if self.config.on_strikes == "advance":
            self._strikes[lost] = 0
        results = np.full(self.num_envs, "", object)
        results[legal] = ActionStatus.EXECUTED.value
        results[live & ~legal] = ActionStatus.INVALID.value
        if not self._same_step:
            self._begin_again(np.flatnonzero(~live))
            infos = running_infos(status, self._strikes, results, _all(self.num_envs))
            if ended.any():
                infos |= {"outcome": outcome, "_outcome": ended.copy()}
            self._ended = ended
        else:
            infos = self._turn_over(ended, running_infos(status, self._strikes, results, ended), outcome)
            status[ended], results[ended] = EpisodeStatus.RUNNING.value, ""
            infos |= running_infos(status, self._strikes, results, _all(self.num_envs))
        return self._observe(self._struck()), rewards, ended.copy(), np.zeros(self.num_envs, np.bool_), infos

    def _turn_over(self, ended: Mask, last: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
        """Reset what has ended in the same step, and return what it ended with."""
        if not ended.any():
            return {}
        last |= {"outcome": outcome, "_outcome": ended.copy()}
        shown_last = self._observe(self._struck())
        final = np.full(self.num_envs, None, object)
        places = np.flatnonzero(ended)
        for place in places:
            final[place] = {name: values[place] for name, values in shown_last.items()}
        self._begin_again(places)
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": last, "_final_info": ended.copy()}

    def _begin_again(self, places: NDArray[np.int64]) -> None:
        for place in places:
            self._begin(int(place))

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ARG002 - Gymnasium's signature
        """Forget what is played; a later reset is legal."""
        self._began = False

    @property
    def chain_ids_playing(self) -> tuple[str, ...]:
        """The chain of the current or last episode of each environment.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return tuple(self._at(place)[0].case_id.chain_id for place in range(self.num_envs))

    def _named(self, options: dict[str, Any] | None) -> Sequence[str | None]:
        check_options(options, ("chains",), " of a vector")
        if not options:
            return [None] * self.num_envs
        chains = options["chains"]
        if not isinstance(chains, list | tuple) or len(chains) != self.num_envs:
            raise ConfigError(
                f"options: 'chains' lists one id for each of {self.num_envs} environments, got {shown(chains)}."
            )
        for chain_id in chains:
            if chain_id is not None and not isinstance(chain_id, str):
                raise ConfigError(f"options: 'chains' lists ids of chains, got {shown(chain_id)}: give them as text.")
        return chains

    def _begin(self, place: int, chain_id: str | None = None) -> None:
        case = self._seats.choose(place) if chain_id is None else self._seats.of_chain(place, chain_id)
        if case not in self._kept:
            if len(self._kept) >= self._pool:
                del self._kept[next(iter(self._kept))]
            task = Task(case, self._source, self.config, self._web_outcomes)
            self._kept[case] = task, self._make(task)
        self._playing[place] = self._kept[case]
        self._strikes[place] = 0
        self._show(place, self._kept[case][1])

    def _at(self, place: int) -> tuple[Task, SheetT]:
        playing = self._playing[place]
        if playing is None:
            raise ResetNeeded("Nothing is played before the first reset: call reset().")
        return playing

    def _struck(self) -> NDArray[np.float32]:
        return (self._strikes / self.config.strikes).astype(np.float32)

    def _score(
        self,
        legal: Mask,
        lost: Mask,
        actions: NDArray[Any],
        rewards: NDArray[np.float64],
        struck: NDArray[np.int64],
    ) -> dict[str, Any]:
        """Fill in the rewards of the episodes that end, and return what ``infos["outcome"]`` says of them."""
        over = [int(place) for place in np.flatnonzero(legal | lost)]
        if self._whole:
            outcome: dict[str, Any] = {}
            for place in over:
                commit = self._commit(place, actions[place]) if legal[place] else None
                rewards[place], flat = self._at(place)[0].play(commit, int(struck[place]))
                outcome = self._add_info(outcome, flat, place)
            if self._full:
                return outcome
        gates: dict[int, GateResult | None] = {}
        places = np.flatnonzero(legal)
        for place, verdict in zip(places.tolist(), self._carry_out(places, actions[places]), strict=True):
            gates[place] = verdict.gate
            if not self._whole:
                rewards[place] = verdict.reward
        for place in np.flatnonzero(lost).tolist():
            task = self._at(place)[0]
            gates[place] = CLOSED if task.has_gold else None
            if not self._whole:
                rewards[place] = task.lost_reward
        chain_ids = {place: self._at(place)[0].case_id.chain_id for place in gates}
        return gate_outcomes(gates, chain_ids, self._status(legal, lost), self.num_envs) if gates else {}

    def _status(self, legal: Mask, lost: Mask) -> NDArray[Any]:
        status = np.full(self.num_envs, EpisodeStatus.RUNNING.value, object)
        bottom = self.config.on_strikes == "bottom"
        status[legal] = EpisodeStatus.COMMITTED.value
        status[lost] = (EpisodeStatus.BOTTOM if bottom else EpisodeStatus.COMMITTED).value
        return status


def _all(count: int) -> Mask:
    return np.ones(count, np.bool_)


def _check_shape(num_envs: int, outcomes: str, render_mode: str | None) -> int:
    if outcomes not in OUTCOMES:
        raise ConfigError(f"outcomes: give 'gate' or 'full', got {shown(outcomes)}.{did_you_mean(outcomes, OUTCOMES)}")
    if render_mode is not None:
        raise ConfigError(
            f"render_mode: a native vector draws nothing, got {shown(render_mode)}: leave it out, or make single "
            "environments with vectorization_mode='sync'."
        )
    return check_num_envs(num_envs)
