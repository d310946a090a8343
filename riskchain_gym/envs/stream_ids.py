"""The ids of a split without end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload


@dataclass(frozen=True)
class StreamIds(Sequence[str]):
    """The ids of an endless split: a name and ten digits, made when they are looked at.

    The digits are the session's index. Everything in a session is drawn under the key and its index, so that they tell
    nothing of it without generating it.

    Attributes:
        name: Name of the split.
        numbers: The indices.
    """

    name: str
    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> StreamIds: ...

    def __getitem__(self, index: int | slice) -> str | StreamIds:
        if isinstance(index, slice):
            return StreamIds(self.name, self.numbers[index])
        return f"{self.name}-{self.numbers[index]:010d}"

    def __contains__(self, chain_id: object) -> bool:
        return self.number(chain_id) is not None

    def number(self, chain_id: object) -> int | None:
        """Return the index that an id stands for, or ``None`` if it is none of these ids."""
        found = re.fullmatch(rf"{self.name}-([0-9]{{10}})", chain_id) if isinstance(chain_id, str) else None
        number = int(found[1]) if found else -1
        return number if number in self.numbers else None
