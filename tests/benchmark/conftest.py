"""A small release, built once for all tests that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pool_content import PLAN, SEED, pool_content, write_plan

from riskchain_gym.benchmark.release import Release, build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import Library, library


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A content folder with a small pool's plan."""
    root = tmp_path_factory.mktemp("content")
    pool_content(root)
    write_plan(root, PLAN)
    return library(root)


@pytest.fixture(scope="session")
def small(content: Library) -> Release:
    """The release of a public seed."""
    return build_release(key_from_seed(SEED), content=content)


@pytest.fixture(scope="session")
def folder(small: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on disk; not to be changed."""
    folder = tmp_path_factory.mktemp("release")
    write_release(folder, small, seed=SEED, key_commitment=None)
    return folder
