"""Finding sites in the folder of a built pool, without reading more of it than needed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.proofs import GOLD, SITES

M = TypeVar("M", bound=Frozen)


def find_site(folder: Path, name: str) -> tuple[CompiledSite, SiteGold]:
    """Return a site of a pool and its gold.

    Args:
        folder: Folder of a built pool.
        name: Id of the site, or an archetype: then the pool's first site of it.

    Raises:
        UnknownNameError: The pool has no such site.
        InputFileError: A file is missing, or a line of it is wrong.
    """
    for gold in _matching(folder / GOLD, name, SiteGold):
        if name in (gold.site_id, gold.archetype):
            for site in _matching(folder / SITES, gold.site_id, CompiledSite):
                if site.site_id == gold.site_id:
                    return site, gold
            raise InputFileError(folder / SITES, "", f"lacks the site '{gold.site_id}'; build the pool again")
    raise UnknownNameError(f"The pool {folder} has no site and no archetype '{name}': ids stand in its {SITES}.")


def first_sites(folder: Path, count: int) -> list[CompiledSite]:
    """Return the first so many sites of a pool.

    Raises:
        InputFileError: A file is missing, or a line of it is wrong.
    """
    return list(islice(_matching(folder / SITES, "", CompiledSite), count))


def _matching(path: Path, name: str, model: type[M]) -> Iterator[M]:
    if not path.is_file():
        raise InputFileError(path, "", "is missing; give the folder of a built pool")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if f'"{name}"' in line or not name:
                try:
                    yield model.model_validate_json(line)
                except ValidationError as error:
                    first = error.errors(include_url=False)[0]
                    where = ".".join(map(str, first["loc"]))
                    raise InputFileError(path, f"line {number}: {where}", first["msg"]) from None
