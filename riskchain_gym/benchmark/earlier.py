"""What an earlier build left in a folder: a new one may remove that, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path

from riskchain_gym.benchmark.pool_plan import OTHER_SPLITS, SELECTED
from riskchain_gym.benchmark.release_manifest import CERTIFICATES, POOL, load_release
from riskchain_gym.benchmark.sessions import HARD
from riskchain_gym.benchmark.splits import MANIFEST, SplitManifest, read_split_manifest
from riskchain_gym.protocol.errors import InputFileError


def earlier_release(folder: Path, splits: Collection[str], *, replace: bool = False) -> tuple[Path, ...]:
    """Return the files of a release that a new one may take the place of; none where there is no folder.

    Args:
        folder: The folder of the release.
        splits: Names of the splits that the new one will have.
        replace: Whether it may do away with splits that it will not have.

    Raises:
        InputFileError: The folder holds anything that no build of sites wrote, or changed since, or splits that the new
            release will not have.
    """
    if not folder.exists():
        return ()
    if not (folder / MANIFEST).is_file() or (folder / MANIFEST).is_symlink():
        return _known(folder, folder, {})
    try:
        manifest = load_release(folder)
    except InputFileError as error:
        raise _other_manifest(folder, error) from error
    files = [*_known(folder, folder, {MANIFEST: "", **manifest.sha256}, folders=manifest.splits)]
    if odd := [
        *(manifest.splits.keys() - {SELECTED, HARD, *OTHER_SPLITS}),
        *(manifest.sha256.keys() - {POOL, CERTIFICATES}),
    ]:
        raise InputFileError(folder / MANIFEST, "", f"names '{odd[0]}', which no release has: give another folder")
    for name, record in manifest.splits.items():
        if (folder / name).is_dir():
            files += _known(folder / name, folder, {MANIFEST: "", **record.sha256})
            if (folder / name / MANIFEST).exists():
                held = read_split_manifest(folder / name)
                if (held.split, held.sha256) != (name, record.sha256):
                    raise _foreign(folder, folder / name / MANIFEST)
    if not replace and (lost := [name for name in manifest.splits if name not in splits]):
        problem = (
            f"holds the splits {', '.join(lost)} too, which this build would remove: give another folder or --replace"
        )
        raise InputFileError(folder, "", problem)
    return tuple(files)


def earlier_split(folder: Path, split: str) -> tuple[Path, ...]:
    """Return the files of an open split that a new build of it may take the place of; none where there is no folder.

    Args:
        folder: The folder of the split.
        split: Name of the split.

    Raises:
        InputFileError: The folder holds anything else, another split, or a split of a release.
    """
    if not folder.exists():
        return ()
    if not (folder / MANIFEST).is_file() or (folder / MANIFEST).is_symlink():
        return _known(folder, folder, {})
    try:
        held = read_split_manifest(folder)
    except InputFileError as error:
        raise _other_manifest(folder, error) from error
    if held.split != split or held.origin == "sealed" or _of_a_release(folder, held):
        problem = f"holds the {held.origin} split '{held.split}', and this is a build of '{split}': give another folder"
        raise InputFileError(folder, "", problem)
    return _known(folder, folder, {MANIFEST: "", **held.sha256})


def _of_a_release(folder: Path, held: SplitManifest) -> bool:
    try:
        record = load_release(folder.resolve().parent).splits.get(held.split)
    except InputFileError:
        return False
    return record is not None and record.sha256 == held.sha256


def _known(folder: Path, whole: Path, pinned: Mapping[str, str], *, folders: Collection[str] = ()) -> tuple[Path, ...]:
    """Return the files of a folder, each of which must be a pinned one; an empty hash is that of any file."""
    files = []
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not (path.is_dir() if path.name in folders else path.name in pinned and path.is_file()):
            raise _foreign(whole, path)
        if path.name in pinned:
            if (value := pinned[path.name]) and hashlib.sha256(path.read_bytes()).hexdigest() != value:
                problem = (
                    f"holds '{path.relative_to(whole)}', changed since it was built: move it or give another folder"
                )
                raise InputFileError(whole, "", problem)
            files.append(path)
    return tuple(files)


def _other_manifest(folder: Path, error: InputFileError) -> InputFileError:
    what = f"{error.field} {error.problem}".strip()
    return InputFileError(folder, "", f"holds a '{MANIFEST}' that no such build wrote ({what}): give another folder")


def _foreign(whole: Path, path: Path) -> InputFileError:
    problem = f"holds '{path.relative_to(whole)}', which no such build wrote: empty it or give another"
    return InputFileError(whole, "", problem)
