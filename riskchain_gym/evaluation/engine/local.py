"""Both sides of an episode in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import gymnasium as gym

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.envs.chain_env import RiskChainEnv
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.closing import close_agent
from riskchain_gym.evaluation.engine.said import Said, cut
from riskchain_gym.evaluation.engine.sides import Taken
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain


class OneEnvironment:
    """An environment that is there already, and what is kept of its screenshots.

    Args:
        env: An environment made by ``gymnasium.make`` from one of this package's ids.
        encoder: Encodes the screenshots.
    """

    def __init__(self, env: gym.Env[Any, Any], encoder: ScreenshotEncoder) -> None:
        self._env = env
        self._world = cast(RiskChainEnv, env.unwrapped)
        self._encoder = encoder
        self._images: dict[int, bytes] = {}
        self._passed: bool | None = None
        if self._world.config.revision == "told" and not self._world.config.needs_gold:
            self._world.inject_gate(self._gate)

    def reset(self, chain: str, variant: str = "") -> Observation:
        """Begin an episode, see :class:`~riskchain_gym.evaluation.engine.sides.EnvironmentSide`."""
        self._images = {}
        options = {"chain": chain, "variant": variant} if variant else {"chain": chain}
        observation, _ = self._env.reset(options=options)
        self._look()
        return cast(Observation, observation)

    def step(self, action: str, passed: bool | None = None) -> tuple[Observation, bool]:
        """Send an action; return the observation, and whether the episode has ended."""
        self._passed = passed
        sent: Any = action.stand_in() if isinstance(action, Said) else action
        observation, _, terminated, truncated, _ = self._env.step(sent)
        self._look()
        return observation, terminated or truncated

    def taken(self) -> Taken:
        """Return what there is of the current or last episode."""
        return Taken(self._world.trajectory, self._images)

    def close(self) -> None:
        """Close the environment."""
        self._env.close()  # type: ignore[no-untyped-call]

    def _gate(self, chain: str, commit: Commit) -> bool:  # noqa: ARG002 -- who sent the action has answered for both
        if self._passed is None:
            raise ConfigError(
                "revision='told' says whether the committed entry was right, and nobody has answered for the gate: "
                "play such episodes with `riskchain run`, or in an environment with reward='gated'."
            )
        return self._passed

    def _look(self) -> None:
        view = self._world.last_view
        if view is not None and view[0] not in self._images:
            self._images[view[0]] = self._encoder.encode(view[1])


class LocalEnvironments:
    """The environments of a run: one for whole chains, one for messages that are restored on their own.

    Each is made when it is first needed.

    Args:
        settings: How to run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._encoder = ScreenshotEncoder()
        self._made: dict[bool, OneEnvironment] = {}
        self._current: OneEnvironment | None = None

    def reset(self, chain: str, variant: str) -> Observation:
        """Begin an episode, see :class:`~riskchain_gym.evaluation.engine.sides.EnvironmentSide`."""
        whole = not variant
        if whole not in self._made:
            env = self._settings.make_env() if whole else self._settings.make_restoring_env()
            self._made[whole] = OneEnvironment(env, self._encoder)
        self._current = self._made[whole]
        return self._current.reset(chain, variant)

    def step(self, action: str, passed: bool | None = None) -> tuple[Observation, bool]:
        """Send an action; return the observation, and whether the episode has ended."""
        return self._playing.step(action, passed)

    def taken(self) -> Taken:
        """Return what there is of the current or last episode."""
        return self._playing.taken()

    def close(self) -> None:
        """Close what was made; idempotent."""
        made, self._made = self._made, {}
        for each in made.values():
            each.close()

    @property
    def _playing(self) -> OneEnvironment:
        assert self._current is not None, "reset() comes first"
        return self._current


class LocalAgent:
    """An agent in this process.

    Args:
        loaded: The agent.
        count: Called with what it has asked of a model in each episode.
    """

    def __init__(self, loaded: LoadedAgent, count: Callable[[tuple[CallRecord, ...]], None] | None = None) -> None:
        self._loaded = loaded
        self._count = count

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model at all."""
        return self._loaded.asks_model

    @property
    def is_oracle(self) -> bool:
        """Whether it is given gold."""
        return self._loaded.spec.kind == "oracle"

    def begin(self, gold: GoldChain | None) -> None:
        """Begin an episode, see :class:`~riskchain_gym.evaluation.engine.sides.AgentSide`."""
        self._loaded.begin_episode()
        if gold is not None:
            self._loaded.prepare(gold)

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode and get ready for a new one."""
        self._heard(lambda: self._loaded.agent.reset(instructions))

    def act(self, observation: Observation) -> str:
        """Return the next action as JSON text."""
        actions: list[str] = []
        self._heard(lambda: actions.append(self._loaded.agent.act(observation)))
        return cast(str, cut(actions[0]))

    def asked(self) -> tuple[CallRecord, ...]:
        """Return what it has asked of a model in the episode."""
        calls = self._loaded.calls
        if self._count is not None:
            self._count(calls)
        return calls

    def close(self) -> None:
        """Close the agent.

        Raises:
            AgentUnclosedError: It raised.
        """
        close_agent(self._loaded)

    def _heard(self, does: Callable[[], None]) -> None:
        """Let the agent do something; where it has lost a call, that is raised, whatever the agent made of it."""
        try:
            does()
        except Exception as error:
            if self._loaded.lost is not None and error is not self._loaded.lost:
                raise self._loaded.lost from error
            raise
        if self._loaded.lost is not None:
            raise self._loaded.lost
