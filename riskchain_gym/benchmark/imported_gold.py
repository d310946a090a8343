"""The gold of imported sites: the label is that of their label file, or one that people settled on and froze."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from riskchain_gym.benchmark.labels.frozen import FrozenLabel, FrozenLabels
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, DEPTHS, codebook_problem
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.sites.replay.importer import site_sha256
from riskchain_gym.sites.replay.label import LABEL, read_label, read_said
from riskchain_gym.sites.replay.model import ImportedSite

ARCHETYPE = "imported"
"""What stands for the archetype of a site that was made from none."""

_LISTED = 5


def labelled_gold(site: ImportedSite, folder: Path) -> SiteGold:
    """Return the gold of a site by its label file.

    Args:
        site: The site.
        folder: Its folder.

    Raises:
        InputFileError: The file is missing, not filled in, or against the codebook.
    """
    label = read_label(folder)
    return SiteGold(
        **_of_site(site),
        decision=label.decision,
        violation_type=label.violation_type,
        secondary_types=label.secondary_types,
        label_source="human",
        codebook_version=CODEBOOK_VERSION,
        environment_status=label.environment_status,
        depth=label.depth,
    )


def frozen_gold(sites: Sequence[tuple[ImportedSite, Path]], labels: FrozenLabels) -> list[SiteGold]:
    """Return the gold of sites by frozen labels, in the order of the sites.

    A label file is not needed. What it says must be what the frozen label says; only its ``depth`` is taken, for a path
    does not tell whether a gate stood on it.

    Args:
        sites: Each site and its folder.
        labels: The frozen labels.

    Raises:
        ConfigError: They have no label of a site or were given to another import of it, or follow another codebook than
            this package has.
        InputFileError: A label file says otherwise, or is needed for a depth that is not known.
    """
    if problem := codebook_problem([labels.codebook_version]):
        raise ConfigError(f"The freeze {problem}.")
    known = labels.by_item()
    if lacking := [folder for site, folder in sites if site.site_id not in known]:
        named = ", ".join(str(folder) for folder in lacking[:_LISTED]) + (" …" if len(lacking) > _LISTED else "")
        raise ConfigError(
            f"The freeze has no label of {len(lacking)} of {len(sites)} sites ({named}): leave them out, or label them "
            "and freeze again."
        )
    for site, folder in sites:
        _check_same(site, folder, known[site.site_id])
    found = [(site, folder, known[site.site_id], _said(folder, known[site.site_id])) for site, folder in sites]
    if unknown := [folder for _, folder, label, said in found if "depth" not in said and label.depth is None]:
        rest = f"; nor is it in {len(unknown) - 1} more folders" if len(unknown) > 1 else ""
        problem = f"is not filled in, and the frozen label cites nothing that tells it: give one of {', '.join(DEPTHS)}"
        raise InputFileError(unknown[0] / LABEL, "depth", problem + rest)
    return [
        SiteGold(
            **_of_site(site),
            decision=label.decision,
            violation_type=label.primary_violation_type,
            secondary_types=label.secondary_violation_types,
            label_source=label.provenance,
            codebook_version=labels.codebook_version,
            environment_status=label.environment_status,
            depth=said.get("depth", label.depth),
        )
        for site, _, label, said in found
    ]


def _check_same(site: ImportedSite, folder: Path, label: FrozenLabel) -> None:
    """Refuse another import of the capture than people looked at: its id is the same, its pages are not."""
    here = site_sha256(site.replay)
    if label.site_sha256 != here:
        was = f"{label.site_sha256[:12]}…" if label.site_sha256 else "not known"
        raise ConfigError(
            f"'{folder}' is not the import that was labelled ({here[:12]}… here, {was} there): give the very folder, "
            "or label this one and freeze again."
        )


def _said(folder: Path, label: FrozenLabel) -> dict[str, Any]:
    """Return what the label file says, which must not be anything else than the frozen label."""
    said = read_said(folder)
    frozen = {
        "decision": label.decision,
        "type": label.primary_violation_type,
        "secondary_types": sorted(label.secondary_violation_types),
        "environment_status": label.environment_status,
    }
    for name, value in frozen.items():
        given = sorted(said[name]) if name == "secondary_types" and name in said else said.get(name, value)
        if given != value:
            shown = ", ".join(value) or "none" if isinstance(value, list) else value
            problem = (
                f"is '{said[name]}', and the frozen label says {shown}: empty the field, or build without --labels"
            )
            raise InputFileError(folder / LABEL, name, problem)
    return said


def _of_site(site: ImportedSite) -> dict[str, Any]:
    """Return what the gold says of an imported site whatever its label is: it has no evidence atoms."""
    return {
        "site_id": site.site_id,
        "archetype": ARCHETYPE,
        "family": ARCHETYPE,
        "atoms": (),
        "path": (),
        "track": "L2_OBSERVATION",
        "lang": site.replay.lang,
    }
