"""Messages without a site, made on the fly from the public seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from riskchain_gym.envs.cases import LoadedChain, MessageChain, unknown_chain
from riskchain_gym.envs.stream_ids import StreamIds
from riskchain_gym.messages.drafts import Unit, split_key, unique_drafts
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.messages.splits import session_of, write_unit
from riskchain_gym.protocol.keyed import key_from_seed, keyed_id
from riskchain_gym.protocol.message import GATE_VARIANT

SEED = 2026
"""The public seed of every generated message split."""

STREAM = "train"
"""Name of the message split that has no end."""

STREAM_LENGTH = 2**31
"""How many messages of the endless split have an id."""

_KEY = key_from_seed(SEED)


class GeneratedChains:
    """The sessions of a finite split under the public seed, each made when it is asked for.

    Ids, order and contents are those of ``riskchain build messages --seed 2026``. What stays in memory, once for all
    environments of a process, is the undisguised sessions.

    Args:
        name: Name of the plan.

    Raises:
        UnknownNameError: There is no such plan.
    """

    endless = False

    def __init__(self, name: str) -> None:
        self._plan = get_plan(name)
        self.ids: Sequence[str] = tuple(_numbers(name))

    def variants(self, chain_id: str) -> Sequence[str]:
        """Return the variants of a chain, in order of name."""
        self._number(chain_id)
        return [f"v{place:03d}" for place in range(max(len(self._plan.recipes), 1))]

    def recipes(self, chain_id: str) -> Mapping[str, str]:
        """Return the recipe behind each variant of a chain; where the plan names none, the session is made for it."""
        if self._plan.recipes:
            return dict(zip(self.variants(chain_id), self._plan.recipes, strict=True))
        return self.load(chain_id).chain.recipes

    def load(self, chain_id: str) -> LoadedChain:
        """Return a chain."""
        number, half = divmod(self._number(chain_id), self._plan.unit)
        session = write_unit(self._plan, _KEY, _units(self._plan.name)[number])[half]
        return LoadedChain(MessageChain(chain_id, session.variants, session.recipes), session.gold)

    def _number(self, chain_id: str) -> int:
        numbers = _numbers(self._plan.name)
        if chain_id not in numbers:
            raise unknown_chain(f"messages/{self._plan.name}", chain_id, self.ids)
        return numbers[chain_id]


class StreamedChains:
    """The sessions of the endless split under the public seed, each made when it is asked for and kept nowhere."""

    endless = True

    def __init__(self) -> None:
        self.ids = StreamIds(STREAM, range(STREAM_LENGTH))

    def variants(self, chain_id: str) -> Sequence[str]:
        """Return the variants of a chain: one."""
        self._number(chain_id)
        return [GATE_VARIANT]

    def recipes(self, chain_id: str) -> Mapping[str, str]:
        """Return the recipe behind each variant of a chain, which is made for that."""
        return self.load(chain_id).chain.recipes

    def load(self, chain_id: str) -> LoadedChain:
        """Return a chain."""
        session = session_of(STREAM, _KEY, self._number(chain_id))
        return LoadedChain(MessageChain(chain_id, session.variants, session.recipes), session.gold)

    def _number(self, chain_id: str) -> int:
        if (number := self.ids.number(chain_id)) is None:
            raise unknown_chain(f"messages/{STREAM}", chain_id, self.ids[:3])
        return number


@cache
def _units(name: str) -> tuple[Unit, ...]:
    return tuple(unique_drafts(_KEY, {name: get_plan(name).sessions})[name])


@cache
def _numbers(name: str) -> Mapping[str, int]:
    """Return the index of every session of a finite split by id, sorted by id, which is keyed."""
    key = split_key(_KEY, name)
    return MappingProxyType(
        dict(sorted((keyed_id(key, "session", str(index)), index) for index in range(get_plan(name).sessions)))
    )
