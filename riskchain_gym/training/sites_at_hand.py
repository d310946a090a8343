"""The sites of the public seed, built once into a folder and found there again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from riskchain_gym.benchmark import release, release_files
from riskchain_gym.benchmark.splits import MANIFEST
from riskchain_gym.protocol.keyed import key_from_seed

PUBLIC_SEED = 2026
"""The seed of the open splits."""

SPLITS = ("train", "dev", "ood")
"""The splits that training needs: to train on, and two that it never sees."""


def are_at_hand(folder: Path, splits: Sequence[str] = SPLITS) -> bool:
    """Say whether a folder holds the splits already.

    Args:
        folder: The folder.
        splits: Names of the splits that are needed.
    """
    return all((folder / name / MANIFEST).exists() for name in splits)


def sites_at_hand(
    folder: Path, splits: Sequence[str] = SPLITS, progress: Callable[[str, int, int], None] | None = None
) -> dict[str, str]:
    """Return the folders of the splits by name, and build those of the public seed first where one is missing.

    Args:
        folder: Where ``riskchain build sites --seed 2026 --out FOLDER`` has written, or where to build.
        splits: Names of the splits that are needed.
        progress: Called while it builds, with what is being done, how much of it is done and how much there is.

    Raises:
        InputFileError: The folder holds something else.
    """
    if not are_at_hand(folder, splits):
        release_files.check_target(folder, splits, replace=False)
        made = release.build_release(key_from_seed(PUBLIC_SEED), only=splits, worker_count=2, progress=progress)
        release_files.write_release(folder, made, seed=PUBLIC_SEED, key_commitment=None)
    return {name: str(folder / name) for name in splits}
