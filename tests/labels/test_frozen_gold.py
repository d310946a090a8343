"""The gold of imported sites by frozen labels: what label files may still say, and what they may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozen_cases import FRAUD, GAMBLING, frozen_label, frozen_labels

from riskchain_gym.benchmark.imported_gold import frozen_gold
from riskchain_gym.benchmark.labels.frozen import FrozenLabel
from riskchain_gym.protocol.codebook import Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.sites.replay.importer import Options, import_site, site_sha256
from riskchain_gym.sites.replay.model import ImportedSite
from riskchain_gym.sites.replay.store import load_import, write_import


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> ImportedSite:
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "index.html").write_text("<html lang=en><title>Shop</title><p>welcome", encoding="utf-8")
    write_import(folder / "site", import_site(folder, Options(None, None, False, 1_000_000)), folder)
    return load_import(folder / "site")


@pytest.fixture
def label(tmp_path: Path) -> Path:
    return tmp_path / "label.toml"


def violation(site: ImportedSite, **changed: object) -> FrozenLabel:
    said = {"decision": Decision.VIOLATION, "primary_violation_type": GAMBLING, **changed}
    return harmless(site, **said)


def harmless(site: ImportedSite, **changed: object) -> FrozenLabel:
    return frozen_label(site.site_id, **{"site_sha256": site_sha256(site.replay), **changed})


def test_without_a_label_file_everything_is_the_freeze(site: ImportedSite, tmp_path: Path) -> None:
    frozen = frozen_labels(
        violation(
            site,
            secondary_violation_types=(FRAUD,),
            environment_status=EnvironmentStatus.PARTIAL,
            provenance="human+adjudicated",
        )
    )
    (gold,) = frozen_gold([(site, tmp_path)], frozen)
    assert (gold.decision, gold.violation_type, gold.secondary_types) == (Decision.VIOLATION, GAMBLING, (FRAUD,))
    assert (gold.label_source, gold.environment_status) == ("human+adjudicated", EnvironmentStatus.PARTIAL)
    assert (gold.depth, gold.lang, gold.atoms, gold.site_id) == ("D1", "en", (), site.site_id)


def test_the_depth_of_a_label_file_is_taken_for_a_path_tells_no_gates(
    site: ImportedSite, tmp_path: Path, label: Path
) -> None:
    label.write_text('depth = "D3"\ndecision = ""\nsecondary_types = []\n', encoding="utf-8")
    (gold,) = frozen_gold([(site, tmp_path)], frozen_labels(violation(site)))
    assert gold.depth == "D3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('decision = "NON_VIOLATION"', "decision: is 'NON_VIOLATION', and the frozen label says VIOLATION: empty"),
        ('type = "FRAUD_DECEPTIVE_INDUCEMENT"', f"and the frozen label says {GAMBLING}"),
        ('secondary_types = ["FRAUD_DECEPTIVE_INDUCEMENT"]', "and the frozen label says none"),
        ('environment_status = "INVALID"', "and the frozen label says COMPLETE"),
        ('depth = "D9"', "depth: cannot be 'D9', give one of D0, D1, D2, D3"),
        ("decision = ", "is no TOML"),
    ],
)
def test_what_a_label_file_says_otherwise_is_an_error(
    site: ImportedSite, tmp_path: Path, label: Path, text: str, said: str
) -> None:
    label.write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        frozen_gold([(site, tmp_path)], frozen_labels(violation(site)))
    assert said in str(caught.value)


def test_a_label_file_that_says_the_same_is_none(site: ImportedSite, tmp_path: Path, label: Path) -> None:
    label.write_text('decision = "NON_VIOLATION"\ntype = "NONE"\nannotator = "ann"\n', encoding="utf-8")
    (gold,) = frozen_gold([(site, tmp_path)], frozen_labels(harmless(site)))
    assert gold.violation_type is ViolationType.NONE


def test_labels_are_of_the_import_that_was_looked_at_and_of_no_other(tmp_path: Path) -> None:
    source, shop, terms = (tmp_path / name for name in ("source", "shop", "terms"))
    source.mkdir()
    (source / "shop.html").write_text("<title>Shop</title><a href=terms.html>terms</a>", encoding="utf-8")
    (source / "terms.html").write_text("<title>Terms</title>", encoding="utf-8")
    for folder in (shop, terms):
        write_import(folder, import_site(source, Options(entry=f"{folder.name}.html")), source)
    seen, other = load_import(shop), load_import(terms)
    assert seen.site_id == other.site_id, "the id is that of the capture"
    frozen = frozen_labels(violation(seen))
    assert len(frozen_gold([(seen, shop)], frozen)) == 1
    with pytest.raises(ConfigError, match=f"'{terms}' is not the import that was labelled .* freeze again"):
        frozen_gold([(other, terms)], frozen)
    with pytest.raises(ConfigError, match=r"is not the import that was labelled .*not known there"):
        frozen_gold([(seen, shop)], frozen_labels(violation(seen, site_sha256="")))


def test_a_freeze_of_another_codebook_builds_nothing(site: ImportedSite, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"The freeze follows the codebook 2030-01-01\.v9, and this package"):
        frozen_gold([(site, tmp_path)], frozen_labels(violation(site), codebook="2030-01-01.v9"))
