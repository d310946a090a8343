"""Finding sites in what `riskchain build sites` wrote, or in a folder of bare sites, reading no more than needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.compiled import CompiledSite

M = TypeVar("M", bound=Frozen)

SITES, GOLD = "public.jsonl", "gold.jsonl"
"""Files with a bundle a line: what may be shown of a site, and its gold; those of a split hold it as a chain's site."""


def find_site(folder: Path, name: str) -> tuple[CompiledSite, SiteGold]:
    """Return a site of a pool and its gold.

    Args:
        folder: Folder of a built pool.
        name: Id of the site, or an archetype: then the pool's first site of it.

    Raises:
        UnknownNameError: The pool has no such site.
        InputFileError: A file is missing, or a line of it is wrong.
    """
    for gold in rows(folder, GOLD, SiteGold, name):
        if name in (gold.site_id, gold.archetype):
            for site in rows(folder, SITES, CompiledSite, gold.site_id):
                if site.site_id == gold.site_id:
                    return site, gold
            raise InputFileError(folder / SITES, "", f"lacks the site '{gold.site_id}'; build the pool again")
    raise UnknownNameError(f"The pool {folder} has no site and no archetype '{name}': site ids stand in its {SITES}.")


def first_sites(folder: Path, count: int) -> list[CompiledSite]:
    """Return the first so many sites of a pool.

    Raises:
        InputFileError: A file is missing, or a line of it is wrong.
    """
    return list(islice(rows(folder, SITES, CompiledSite), count))


def rows(folder: Path, name: str, model: type[M], holding: str = "") -> Iterator[M]:
    """Yield the bundles of a folder of sites: of a built pool, of one split of it, or bare ones, each site once.

    Args:
        folder: The folder; a pool has a folder a split.
        name: Name of the file, e.g. :data:`SITES`.
        model: What a site is in it.
        holding: Only lines with this text in quotes.

    Raises:
        InputFileError: A file is missing, or a line of it is wrong.
    """
    seen: set[str] = set()
    for _, row in lines_of(folder, name, model, holding):
        site_id = str(getattr(row, "site_id", ""))
        if site_id not in seen:
            seen.add(site_id)
            yield row


def lines_of(folder: Path, name: str, model: type[M], holding: str = "") -> Iterator[tuple[Path, M]]:
    """Yield file and bundle of every line, as :func:`rows` does but with whatever stands there more than once."""
    files = [folder / name] if (folder / name).is_file() else sorted(folder.glob(f"*/{name}"))
    if not files:
        raise InputFileError(folder / name, "", "is missing; give the folder of a built pool, or of one split of it")
    wanted = f'"{holding}"'.encode(errors="replace")
    for path in files:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if wanted in line or not holding:
                    yield path, _read(path, number, line, model)


def _read(path: Path, number: int, written: bytes, model: type[M]) -> M:
    try:
        line = written.decode()
        if '"chain_id"' in line:
            line = json.dumps(json.loads(line)["site"])
        return model.model_validate_json(line)
    except (json.JSONDecodeError, KeyError) as error:
        raise InputFileError(path, f"line {number}", f"is no chain with a site ({error})") from None
    except UnicodeDecodeError as error:
        raise InputFileError(path, f"line {number}", f"is not UTF-8 text ({error.reason}); build it again") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputFileError(path, f"line {number}: {where}", first["msg"]) from None
