"""Fixtures shared by the tests of the environments."""

from __future__ import annotations

from pathlib import Path

import pytest
from chain_builder import write_split


@pytest.fixture(scope="session")
def split(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A split of four small chains, as ``split=`` takes it."""
    folder: Path = tmp_path_factory.mktemp("splits") / "tiny"
    return write_split(folder)
