"""What the single array environments over ``RiskChainRestore-v0`` share: sessions kept as arrays, strikes, one step."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from riskchain_gym.envs.stream_ids import StreamIds
from riskchain_gym.envs.wrappers.over_text import OverTextEnv
from riskchain_gym.envs.wrappers.seats import check_pool, drawn_pool
from riskchain_gym.protocol.message import Message

SheetT = TypeVar("SheetT")


class OverRestoreEnv(OverTextEnv, Generic[SheetT]):
    """A restoration over arrays; a subclass says what is observed and what an action commits.

    Args:
        pool: How many sessions are kept as arrays. Of a split without end in random order, that many are drawn by the
            seed, and episodes are drawn from these.
        kwargs: Keyword arguments of ``RiskChainRestore-v0``.

    Raises:
        ConfigError: An argument is unknown, bad, or contradicts another.
    """

    own: ClassVar[tuple[str, ...]] = ("pool",)

    def __init__(self, *, pool: int = 4096, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._pool = check_pool(pool)
        self._drawn: tuple[str, ...] = ()
        self._kept: dict[str, SheetT] = {}
        self._playing: SheetT | None = None

    @abstractmethod
    def make_sheet(self, message: Message) -> SheetT:
        """Return what is kept of a message."""

    @abstractmethod
    def show(self, strikes: float) -> dict[str, NDArray[Any]]:
        """Return the observation, made afresh; ``strikes`` is the share of those that end the phase."""

    @abstractmethod
    def written(self, action: Any) -> str:
        """Return the text that an action is sent on as."""

    @property
    def sheet(self) -> SheetT:
        """What is kept of the current or last message.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        if self._playing is None:
            raise ResetNeeded("There is no message before the first reset: call reset().")
        return self._playing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begin an episode; see the ``reset`` of ``RiskChainRestore-v0``.

        Args:
            seed: Seeds the choice of sessions.
            options: ``{"chain": id}``, ``{"chain": id, "variant": name}``.

        Raises:
            UnknownNameError: The split has no such chain, or the chain no such variant.
            ConfigError: Unknown options.
        """
        super().reset(seed=seed)
        if not options and isinstance(self.text.chain_ids, StreamIds) and self.config.order == "random":
            options = {"chain": self._draw(seed)}
        observation, info = self.text.reset(seed=seed, options=options)
        text = observation["text"]
        if text not in self._kept:
            if len(self._kept) >= self._pool:
                del self._kept[next(iter(self._kept))]
            self._kept[text] = self.make_sheet(Message.model_validate_json(text))
        self._playing = self._kept[text]
        return self.show(0.0), info

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Commit what an action says; one that cannot be carried out is a strike.

        Args:
            action: An action of the action space; anything else is a strike too.

        Returns:
            Observation, reward, ``terminated``, ``truncated`` (never) and info.

        Raises:
            ResetNeeded: No episode is running.
        """
        text = self.written(action)
        _, reward, terminated, truncated, info = self.text.step(text)
        return self.show(info["strikes"] / self.config.strikes), reward, terminated, truncated, info

    def _draw(self, seed: int | None) -> str:
        if seed is not None or not self._drawn:
            entropy = self.np_random_seed if seed is None else seed
            self._drawn = drawn_pool(self.text.chain_ids, self._pool, [entropy])
        return self._drawn[int(self.np_random.integers(len(self._drawn)))]
