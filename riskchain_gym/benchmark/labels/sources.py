"""The sites that are labelled: those of a split's public file or of import folders; no gold is read here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.splits import PUBLIC, load_manifest, load_public
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.invalid import read_model
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.importer import site_sha256
from riskchain_gym.sites.replay.model import AnySite, ImportedSite, ReplaySite
from riskchain_gym.sites.replay.store import SITE, load_import

IMPORT = "import"
"""What a plan calls the source of imported sites."""


class ItemSites(Mapping[str, AnySite]):
    """Sites by their ids, in order of id; imported ones are read when they are asked for.

    Attributes:
        source: What a plan calls them: the split as it was given, or ``import``.
        sha256: SHA-256 of the split's public file, or of what each imported site is.
        clusters: Operator of each site that was made here, as its pages name it, by site id.
        digests: SHA-256 of what each imported site is, by site id.
        folders: Import folder of each site that lies in one, by site id.
    """

    def __init__(
        self,
        source: str,
        sha256: str,
        sites: Mapping[str, AnySite | Path],
        clusters: Mapping[str, str],
        digests: Mapping[str, str],
    ) -> None:
        self.source = source
        self.sha256 = sha256
        self.clusters = clusters
        self.digests = digests
        self._sites = dict(sorted(sites.items()))
        self.folders = {site_id: found for site_id, found in self._sites.items() if isinstance(found, Path)}

    def __getitem__(self, item_id: str) -> AnySite:
        found = self._sites[item_id]
        return load_import(found) if isinstance(found, Path) else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._sites)

    def __len__(self) -> int:
        return len(self._sites)


def item_sites(given: Sequence[str]) -> ItemSites:
    """Return the sites that were asked for.

    Args:
        given: One split, by name or path; or folders that ``riskchain sites import`` wrote, or folders of such.

    Raises:
        ConfigError: Nothing is given, several splits or both kinds are, or one site twice.
        UnknownNameError: There is no such split.
        InputFileError: A file of the split or of an import is missing, malformed or not the one that is pinned.
    """
    if not given:
        raise ConfigError("No sites are given: name a split, or folders that `riskchain sites import` wrote.")
    imports = {each: _imports(Path(each)) for each in given}
    if all(imports.values()):
        return _imported([folder for folders in imports.values() for folder in folders])
    if len(given) > 1:
        no_import = next(each for each, folders in imports.items() if not folders)
        raise ConfigError(f"Sites come from one split or from import folders: '{no_import}' is no import folder.")
    return _of_split(given[0])


def plan_sites(plan: Plan, given: Sequence[str] = ()) -> ItemSites:
    """Return the sites of a plan.

    Args:
        plan: The plan, of sites.
        given: Where they are on this machine; by default where the plan says that they were.

    Raises:
        ConfigError: They are not the sites of the plan, or are imported ones and not given.
        UnknownNameError: There is no such split.
        InputFileError: A file is missing, malformed or not the one that is pinned.
    """
    if not given and plan.source == IMPORT:
        raise ConfigError(
            "The plan is of imported sites, and a plan does not know where they are: give their folders with --sites."
        )
    sites = item_sites(given or (plan.source,))
    if sites.sha256 != plan.source_sha256:
        raise ConfigError(
            f"The sites of '{given[0] if given else plan.source}' are not those that were planned "
            f"({sites.sha256[:12]}…, not {plan.source_sha256[:12]}…): give the very split, or all of its folders; "
            "other sites are a project of their own, in another DIR."
        )
    return sites


def _of_split(split: str) -> ItemSites:
    sites = {chain.site.site_id: chain.site for chain in load_public(split)}
    return ItemSites(
        split,
        load_manifest(split).sha256[PUBLIC],
        sites,
        {site_id: site.operator for site_id, site in sites.items() if isinstance(site, CompiledSite)},
        {site_id: site_sha256(site.replay) for site_id, site in sites.items() if isinstance(site, ImportedSite)},
    )


def _imported(folders: Sequence[Path]) -> ItemSites:
    found: dict[str, tuple[Path, str]] = {}
    for folder in folders:
        site = read_model(folder / SITE, ReplaySite, "give a folder that `riskchain sites import` wrote")
        if site.site_id in found:
            raise ConfigError(f"'{folder}' and '{found[site.site_id][0]}' hold the same site: give each site once.")
        found[site.site_id] = (folder, site_sha256(site))
    digests = {site_id: sha256 for site_id, (_, sha256) in found.items()}
    folder_of = {site_id: folder for site_id, (folder, _) in found.items()}
    return ItemSites(IMPORT, sha256_of(digests), folder_of, {}, digests)


def _imports(path: Path) -> list[Path]:
    """Return the import folders at or directly below a path."""
    if (path / SITE).is_file():
        return [path]
    return sorted(site.parent for site in path.glob(f"*/{SITE}"))
