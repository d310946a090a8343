"""An imported site on disk: bodies, report and label file, and the manifest that pins the bodies, written last."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.replay.importer import Imported
from riskchain_gym.sites.replay.label import LABEL, TEMPLATE
from riskchain_gym.sites.replay.model import ImportedSite, ReplaySite
from riskchain_gym.sites.replay.sources import SourceKind

SITE, BODIES, REPORT = "site.json", "bodies", "import.json"

_OWN = re.compile(r"\.?(?:site\.json|import\.json|label\.toml)(?:\..+)?")
_BODY = re.compile(r"\.?[0-9a-f]{64}(?:\..+)?")


class ImportReport(Frozen):
    """What an import has to tell; it names addresses of the captured site and stays beside it.

    Attributes:
        source: Name of the source.
        kind: What it is.
        sha256: Its hash.
        captured: Answers in it.
        resources: Paths of the replay site, its own two pages included.
        unreached: Addresses of answers that nothing on the site leads to, a POST marked as such; they were left out.
        size: Bytes of all bodies.
        missing: Addresses of captured hosts that pages load or lead to and the capture lacks, with how often.
        outside: Addresses elsewhere that pages load or lead to, with how often.
        dropped: What was taken out, by kind, with how often.
        too_large: Size in bytes of every body that was left out, by address.
        repeated: How many further answers there were, by address.
        skipped: Records that could not be used, and why.
    """

    schema_version: Literal["riskchain-import/v1"] = "riskchain-import/v1"
    source: str
    kind: SourceKind
    sha256: str
    captured: int
    resources: int
    unreached: tuple[str, ...]
    size: int
    missing: dict[str, int]
    outside: dict[str, int]
    dropped: dict[str, int]
    too_large: dict[str, int]
    repeated: dict[str, int]
    skipped: dict[str, str]


def check_target(folder: Path, *, force: bool) -> None:
    """Refuse a folder that an import may not be written to.

    Args:
        folder: The folder; it may be missing.
        force: Whether an earlier import may be replaced.

    Raises:
        InputFileError: It holds something that no import wrote, or a link.
        ConfigError: It holds an import, and ``force`` is off.
    """
    if not folder.exists() or not (held := sorted(folder.iterdir())):
        return
    bodies = folder / BODIES
    inside = sorted(bodies.iterdir()) if bodies.is_dir() and not bodies.is_symlink() else []
    foreign = [p for p in held if p.is_symlink() or not (_OWN.fullmatch(p.name) or p == bodies)]
    foreign += [p for p in inside if p.is_symlink() or not _BODY.fullmatch(p.name)]
    if foreign or not (folder / SITE).is_file():
        what = f"holds '{(foreign or held)[0].relative_to(folder)}'"
        raise InputFileError(folder, "", f"{what}, which is no finished import: empty it or give another folder")
    if not force:
        raise ConfigError(
            f"'{folder}' holds an imported site: replace it with --force (its label stays), or give another."
        )


def write_import(folder: Path, imported: Imported, source: Path) -> ImportReport:
    """Write a site; a label file that is there already stays as it is.

    Args:
        folder: Folder that :func:`check_target` let through; made if missing.
        imported: What was imported.
        source: Where it was imported from.

    Raises:
        OSError: A file cannot be written.
    """
    site, notes = imported.site, imported.notes
    wanted = site.hashes()
    report = ImportReport(
        source=source.name or source.resolve().name,
        kind=imported.kind,
        sha256=imported.sha256,
        captured=imported.captured,
        resources=len(site.resources) + len(site.posts),
        unreached=imported.unreached,
        size=sum(wanted.values()),
        missing=dict(sorted(notes.missing.items())),
        outside=dict(sorted(notes.outside.items())),
        dropped=dict(sorted(notes.dropped.items())),
        too_large=dict(sorted(notes.too_large.items())),
        repeated=dict(sorted(notes.repeated.items())),
        skipped=dict(sorted(notes.skipped.items())),
    )
    for sha256 in sorted(wanted):
        write_atomically(folder / BODIES / sha256, imported.bodies[sha256])
    write_atomically(folder / REPORT, report.model_dump_json(indent=2).encode() + b"\n")
    if not (folder / LABEL).exists():
        write_atomically(folder / LABEL, TEMPLATE.encode())
    write_atomically(folder / SITE, site.model_dump_json(indent=2).encode() + b"\n")
    for path in (folder / BODIES).iterdir():
        if path.name not in wanted:
            path.unlink()
    return report


def load_import(folder: Path) -> ImportedSite:
    """Return an imported site with its bodies.

    Raises:
        InputFileError: A file is missing, malformed, or not the one that the manifest pins.
    """
    path = folder / SITE
    try:
        site = ReplaySite.model_validate_json(path.read_bytes())
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), give a folder that `riskchain sites import` wrote"
        raise InputFileError(path, "", problem) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputFileError(path, ".".join(str(part) for part in first["loc"]), first["msg"]) from error
    bodies: dict[str, bytes] = {}
    for sha256, size in site.hashes().items():
        body = folder / BODIES / sha256
        try:
            bodies[sha256] = body.read_bytes()
        except OSError as error:
            raise InputFileError(body, "", f"cannot be read ({error.strerror}), import the site again") from error
        if hashlib.sha256(bodies[sha256]).hexdigest() != sha256 or len(bodies[sha256]) != size:
            raise InputFileError(body, "sha256", f"is not the body that {SITE} pins, import the site again")
    return ImportedSite.of(site, bodies)
