"""The versions of everything that an episode depends on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import riskchain_gym
from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.evaluation.records import CODEBOOK
from riskchain_gym.evaluation.settings import RunSettings, options_in
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.scoring.sight import PICTURES


def versions_of(settings: RunSettings) -> dict[str, str]:
    """Return the versions of the package and of what environments need, the codebook and the browser among them.

    Raises:
        MissingExtraError: Something that they need is not installed.
        BrowserUnavailableError: The backend needs a browser and none was found.
    """
    found = {
        "riskchain-gym": riskchain_gym.__version__,
        CODEBOOK: CODEBOOK_VERSION,
        "gymnasium": version("gymnasium"),
    }
    extras = {"playwright": settings.backend == "chromium", "pillow": not PICTURES.isdisjoint(settings.observe)}
    for package in (name for name, needed in extras.items() if needed):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            raise MissingExtraError(
                "browser", f"backend='{settings.backend}' with observe={list(settings.observe)}"
            ) from None
    if settings.backend == "chromium":
        from riskchain_gym.envs.browser.find import browser_version, find_chromium

        found["browser"] = browser_version(find_chromium())
    return found


def versions_of_agent(loaded: LoadedAgent) -> dict[str, str]:
    """Return the versions of what shapes an agent's prompts beside this package."""
    sounded = any(options.get("pinyin") for options in options_in(loaded.config))
    return {"pypinyin": version("pypinyin")} if sounded else {}
