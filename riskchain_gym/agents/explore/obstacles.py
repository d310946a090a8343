"""Pages that show something else than what they are for: an error, or a request to wait."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.agents.explore.targets import Screen, is_field
from riskchain_gym.agents.explore.words import means

SHORT_PAGE = 6
"""Most lines of its own that a page has that shows nothing but an error."""

SHORT_NOTICE = 8
"""Most lines of its own that a page has that shows nothing but a request to wait."""


def is_broken(page: Screen, own_lines: Sequence[str]) -> bool:
    """Return whether a page shows an error instead of its content.

    Args:
        page: The page.
        own_lines: Its lines that no other page shows.
    """
    offers = any(is_field(e) or (e.role == "button" and not means("retry", e.name)) for e in page.page.elements)
    if offers or len(own_lines) > SHORT_PAGE:
        return False
    return any(means("broken", line) for line in (page.title, *own_lines))


def asks_to_wait(own_lines: Sequence[str]) -> bool:
    """Return whether a page asks to come back later.

    Args:
        own_lines: Its lines that no other page shows.
    """
    return len(own_lines) <= SHORT_NOTICE and any(means("wait", line) for line in own_lines)
