"""Actions that were sent, and what they changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from riskchain_gym.agents.explore.targets import FormGroup, Key
from riskchain_gym.protocol.action import ActionKind


@dataclass(frozen=True)
class Attempt:
    """An action that was sent and whose effect is still to be seen.

    Attributes:
        kind: The action.
        path: Page it was sent on.
        key: Its target, or ``None`` for an action without one.
        form: The form it belongs to, if any.
    """

    kind: ActionKind
    path: str
    key: Key | None = None
    form: FormGroup | None = None


@dataclass(frozen=True)
class Effect:
    """What an action changed.

    Attributes:
        accepted: The environment carried it out (a strike does not).
        changed: The page differs from the one before.
        new_lines: Lines that had never been shown before.
        fresh_here: Lines that the page before did not have.
        grew: Lines were added and none went away.
    """

    accepted: bool
    changed: bool
    new_lines: tuple[str, ...]
    fresh_here: tuple[str, ...]
    grew: bool


class Tabs(NamedTuple):
    """What the first button pressed on a page took away: the panel of the tab that had been open.

    Attributes:
        pressed: The button.
        lost: Controls that went away.
    """

    pressed: Key
    lost: frozenset[Key]
