"""Where the content folders are: beside the package in a checkout, inside it in an install."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from riskchain_gym.protocol.errors import ConfigError

ContentFolder = Literal["envs", "sites", "baselines"]


@cache
def content_dir(folder: ContentFolder) -> Path:
    """Return the content folder of that name.

    Args:
        folder: ``envs``, ``sites`` or ``baselines``.

    Raises:
        ConfigError: Neither the checkout nor the install has it.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "_content" / folder, package.parent / folder):
        if candidate.is_dir() and (
            candidate.parent.name == "_content" or (package.parent / "pyproject.toml").is_file()
        ):
            return candidate
    raise ConfigError(
        f"The content folder '{folder}' is missing beside {package}: "
        "reinstall riskchain-gym, or run from a full checkout."
    )
