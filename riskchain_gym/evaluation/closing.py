"""Closing an agent, whoever wrote it."""

from __future__ import annotations

from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.protocol.errors import ConfigError


class AgentUnclosedError(ConfigError):
    """An agent raised when it was closed; what it has done until then stands."""


def close_agent(loaded: LoadedAgent) -> None:
    """Close an agent.

    Raises:
        AgentUnclosedError: It raised; the message says what.
    """
    try:
        loaded.agent.close()
    except (Exception, SystemExit) as error:  # the boundary to code of others; the cause is named and kept
        raise AgentUnclosedError(
            f"Agent '{loaded.spec.name}' could not be closed ({type(error).__name__}: {error}): mend its close()."
        ) from error
