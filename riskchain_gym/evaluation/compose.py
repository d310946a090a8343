"""Gate composition: the investigation of one run behind the restoration of another, without a second browser run.

Under reference routing the site is opened whatever was committed, and the browse phase shows nothing of the commit. So
an investigation is the same behind any commit, and a^e = g·a^w holds with g of one run and a^w of another, for agents
that carry nothing of the message into the browse phase. Of one that does, such as a model with one conversation for the
whole chain, the composition is what its investigation came to after its own restoration.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from riskchain_gym.benchmark.splits import GOLD, load_gold, load_manifest
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.gates import Behind, Gate, last_restore_step
from riskchain_gym.evaluation.score import Scores, clusters, scores_of
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.files import write_if_changed
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import GATE_VARIANT
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.intervals import intervals
from riskchain_gym.scoring.restoration import canonical_length
from riskchain_gym.scoring.summary import Summary, summarize


class Composition(Frozen):
    """The investigations of one run behind the restorations of another.

    Attributes:
        web: Agent of the run that investigated.
        web_run: Its identity.
        web_last: Hash of its last record.
        gate: Agent of the run that restored, or model of the predictions.
        gate_source: Its identity, or SHA-256 of the file.
        planned: Chains that the investigating run was to hold.
        gold_sha256: Hash of the gold.
        summary: Headline figures; Acc^w is that of ``web``, Entry Top-1 that of ``gate``.
        outcomes: One a chain, sorted by chain id. Steps of failures in the restore phase count in the restoring run,
            all others in the investigating one, and what the validator says is about that one.
    """

    schema_version: Literal["riskchain-composed/v1"] = "riskchain-composed/v1"
    web: str
    web_run: str
    web_last: str
    gate: str
    gate_source: str
    planned: int
    gold_sha256: str
    summary: Summary
    outcomes: tuple[Outcome, ...]

    @property
    def complete(self) -> bool:
        """Whether every chain that was to be investigated is there."""
        return len(self.outcomes) >= self.planned

    @property
    def file_name(self) -> str:
        """What it is called in the folder of the investigating run."""
        return f"composed-{self.gate_source[:12]}.json"

    def scores(self) -> Scores:
        """Return it as the scores of the investigating run would be, for tables."""
        return Scores(
            run=self.web_run,
            last=self.web_last,
            last_restoration="",
            planned=self.planned,
            gold_sha256=self.gold_sha256,
            summary=self.summary,
            restoration=None,
            prefixes=(),
            outcomes=self.outcomes,
        )


def compose(web: RunFolder, behind: Gate, scores: Scores | None = None) -> Composition:
    """Return the investigations of a run behind other restorations.

    Where either of the two was lost to infrastructure, nothing is known of the chain. Where the investigating run ended
    as ⊥ before it came to the site, its a^w is 0 behind any gate.

    Args:
        web: The run that investigated, under reference routing; it may have begun on the sites.
        behind: What restored the messages.
        scores: What scoring gives the run that investigated, where that is known.

    Raises:
        ConfigError: The run opened other sites than the right ones, or the messages that were restored are of another
            split or lack a chain.
        InputFileError: The run is missing, empty or damaged, or its split is not the one here.
    """
    if web.manifest.env_id == ENV_IDS["restore"] or web.manifest.environment.routing != "reference":
        raise ConfigError(
            f"{web.path} did not open the right site on every chain: compose runs with routing='reference' that browse."
        )
    if web.manifest.split_sha256 != behind.split_sha256:
        raise ConfigError(
            f"'{behind.name}' restored messages of another split than '{web.manifest.split}', which {web.path} is of: "
            "give restorations of that one."
        )
    scores = scores or scores_of(web)
    gold = load_gold(web.manifest.split)
    if lacking := sorted({outcome.chain_id for outcome in scores.outcomes} - behind.chains.keys()):
        raise ConfigError(
            f"'{behind.name}' restored no {GATE_VARIANT} of {len(lacking)} chains of {web.path} ('{lacking[0]}' …): "
            "give restorations of the same split that hold all of its chains."
        )
    restoring = _last_restore_steps(web)
    outcomes = [
        _composed(outcome, behind.chains[outcome.chain_id], gold[outcome.chain_id], restoring[outcome.chain_id])
        for outcome in scores.outcomes
    ]
    drawn = [intervals(outcomes, unit, of) for unit, of in clusters(gold).items()]
    return Composition(
        web=web.manifest.agent,
        web_run=web.identity,
        web_last=web.last_hash,
        gate=behind.name,
        gate_source=behind.identity,
        planned=len(web.manifest.chains),
        gold_sha256=load_manifest(web.manifest.split).sha256[GOLD],
        summary=summarize(outcomes, drawn),
        outcomes=tuple(outcomes),
    )


def write_composition(composition: Composition, folder: Path) -> Path:
    """Write a composition into a folder and return the path; one that is there already stays as it is.

    Raises:
        OSError: It cannot be written.
    """
    path = folder / composition.file_name
    data = composition.model_dump_json(indent=1).encode() + b"\n"
    write_if_changed(path, data)
    return path


def _composed(outcome: Outcome, behind: Behind, gold: GoldChain, last_restore_step: int) -> Outcome:
    if outcome.status is EpisodeStatus.INFRA_ERROR:
        return outcome
    if behind.gate is None:
        return Outcome(
            chain_id=outcome.chain_id,
            status=EpisodeStatus.INFRA_ERROR,
            routing=outcome.routing,
            label=outcome.label and outcome.label.without_report(),
            validator=outcome.validator,
            lost_length=canonical_length(gold.message),
        )
    g, web = int(behind.gate.passed), outcome.web_correct
    later = (failure for failure in outcome.failures if failure.step > last_restore_step)
    return outcome.model_copy(
        update={
            "gate": behind.gate,
            "restoration": behind.restoration,
            "end_to_end_correct": None if web is None else g * web,
            "gate_loss": None if web is None else (1 - g) * web,
            "failures": (*behind.failures, *later),
        }
    )


def _last_restore_steps(run: RunFolder) -> dict[str, int]:
    return {each.trajectory.chain_id: last_restore_step(each.trajectory) for each in run.records()}
