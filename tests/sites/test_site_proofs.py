"""A pool is proved site by site, and no id is passed over: each has one bundle, one gold and one certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.build import build_certified_site
from riskchain_gym.sites.find import GOLD, SITES
from riskchain_gym.sites.proofs import CERTIFICATES, POOL, prove_pool

FILES = (SITES, GOLD, CERTIFICATES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    content = tiny(tmp_path_factory.mktemp("content"))
    return [build_certified_site("tiny-site", KEY, label, content=content) for label in "pqr"]


def write(folder: Path, name: str, rows: list[Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(f"{canonical_json(row)}\n" for row in rows), encoding="utf-8")


def problems(folder: Path) -> list[str]:
    count, proofs = prove_pool(folder)
    found = list(proofs)
    assert len(found) == count
    return [proof.problem for proof in found if proof.problem]


def test_a_whole_pool_has_no_problem(made: list[tuple[Any, ...]], tmp_path: Path) -> None:
    for i, name in enumerate(FILES):
        write(tmp_path, name, [row[i] for row in made])
    assert prove_pool(tmp_path)[0] == 3
    assert problems(tmp_path) == []


@pytest.mark.parametrize("name", FILES)
def test_a_site_that_one_file_lacks_is_told(made: list[tuple[Any, ...]], tmp_path: Path, name: str) -> None:
    for i, file in enumerate(FILES):
        write(tmp_path, file, [row[i] for row in made[: 2 if file == name else 3]])
    assert problems(tmp_path) == [f"site {made[2][0].site_id} is missing from {name}"]


@pytest.mark.parametrize("name", FILES)
def test_a_site_that_stands_twice_is_told(made: list[tuple[Any, ...]], tmp_path: Path, name: str) -> None:
    for i, file in enumerate(FILES):
        write(tmp_path, file, [row[i] for row in (*made, *(made[:1] if file == name else ()))])
    assert problems(tmp_path) == [f"site {made[0][0].site_id} stands twice in {tmp_path.name}/{name}"]


def test_splits_may_share_a_site_if_they_agree_on_it(made: list[tuple[Any, ...]], tmp_path: Path) -> None:
    for split in ("test", "hard"):
        for i, name in enumerate((SITES, GOLD)):
            write(tmp_path / split, name, [row[i] for row in made])
    write(tmp_path, CERTIFICATES, [row[2] for row in made])
    assert problems(tmp_path) == []
    assert problems(tmp_path / "test") == []
    other = made[0][1].model_copy(update={"difficulty": "hard"})
    write(tmp_path / "hard", GOLD, [other, *(row[1] for row in made[1:])])
    assert problems(tmp_path) == [f"site {made[0][0].site_id} is not the same in every {GOLD}"]


def test_a_built_pool_keeps_the_certificates_of_what_no_split_took(made: list[tuple[Any, ...]], tmp_path: Path) -> None:
    for i, name in enumerate((SITES, GOLD)):
        write(tmp_path / "test", name, [row[i] for row in made[:2]])
    write(tmp_path, CERTIFICATES, [row[2] for row in made])
    gone = made[2][0].site_id
    assert problems(tmp_path) == [f"site {gone} is missing from {SITES} and is missing from {GOLD}"]
    write(tmp_path, POOL, [{"site_id": row[0].site_id, "label": "x"} for row in made])
    assert problems(tmp_path) == []
    assert problems(tmp_path / "test") == [], "a split alone has the pool's certificates beside it"
