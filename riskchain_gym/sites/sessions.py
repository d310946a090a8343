"""The session that goes with a site."""

from __future__ import annotations

from riskchain_gym.sites.replay.model import AnySite, ImportedSite
from riskchain_gym.sites.replay.session import ReplaySession
from riskchain_gym.sites.session import SiteSession

AnySession = SiteSession | ReplaySession
"""What the sandbox server serves."""


def open_session(site: AnySite) -> AnySession:
    """Return a new visit to a site."""
    return ReplaySession(site) if isinstance(site, ImportedSite) else SiteSession(site)
