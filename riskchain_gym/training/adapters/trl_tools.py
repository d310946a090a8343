"""TRL: environments whose tools are typed methods, for ``GRPOTrainer(environment_factory=…)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from riskchain_gym.training.adapters.methods import tool_method
from riskchain_gym.training.adapters.session import TextSession


class ToolEnvironment(Protocol):
    """What TRL asks of an environment; every other public method is a tool."""

    def reset(self, **row: Any) -> str:
        """Begin an episode and return what is appended to the prompt."""

    def get_reward(self) -> float | None:
        """Return the reward of the rollout, ``None`` for one that does not count."""


def environment_factory(env_id: str = "RiskChain-v0", **kwargs: Any) -> Callable[[], ToolEnvironment]:
    """Return what ``GRPOTrainer`` takes as ``environment_factory``.

    The trainer makes environments as it needs them and never closes one; a column ``chain`` of the data set names the
    chain of a row, so that all generations of a group play the same one. ``get_reward`` ends what the model has left by
    the environment's own rules. A rollout that the infrastructure lost has the reward ``None``, which TRL leaves out of
    the group's baseline and gives no advantage; the model is told that the case does not count.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: An argument is bad; said when the factory is called.
    """
    environments: list[type[ToolEnvironment]] = []

    def factory() -> ToolEnvironment:
        session = TextSession(env_id, **kwargs)
        if not environments:
            environments.append(_environment_class(session))
        environment: Any = environments[0].__new__(environments[0])
        environment._session = session
        return environment  # type: ignore[no-any-return]

    return factory


def _environment_class(session: TextSession) -> type[ToolEnvironment]:
    """Return the class of an environment: ``reset``, ``get_reward`` and a method a tool; nothing else public."""

    class RiskChainTools:
        """One episode of RiskChain for a trainer that calls tools."""

        _session: TextSession

        def reset(self, **row: Any) -> str:
            """Begin an episode.

            Args:
                row: The row of the data set; of it ``chain``, ``variant`` and ``seed`` are read.
            """
            names = {name: row[name] for name in ("seed", "chain", "variant") if row.get(name) is not None}
            return self._session.reset(**names)

        def get_reward(self) -> float | None:
            """Return the sum of rewards; ``None`` if the infrastructure lost the episode."""
            return self._session.settle()

        def _call(self, name: str, arguments: dict[str, Any]) -> str:
            return self._session.call(name, arguments)

        def _close(self) -> None:
            self._session.close()

    for tool in session.tools:
        setattr(RiskChainTools, tool.name, tool_method(tool, RiskChainTools._call))
    return RiskChainTools
