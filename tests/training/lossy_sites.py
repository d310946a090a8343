"""Sites whose pages cannot be made: every third that is opened."""

from __future__ import annotations

from typing import Any

import pytest

from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.errors import InfrastructureError


def lose_sites(patch: pytest.MonkeyPatch, every: int = 3) -> None:
    """Let the text backend fail on every so-manieth site, each time that the site is played."""
    open_site = TextBackend.open
    numbers: dict[str, int] = {}

    def opened(self: Any, site: Any) -> Any:
        if numbers.setdefault(site.site_id, len(numbers) + 1) % every == 0:
            raise InfrastructureError("site_error", "Its page cannot be made.")
        return open_site(self, site)

    patch.setattr(TextBackend, "open", opened)
