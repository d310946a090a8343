"""The reports of frozen runs, as pairs for people are drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.judging import reported
from riskchain_gym.evaluation.score import check_split
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.calibration.pair_source import ReportSource
from riskchain_gym.scoring.calibration.pairs import Language
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite


def report_sources(runs: Sequence[RunFolder], *, gold: bool) -> tuple[ReportSource, ...]:
    """Return the reports of runs with the language of their sites; episodes without a report are left out.

    Args:
        runs: The runs.
        gold: Whether each comes with the gold of its chain, which planting faults needs.

    Raises:
        ConfigError: A run is given twice.
        UnknownNameError: The split of a run is not here.
        InputFileError: A run is damaged, its split is another one here, or gold is wanted and the split has none.
    """
    identities = [run.identity for run in runs]
    if twice := [run.path for i, run in enumerate(runs) if run.identity in identities[:i]]:
        raise ConfigError(f"{twice[0]} is given more than once: give each run one time.")
    return tuple(source for run in runs for source in _reports(run, gold=gold))


def _reports(run: RunFolder, *, gold: bool) -> list[ReportSource]:
    check_split(run)
    manifest = run.manifest
    sites = {chain.chain_id: chain.site for chain in load_public(manifest.split)}
    known = load_gold(manifest.split) if gold else {}
    return [
        ReportSource(
            trajectory=record.trajectory,
            agent=manifest.agent,
            split=manifest.split,
            episode=record.hash,
            site=sites[chain].site_id,
            language=_language(sites[chain]),
            gold=known.get(chain),
        )
        for chain, record in reported(run).items()
    ]


def _language(site: AnySite) -> Language:
    return cast(Language, site.lang) if isinstance(site, CompiledSite) else site.replay.lang
