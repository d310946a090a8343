"""What is asked of a page again and again while its controls are gone through, worked out once."""

from __future__ import annotations

from functools import cached_property

from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.obstacles import asks_to_wait, is_broken
from riskchain_gym.agents.explore.targets import FormGroup, Screen


class PageFacts:
    """A page, as what is known of its site lets it appear now.

    Args:
        page: The page.
        memory: What is known; it must not change while these facts are used.
    """

    def __init__(self, page: Screen, memory: SiteMemory) -> None:
        self._page = page
        self._memory = memory

    @cached_property
    def is_broken(self) -> bool:
        """Whether it shows an error instead of its content."""
        return is_broken(self._page, self._memory.own_lines(self._page))

    @cached_property
    def asks_to_wait(self) -> bool:
        """Whether it asks to come back later."""
        return asks_to_wait(self._memory.own_lines(self._page))

    @cached_property
    def own_controls(self) -> int:
        """How many links and buttons it has besides header, footer and forms."""
        return sum(not self._memory.frame.holds(target.key.name) for target in self._page.loose)

    @cached_property
    def _own_targets(self) -> int:
        return sum(self._is_own(target.key.role, target.key.name) for target in self._page.targets)

    def _is_own(self, role: str, name: str) -> bool:
        return role != "form" and not self._memory.frame.holds(name)

    def own_beside(self, form: FormGroup) -> int:
        """Return how many controls it has besides header, footer and one of its forms."""
        parts = {part.key for part in (form.form, form.button, *form.fields) if part}
        return self._own_targets - sum(self._is_own(key.role, key.name) for key in parts)
