"""What a release was made by and from: versions, and one hash of the content folder."""

from __future__ import annotations

import hashlib
import platform
import unicodedata
from importlib.metadata import version
from pathlib import Path

from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.model import sha256_of

_BUILT = "splits"
"""The folder that holds what was built from the others."""


def made_by() -> dict[str, str]:
    """Return the versions of this package, of Python and its Unicode tables, and of what solves and reads for it.

    The solver, CBC, comes with PuLP.
    """
    return {
        "riskchain-gym": version("riskchain-gym"),
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "pulp": version("pulp"),
        "pydantic": version("pydantic"),
        **versions(),
    }


def content_folder_sha256(root: Path) -> str:
    """Return one hash of the files that sites are made from: those of a content folder, and of the project's behind it.

    Args:
        root: The content folder.
    """
    own = content_dir("sites")
    roots = [root] if root.resolve() == own.resolve() else [root, own]
    return sha256_of([_hashes(each) for each in roots])


def _hashes(root: Path) -> dict[str, str]:
    found = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and inside.parts[0] != _BUILT and not any(part.startswith(".") for part in inside.parts):
            found[inside.as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
