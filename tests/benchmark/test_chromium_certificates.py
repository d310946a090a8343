"""Certificates hold in a real browser: a sample of the shipped split, and in the slow suite all of ``test``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.envs.backends.base import BrowseBackend, RawPage
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.protocol.action import TARGETED, BrowserAction
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep, SiteGold
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.compiled import CompiledSite

SEED = 2026

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[ChromiumBackend]:
    made = ChromiumBackend()
    yield made
    made.close()


def act(backend: BrowseBackend, page: RawPage, step: PathStep) -> RawPage:
    key = None
    if step.action.action in TARGETED:
        key = [e.key for e in page.elements if (e.role, e.name) == (step.role, step.name)][step.nth]
    done = backend.act(BrowserAction(action=step.action.action, element_id="e1" if key else None), key)
    assert done.error is None, f"{page.path}: {step}"
    return done.page


def shown(page: RawPage, atom: EvidenceAtom) -> bool:
    if page.path.partition("?")[0] != atom.path:
        return False
    if atom.picture:
        return any(picture.key == atom.picture for picture in page.pictures)
    return any(line.text == atom.text for line in page.lines)


def unseen(backend: BrowseBackend, site: CompiledSite, gold: SiteGold) -> list[EvidenceAtom]:
    """Return the deciding atoms that the certificate's path does not show in a backend."""
    page = backend.open(site)
    left = [atom for atom in gold.deciding_atoms() if not shown(page, atom)]
    for step in gold.path:
        page = act(backend, page, step)
        left = [atom for atom in left if not shown(page, atom)]
    return left


def missed(backend: BrowseBackend, split: str, chains: slice) -> dict[str, Iterable[EvidenceAtom]]:
    gold = load_gold(split)
    sites = ((chain.compiled_site, gold[chain.chain_id].site) for chain in load_public(split)[chains])
    return {site.site_id: left for site, known in sites if (left := unseen(backend, site, known))}


def test_a_browser_sees_what_decides_a_sample_of_mini(browser: ChromiumBackend) -> None:
    assert missed(browser, "mini", slice(0, None, 6)) == {}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_browser_sees_what_decides_every_site_of_the_test_split(browser: ChromiumBackend, tmp_path: Path) -> None:
    release = build_release(key_from_seed(SEED), only=["test"], worker_count=2)
    write_release(tmp_path / "release", release, seed=SEED, key_commitment=None)
    assert missed(browser, f"{tmp_path / 'release'}/test", slice(None)) == {}
