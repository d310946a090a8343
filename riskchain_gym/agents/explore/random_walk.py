"""The random walker: a control that shows what looking around without a plan is worth."""

from __future__ import annotations

import hashlib
import random

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.halves import holds_half
from riskchain_gym.agents.read.reader import Reader
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.action import TARGETED, ActionKind, BrowserAction
from riskchain_gym.protocol.page import ObservedElement
from riskchain_gym.protocol.trajectory import Phase

CHANCES: dict[ActionKind, float] = {ActionKind.BACK: 0.05, ActionKind.RELOAD: 0.05, ActionKind.STOP: 0.02}
"""How likely an action without a target is at each step; the rest goes to the controls of the page."""


class RandomInvestigator:
    """Acts at random on the controls of the page, then reports on what it came across, as the explorer does.

    Every action that some control takes is as likely as every other; a control that is disabled takes none. Where there
    is none it goes back, reloads or stops. What it does follows from the seed, the repeat of the run and the first page
    alone.

    Args:
        seed: Another seed makes another walk of the same site.
        reader: Writes the report from what was seen.
    """

    def __init__(self, seed: int = 0, *, reader: Reader | None = None) -> None:
        self._seed = seed
        self._repeat = 0
        self._reader = reader or Reader()
        self._seen: list[Sighting] = []
        self._rng = random.Random()

    def reset(self, instructions: Instructions) -> None:
        """Forget the last site."""
        self._repeat = instructions.repeat
        self._seen = []

    def investigate(self, observation: Observation) -> str:
        """Return a random browser action, or the report, as JSON text."""
        if phase_of(observation) is Phase.REPORT:
            return self._reader.report(self._seen).model_dump_json()
        page = sighting_of(observation)
        if not self._seen:
            drawn = str(self._seed) if self._repeat == 0 else f"{self._seed}/{self._repeat}"
            text = "\n".join((drawn, page.title, *page.lines))
            self._rng = random.Random(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        self._seen.append(page)
        return self._draw(page).model_dump_json(exclude_defaults=True)

    def _draw(self, page: Sighting) -> BrowserAction:
        kind = ActionKind.STOP if page.steps_left <= 1 else self._kind_without_target()
        choices = [(element, can) for element in page.elements for can in _taken_by(element)]
        if kind is None and not choices:
            kind = self._rng.choices(tuple(CHANCES), tuple(CHANCES.values()))[0]
        if kind is not None:
            return BrowserAction(action=kind, stop_status="COMPLETE" if kind is ActionKind.STOP else None)
        element, kind = self._rng.choice(choices)
        takes_option = kind is ActionKind.SELECT
        options = [each for each in element.options if each and not holds_half(each)] if takes_option else []
        option = self._rng.choice(options) if options else None
        return BrowserAction(action=kind, element_id=element.element_id, option=option)

    def _kind_without_target(self) -> ActionKind | None:
        drawn = self._rng.random()
        for kind, chance in CHANCES.items():
            if drawn < chance:
                return kind
            drawn -= chance
        return None


def _taken_by(element: ObservedElement) -> list[ActionKind]:
    if element.disabled:
        return []
    return [kind for kind in ActionKind if kind in TARGETED and getattr(element.capabilities, kind.value, False)]
