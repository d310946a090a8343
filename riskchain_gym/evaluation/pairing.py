"""Putting the reports of two runs on the same chains side by side to a pairwise judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from riskchain_gym.evaluation.answers import AnswerFile, Problem
from riskchain_gym.evaluation.judging import OTHER_JUDGE, OTHER_RUN, bundle_of, reported
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.judge.pairwise import PairRuling, PairTally, PairVerdict, PairwiseJudge, tally
from riskchain_gym.scoring.redaction.audit import RedactionError


class PairedEpisode(Frozen):
    """What a pairwise judge said of two reports on one chain.

    Attributes:
        chain_id: The chain.
        judge: Name and version of the judge.
        first: Hash of the first run's episode.
        second: Hash of the second run's.
        verdict: What came of it.
    """

    schema_version: Literal["riskchain-paired/v1"] = "riskchain-paired/v1"
    chain_id: str
    judge: str
    first: str
    second: str
    verdict: PairVerdict


@dataclass(frozen=True)
class Comparison:
    """The verdicts on two runs.

    Attributes:
        tally: Wins, ties and losses of the first run.
        left_out: Chains on which one of the runs has no report; no verdict can be given.
    """

    tally: PairTally
    left_out: int


def pair_runs(
    first: RunFolder,
    second: RunFolder,
    judge: PairwiseJudge,
    to: Path,
    *,
    images: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Put the reports of two runs to a pairwise judge, chain by chain, and append its verdicts to a JSONL file.

    Where the file holds verdicts already, only the other chains are asked about, and those on which the judge failed.

    Args:
        first: One run.
        second: Another on the same split.
        judge: Who is asked.
        to: The file.
        images: Whether the judge is shown the screenshots, redacted.
        seed: Seed of the bootstrap over chains.
        progress: Called with the number of chains that are done, and of how many.

    Raises:
        ConfigError: The runs are of different splits, or have no chain with two reports.
        InputFileError: The file is damaged or of other runs or another judge, or a run is damaged.
        MissingExtraError: There are images, and Pillow is not installed.
    """
    if first.manifest.split_sha256 != second.manifest.split_sha256:
        raise ConfigError(f"{first.path} and {second.path} are runs on different splits: compare runs on one split.")
    ours, theirs = reported(first), reported(second)
    chains = [chain for chain in first.manifest.chains if chain in ours and chain in theirs]
    if not chains:
        raise ConfigError(f"{first.path} and {second.path} have no chain on which both have a report.")

    def problem_of(one: PairedEpisode) -> Problem | None:
        if one.judge != judge.name:
            return "judge", f"is '{one.judge}', not '{judge.name}': {OTHER_JUDGE}"
        pair = (ours.get(one.chain_id), theirs.get(one.chain_id))
        hashes = tuple(record.hash if record else "" for record in pair)
        return None if hashes == (one.first, one.second) else ("first, second", OTHER_RUN)

    file = AnswerFile(to, PairedEpisode, lambda one: one.chain_id, problem_of)
    verdicts: dict[str, PairVerdict] = {}
    for number, chain in enumerate(chains, 1):
        known = file.known(chain)
        if known is None or known.verdict.verdict is None:
            pair = ours[chain], theirs[chain]
            try:
                bundles = [bundle_of(run, r, images=images) for run, r in zip((first, second), pair, strict=True)]
                verdict = judge.compare(*bundles)
            except RedactionError as error:
                broken = PairRuling(better=None, error=str(error))
                verdict = PairVerdict(verdict=None, forward=broken, backward=broken)
            known = PairedEpisode(
                chain_id=chain, judge=judge.name, first=pair[0].hash, second=pair[1].hash, verdict=verdict
            )
            file.add(known)
        verdicts[chain] = known.verdict
        if progress is not None:
            progress(number, len(chains))
    planned = {*first.manifest.chains, *second.manifest.chains}
    return Comparison(tally(verdicts, seed=seed), len(planned) - len(chains))
