"""Plain text in, plain text out: the smallest adapter, for any loop that a person writes."""

from __future__ import annotations

from typing import Any

from riskchain_gym.training.adapters.prompts import system_prompt
from riskchain_gym.training.adapters.session import TextSession


class TextStep:
    """An environment with ``reset() -> str`` and ``step(str) -> (str, reward, done, info)``.

    A step's reward is ``None``, never 0, where the infrastructure lost the episode; ``info["valid"]`` is then ``False``
    and the whole episode is to be dropped.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        kwargs: Keyword arguments of the environment.

    Raises:
        ConfigError: An argument is bad, or asks for pictures.

    Attributes:
        session: The session behind it.
        system_prompt: What a model is told before an episode, with the list of tools.
    """

    def __init__(self, env_id: str = "RiskChain-v0", **kwargs: Any) -> None:
        self.session = TextSession(env_id, **kwargs)
        self.system_prompt = system_prompt(self.session.kind, calls_as_text=True)

    def reset(self, seed: int | None = None, chain: str | None = None) -> str:
        """Begin an episode and return the first observation.

        Args:
            seed: Seeds the choice of chains.
            chain: Id of the chain to play; drawn unless given.

        Raises:
            UnknownNameError: There is no such chain.
        """
        return self.session.reset(seed=seed, chain=chain)

    def step(self, text: Any) -> tuple[str, float | None, bool, dict[str, Any]]:
        """Do what a text says.

        Args:
            text: A tool call (``{"name": …, "arguments": {…}}``, also inside ``<tool_call>`` tags) or the action itself
                as JSON. What is no text is a strike.

        Returns:
            The next observation, the reward of this step, whether the episode has ended, and what the trainer is told:
            ``valid``, ``phase``, ``lost`` (why it does not count), ``episode_reward`` so far and, at the end,
            ``outcome``.

        Raises:
            ResetNeeded: No episode has begun, or it is closed.
        """
        session = self.session
        shown = session.act(text)
        info = {
            "valid": session.valid,
            "phase": session.phase.value if session.phase else "",
            "lost": session.lost,
            "episode_reward": session.reward,
            "outcome": session.outcome,
        }
        return shown, session.last_reward, session.done, info

    def close(self) -> None:
        """Release what the environment holds; idempotent."""
        self.session.close()
