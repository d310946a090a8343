"""One episode at a time as text: tool calls in, observations as text out, the reward so far, and whether it counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

import riskchain_gym
from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.envs.config import PICTURES, Kind
from riskchain_gym.envs.observation import PHASES
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.training.adapters.calls import read_text
from riskchain_gym.training.adapters.prompts import observation_text, system_prompt
from riskchain_gym.training.adapters.tools import BY_NAME, Tool, ToolCallError, tools_of

OVER = "The case is closed. Nothing more can be done in it."
"""What a call is answered with that comes after the end."""

_NO_ACTION = ""


class EpisodeLostError(InfrastructureError):
    """The infrastructure lost the episode: whoever trains on it or scores it drops it whole.

    Attributes:
        cause: One word, e.g. ``browser_lost``; the name of the exception where the environment itself raised one.
    """

    def __init__(self, cause: str) -> None:
        super().__init__(cause, "This episode does not count: drop it whole, with the rewards it has paid.")


class TextSession:
    """The core of all adapters: an environment whose observations are text and whose actions are tool calls.

    What a model does wrong is an observation and a strike, as everywhere. What the infrastructure does wrong ends the
    episode without a reward: :attr:`lost` names the cause and :attr:`reward` is ``None``.

    No text holds a chain id, the gate or anything of the gold; :attr:`chain`, :attr:`outcome` and :attr:`reward` are
    for the trainer alone. Where trainers reuse sessions, :meth:`reset` is enough between episodes. A session is for one
    thread at a time.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        kwargs: Keyword arguments of the environment (``split``, ``reward``, ``backend`` …).

    Raises:
        ConfigError: An argument is bad, or asks for what is no text: pictures, or BrowserGym's calls.

    Attributes:
        env: The environment itself.
        kind: Which of the three it is.
        tools: The tools that it has a use for.
    """

    def __init__(self, env_id: str = "RiskChain-v0", **kwargs: Any) -> None:
        riskchain_gym.register_envs()
        if not isinstance(env_id, str):
            raise ConfigError(f"env_id is one of {', '.join(_KINDS)}, got {shown(env_id)}: give it as text.")
        if env_id not in _KINDS:
            raise ConfigError(f"There is no text session for '{env_id}'.{did_you_mean(env_id, _KINDS)}")
        self.kind = _KINDS[env_id]
        made = gym.make(env_id, disable_env_checker=True, **kwargs).unwrapped
        assert isinstance(made, RiskChainEnv)
        self.env = made
        _check_words_only(self.env)
        self.tools: tuple[Tool, ...] = tools_of(self.kind)
        self._observation: dict[str, Any] = {}
        self._info: dict[str, Any] = {}
        self._reward = 0.0
        self._lost = ""
        self._is_over = True
        self._last = 0.0

    @property
    def system_prompt(self) -> str:
        """What a model is told before an episode: the task, the codebook, and how to call a tool."""
        return system_prompt(self.kind)

    @property
    def phase(self) -> Phase | None:
        """The current phase; after the end, the one it ended in; ``None`` before the first reset."""
        return PHASES[int(self._observation["phase"])] if self._observation else None

    @property
    def done(self) -> bool:
        """Whether no episode is running."""
        return self._is_over

    @property
    def lost(self) -> str:
        """Why the infrastructure lost the episode, in one word; ``""`` for an episode that counts."""
        return self._lost

    @property
    def valid(self) -> bool:
        """Whether there is an episode and it counts."""
        return bool(self._observation) and not self._lost

    @property
    def reward(self) -> float | None:
        """The rewards of the episode so far; ``None`` if it does not count, or none has begun."""
        return self._reward if self.valid else None

    @property
    def last_reward(self) -> float | None:
        """The reward of the last action; ``None`` if the episode does not count, or none has begun."""
        return self._last if self.valid else None

    @property
    def outcome(self) -> dict[str, Any]:
        """The flat outcome of an episode that has ended and counts, for metrics; else empty."""
        return dict(self._info.get("outcome", {})) if self.valid else {}

    @property
    def chain(self) -> str:
        """Id of the chain that is played, for the trainer's records.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.env.trajectory.chain_id

    def reset(self, *, seed: int | None = None, chain: str | None = None, variant: str | None = None) -> str:
        """Begin an episode and return the first observation.

        Args:
            seed: Seeds the choice of chains.
            chain: Id of the chain to play; drawn unless given.
            variant: The variant of its message.

        Raises:
            UnknownNameError: There is no such chain or variant.
            BrowserUnavailableError: A browser is needed here and does not start.
        """
        self._observation, self._info, self._lost, self._is_over = {}, {}, "", True
        self._reward = self._last = 0.0
        named = {name: value for name, value in (("chain", chain), ("variant", variant)) if value is not None}
        self._take(*self.env.reset(seed=seed, options=named or None))
        return self._text()

    def act(self, text: Any) -> str:
        """Do what a text says, a tool call or an action as JSON, and return the next observation.

        Args:
            text: What the model wrote; see :func:`~riskchain_gym.training.adapters.calls.read_text`. What is no text is
                a strike.

        Raises:
            ResetNeeded: No episode has begun, or the session is closed.
        """
        if not isinstance(text, str):
            return self._send(_NO_ACTION, problem=f"An answer is a text, got {shown(text)}.")
        meant = read_text(text)
        return self._send(meant) if isinstance(meant, str) else self.call(meant.name, meant.arguments)

    def call(self, name: Any, arguments: Any) -> str:
        """Call a tool and return the next observation.

        Args:
            name: Its name.
            arguments: Its arguments by name. What fits no tool is a strike, a name that is no text included.

        Raises:
            ResetNeeded: No episode has begun, or the session is closed.
        """
        if self._has_ended():
            return OVER
        try:
            return self._send(self._action(name, arguments))
        except ToolCallError as error:
            return self._send(_written(name, arguments), problem=str(error))

    def settle(self) -> float | None:
        """End an episode that the model has left and return its reward, ``None`` if it does not count.

        The rules of the environment end it: nothing is done until strikes have closed every phase. A report that was
        never filed so is a missing report, and whatever a reward pays at the end is paid.
        """
        while not self._is_over:
            self._send(_NO_ACTION)
        return self.reward

    def check(self) -> None:
        """Raise if the episode does not count.

        Raises:
            EpisodeLostError: The infrastructure lost it.
        """
        if self._lost:
            raise EpisodeLostError(self._lost)

    def close(self) -> None:
        """Release what the environment holds; idempotent. A later reset is legal."""
        self._observation, self._info, self._is_over = {}, {}, True
        self.env.close()

    def _action(self, name: Any, arguments: Any) -> str:
        here = ", ".join(each.name for each in self.tools if self._takes(each))
        if not isinstance(name, str):
            raise ToolCallError(f"The name of a tool is a text, got {shown(name)}. Tools here: {here}.")
        tool = BY_NAME.get(name)
        if tool is None or tool not in self.tools:
            raise ToolCallError(f"There is no tool {name[:60]!r}.{did_you_mean(name, BY_NAME)} Tools here: {here}.")
        if not self._takes(tool):
            raise ToolCallError(f"'{name}' has no place in this phase. Tools here: {here}.")
        if not isinstance(arguments, Mapping):
            raise ToolCallError(f"The arguments of '{name}' must be one JSON object.")
        return tool.action_text(arguments)

    def _takes(self, tool: Tool) -> bool:
        if tool.phase is self.phase:
            return True
        revises = self.phase is Phase.REPORT and tool.phase is Phase.RESTORE
        return revises and bool(json.loads(self._observation["elements"] or "{}").get("revision", {}).get("open"))

    def _send(self, action: str, problem: str = "") -> str:
        if self._has_ended():
            return OVER
        before = self.phase
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except BaseException as error:
            # Half a step may have been done; whatever it was, it says nothing of the model.
            if self._observation:
                self._lost, self._is_over = type(error).__name__, True
            raise
        self._take(observation, info)
        self._last = float(reward)
        self._reward += self._last
        self._is_over = terminated or truncated
        # Once a restoration is frozen, nothing may be shown that quotes it.
        return self._text(problem if before is self.phase or before is not Phase.RESTORE else "")

    def _has_ended(self) -> bool:
        """Return whether there is an episode and it is over; what is sent then does nothing and pays nothing."""
        ended = self._is_over and bool(self._observation)
        if ended:
            self._last = 0.0
        return ended

    def _take(self, observation: dict[str, Any], info: dict[str, Any]) -> None:
        self._observation, self._info = observation, info
        self._is_over = False
        if not info["valid"]:
            self._lost, self._is_over = self.env.trajectory.infra_cause or "unknown", True

    def _text(self, problem: str = "") -> str:
        return observation_text(self._observation, self._info, self.tools_now, over=self._is_over, problem=problem)

    @property
    def tools_now(self) -> tuple[Tool, ...]:
        """The tools that the current phase takes."""
        return tuple(each for each in self.tools if self._takes(each)) if not self._is_over else ()


_KINDS: dict[str, Kind] = {
    "RiskChain-v0": "chain",
    "RiskChainRestore-v0": "restore",
    "RiskChainBrowse-v0": "browse",
}


def _check_words_only(env: RiskChainEnv) -> None:
    config = env.config
    if config.actions != "json":
        raise ConfigError(f"A text session sends its actions as JSON, got actions='{config.actions}': leave it out.")
    pictures = [each for each in config.observe if each in PICTURES or each == "message_image"]
    if pictures or not config.page_text:
        what = f"observe={pictures}" if pictures else "page_text = false"
        raise ConfigError(f"A text session shows no pictures, got {what}: leave it out.")


def _written(name: Any, arguments: Any) -> str:
    """Return a call that fits no tool as the text that the environment refuses and writes down."""
    try:
        return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"a call of {shown(name)}"
