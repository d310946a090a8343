"""OpenEnv: the environments behind a server that OpenEnv's clients speak to, a session for each WebSocket."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from riskchain_gym.protocol.errors import ConfigError, MissingExtraError
from riskchain_gym.training.adapters.session import TextSession

try:
    import uvicorn
    from fastapi import FastAPI
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State
    from pydantic import Field
    from starlette.middleware.trustedhost import TrustedHostMiddleware
except ImportError as error:
    raise MissingExtraError("openenv", "The OpenEnv server") from error

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names of this machine."""


class RiskChainAction(Action):
    """One action: a tool call, or what a model wrote.

    Attributes:
        tool: Name of a tool; with ``text``, left out.
        arguments: Its arguments.
        text: A tool call or an action as JSON text.
    """

    tool: str | None = Field(default=None, description="Name of the tool to call")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments of the tool")
    text: str | None = Field(default=None, description="What the model wrote, in place of a tool")


class RiskChainObservation(Observation):
    """What is seen.

    Attributes:
        text: The observation.
        phase: ``restore``, ``browse`` or ``report``.
        tools: The tools that can be called now, as chat APIs list them.
    """

    text: str = Field(description="What is seen")
    phase: str = Field(description="The phase: restore, browse or report")
    tools: list[dict[str, Any]] = Field(default_factory=list, description="The tools that can be called now")


class RiskChainState(State):
    """How the episode stands; nothing of chain, gate or gold.

    Attributes:
        phase: The phase, ``""`` before the first reset.
        done: Whether no episode is running.
        valid: Whether there is an episode and it counts.
        lost: Why the infrastructure lost it, in one word, else ``""``.
    """

    phase: str = ""
    done: bool = True
    valid: bool = False
    lost: str = ""


class RiskChainEnvironment(Environment[RiskChainAction, RiskChainObservation, RiskChainState]):
    """One session of the server.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: An argument is bad.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env_id: str = "RiskChain-v0", **kwargs: Any) -> None:
        super().__init__()
        self._session = TextSession(env_id, **kwargs)
        self._episode = ""
        self._steps = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        chain: str | None = None,
        variant: str | None = None,
        **unknown: Any,
    ) -> RiskChainObservation:
        """Begin an episode.

        Args:
            seed: Seeds the choice of chains.
            episode_id: The client's own name for it.
            chain: Id of the chain to play; drawn unless given.
            variant: The variant of its message.
            unknown: Anything else is refused.

        Raises:
            ConfigError: An unknown argument.
            UnknownNameError: There is no such chain.
            EpisodeLostError: The infrastructure lost the episode.
        """
        if unknown:
            known = "seed, episode_id, chain, variant"
            raise ConfigError(f"reset takes {known}, got {', '.join(unknown)}: leave it out.")
        self._episode, self._steps = episode_id or str(uuid.uuid4()), 0
        shown = self._session.reset(seed=seed, chain=chain, variant=variant)
        self._session.check()
        return self._seen(shown, reward=None)

    def step(
        self,
        action: RiskChainAction,
        timeout_s: float | None = None,  # noqa: ARG002 - the environment has deadlines of its own
        **unknown: Any,  # noqa: ARG002 - OpenEnv's signature
    ) -> RiskChainObservation:
        """Take an action. What fits no tool is a strike and told in the observation.

        Args:
            action: The action.
            timeout_s: Not looked at.
            unknown: Not looked at.

        Raises:
            ResetNeeded: No episode has begun.
            EpisodeLostError: The infrastructure lost the episode: there is no observation of it, and no reward.
        """
        if action.tool is not None and action.text is None:
            shown = self._session.call(action.tool, action.arguments)
        else:
            # Both, or neither, is no action.
            shown = self._session.act("" if action.tool is not None else action.text or "")
        self._steps += 1
        self._session.check()
        return self._seen(shown, reward=self._session.last_reward)

    @property
    def state(self) -> RiskChainState:
        """How the episode stands."""
        session = self._session
        return RiskChainState(
            episode_id=self._episode or None,
            step_count=self._steps,
            phase=session.phase.value if session.phase else "",
            done=session.done,
            valid=session.valid,
            lost=session.lost,
        )

    def close(self) -> None:
        """Release what the session holds; idempotent."""
        self._session.close()

    def _seen(self, shown: str, reward: float | None) -> RiskChainObservation:
        phase = self._session.phase
        return RiskChainObservation(
            text=shown,
            phase=phase.value if phase else "",
            tools=[each.function for each in self._session.tools_now],
            done=self._session.done,
            reward=reward,
        )


def make_app(
    env_id: str = "RiskChain-v0",
    *,
    sessions: int = 8,
    session_timeout: float = 600.0,
    hosts: tuple[str, ...] = LOOPBACK,
    **kwargs: Any,
) -> FastAPI:
    """Return the server as an application.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        sessions: WebSockets at once, each with an environment of its own.
        session_timeout: Seconds after which a session that nothing is asked of is closed.
        hosts: Names by which the server may be asked; no other gets an answer, so that no web page can reach it.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: An argument is bad.
    """
    RiskChainEnvironment(env_id, **kwargs).close()
    app: FastAPI = create_fastapi_app(
        partial(RiskChainEnvironment, env_id, **kwargs),
        RiskChainAction,
        RiskChainObservation,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=session_timeout),
        env_name=env_id,
        state_cls=RiskChainState,
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*hosts, *(f"[{each}]" for each in hosts if ":" in each)])
    return app


def serve(env_id: str = "RiskChain-v0", *, host: str = "127.0.0.1", port: int = 8000, **settings: Any) -> None:
    """Serve until interrupted; on this machine alone unless another host is named.

    Args:
        env_id: The environment.
        host: Address to listen at. One that others can reach has no password: put it behind something that has.
        port: Port to listen at.
        settings: Arguments of :func:`make_app`.

    Raises:
        ConfigError: An argument is bad, or a host is named that others can reach and ``hosts`` does not say by which
            names.
    """
    if host not in LOOPBACK and "hosts" not in settings:
        raise ConfigError(f"host='{host}' can be reached from elsewhere: say by which names with hosts=(…,).")
    uvicorn.run(make_app(env_id, **settings), host=host, port=port, log_level="warning")
