"""Backends by name; nothing of a backend is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Collection

from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.config import BACKENDS, EnvConfig, Modality
from riskchain_gym.protocol.errors import ConfigError


def make_backend(config: EnvConfig, modalities: Collection[Modality], *, headless: bool = True) -> BrowseBackend:
    """Return a new backend; it starts its browser, if it has one, when it opens a site.

    The one with a browser recovers from its failures (:mod:`~riskchain_gym.envs.backends.recovering`).

    Args:
        config: Names the backend, the viewport and how screenshots are encoded.
        modalities: What it must be able to capture.
        headless: Whether a browser runs without a window.

    Raises:
        ConfigError: The backend lacks a modality.
        MissingExtraError: A package it needs is not installed.
        BrowserUnavailableError: It needs a browser and none was found.
    """
    name = config.backend
    for modality in modalities:
        if modality not in BACKENDS[name]:
            able = next(other for other, has in BACKENDS.items() if modality in has)
            raise ConfigError(
                f"backend='{name}' has no '{modality}', which observe or render_mode asks for: "
                f"use backend='{able}', or leave it out."
            )
    match name:
        case "text":
            from riskchain_gym.envs.backends.text import TextBackend

            return TextBackend()
        case "fake":
            from riskchain_gym.envs.backends.fake import FakeBackend

            return FakeBackend(viewport=config.viewport)
        case _:
            from riskchain_gym.envs.backends.chromium import ChromiumBackend
            from riskchain_gym.envs.browser.settings import BrowserSettings

            settings = BrowserSettings(headless=headless, screenshot_format=config.screenshot_format)
            chromium = ChromiumBackend(settings, viewport=config.viewport, modalities=frozenset(modalities))
            return RecoveringBackend(chromium, queued=chromium.queued_s)
