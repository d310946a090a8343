"""Where the sites come from: a split without its gold, or imports; always the very sites that were planned."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from label_cases import WORKERS

from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.sources import ItemSites, item_sites, plan_sites
from riskchain_gym.benchmark.splits import load_public, split_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.sites.replay.importer import Options, import_site, site_sha256
from riskchain_gym.sites.replay.store import load_import, write_import


def planned(sites: ItemSites, limit: int | None = None) -> Plan:
    return draw_plan(
        "sites",
        list(sites)[:limit],
        WORKERS,
        source=sites.source,
        source_sha256=sites.sha256,
        seed=0,
        clusters=sites.clusters,
        digests=sites.digests,
    )


@pytest.fixture
def goldless(tmp_path: Path) -> Path:
    """The demonstration split as an annotator's machine has it."""
    folder = tmp_path / "split"
    folder.mkdir()
    for name in ("public.jsonl", "manifest.json"):
        shutil.copy(split_dir("mini") / name, folder)
    return folder


def imported(folder: Path, words: str) -> Path:
    source = folder.with_name(f"{folder.name}-source")
    source.mkdir(parents=True)
    (source / "index.html").write_text(f"<title>Shop</title><p>{words}", encoding="utf-8")
    write_import(folder, import_site(source), source)
    return folder


@pytest.fixture
def imports(tmp_path: Path) -> list[Path]:
    return [imported(tmp_path / "imports" / name, f"welcome to {name}") for name in ("a", "b", "c")]


def test_a_split_needs_no_gold(goldless: Path) -> None:
    sites, shipped = item_sites([str(goldless)]), item_sites(["mini"])
    assert dict(sites) == {chain.site.site_id: chain.site for chain in load_public("mini")}
    assert list(sites) == sorted(sites)
    assert (sites.source, shipped.source) == (str(goldless), "mini")
    assert sites.sha256 == shipped.sha256 == hashlib.sha256((goldless / "public.jsonl").read_bytes()).hexdigest()


def test_sites_of_one_operator_are_a_cluster() -> None:
    sites = item_sites(["mini"])
    operators = {chain.site.site_id: chain.compiled_site.operator for chain in load_public("mini")}
    assert dict(sites.clusters) == operators
    assert dict(sites.digests) == {}, "the split's own hash says what they are"


def test_imported_sites_are_read_when_they_are_asked_for(imports: list[Path]) -> None:
    sites = item_sites([str(folder) for folder in imports])
    ids = {load_import(folder).site_id: folder for folder in imports}
    assert (sites.source, set(sites), dict(sites.clusters)) == ("import", set(ids), {})
    assert sites.digests == {item: site_sha256(load_import(folder).replay) for item, folder in ids.items()}
    assert planned(sites, limit=2).digests == {item: sites.digests[item] for item in sorted(ids)[:2]}
    first, *rest = sorted(ids)
    assert sites[first] == load_import(ids[first])
    shutil.rmtree(ids[first] / "bodies")
    with pytest.raises(InputFileError, match="import the site again"):
        sites[first]
    assert sites[rest[0]].site_id == rest[0]


def test_a_folder_of_imports_stands_for_all_of_them(imports: list[Path], tmp_path: Path) -> None:
    together, one_by_one = item_sites([str(tmp_path / "imports")]), item_sites([str(f) for f in reversed(imports)])
    assert (together.sha256, list(together)) == (one_by_one.sha256, list(one_by_one))


def test_a_site_that_was_given_twice_is_refused(imports: list[Path], tmp_path: Path) -> None:
    shutil.copytree(imports[0], tmp_path / "copy")
    with pytest.raises(ConfigError, match="hold the same site"):
        item_sites([str(imports[0]), str(tmp_path / "copy")])


def test_splits_and_imports_are_not_mixed(imports: list[Path]) -> None:
    for given in (["mini", str(imports[0])], [str(imports[0]), "mini"], ["mini", "mini"]):
        with pytest.raises(ConfigError, match="one split or from import folders: 'mini' is no import folder"):
            item_sites(given)
    with pytest.raises(ConfigError, match="No sites are given"):
        item_sites([])
    with pytest.raises(UnknownNameError, match="Did you mean 'mini'"):
        item_sites(["minni"])


def test_a_plan_finds_its_split_again_wherever_it_lies(goldless: Path) -> None:
    plan = planned(item_sites(["mini"]), limit=5)
    assert set(plan.items) < set(plan_sites(plan))
    assert set(plan.items) < set(plan_sites(plan, [str(goldless)]))


def test_another_version_of_the_split_is_refused(goldless: Path) -> None:
    plan = planned(item_sites(["mini"]))
    lines = (goldless / "public.jsonl").read_bytes().splitlines(keepends=True)
    (goldless / "public.jsonl").write_bytes(b"".join(lines[1:]))
    with pytest.raises(InputFileError, match="is not the file that manifest"):
        plan_sites(plan, [str(goldless)])
    other = plan.model_copy(update={"source_sha256": "0" * 64})
    with pytest.raises(ConfigError, match="The sites of 'mini' are not those that were planned"):
        plan_sites(other)


def test_imports_must_be_given_and_be_those_of_the_plan(imports: list[Path], tmp_path: Path) -> None:
    given = [str(folder) for folder in imports]
    plan = planned(item_sites(given))
    assert list(plan_sites(plan, given)) == list(plan.items)
    with pytest.raises(ConfigError, match="give their folders"):
        plan_sites(plan)
    with pytest.raises(ConfigError, match="are not those that were planned"):
        plan_sites(plan, given[1:])
    imported(tmp_path / "imports" / "d", "welcome to d")
    with pytest.raises(ConfigError, match="are not those that were planned"):
        plan_sites(plan, [str(tmp_path / "imports")])


def test_another_import_of_the_same_capture_is_another_site(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.html").write_text("<title>Shop</title><a href=terms.html>terms</a>", encoding="utf-8")
    (source / "terms.html").write_text("<title>Terms</title>", encoding="utf-8")
    for name, entry in (("one", "index.html"), ("two", "terms.html")):
        write_import(tmp_path / name, import_site(source, Options(entry=entry)), source)
    plan = planned(item_sites([str(tmp_path / "one")]))
    assert list(item_sites([str(tmp_path / "two")])) == list(plan.items), "the id is that of the capture"
    with pytest.raises(ConfigError, match="are not those that were planned"):
        plan_sites(plan, [str(tmp_path / "two")])
