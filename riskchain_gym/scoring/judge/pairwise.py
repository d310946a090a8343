"""Which of two reports of the same chain rests better on its evidence, asked in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from riskchain_gym.llm.client import ChatModel
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fence import fenced
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.bootstrap import percentile_interval, resampled
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.llm import attached
from riskchain_gym.scoring.judge.llm_material import MATERIAL_VERSION, images_of, report_material
from riskchain_gym.scoring.judge.llm_prompts import filled, prompt, prompts_hash, rule

PAIRWISE_PARSER_VERSION = "pairwise-answer/1"
"""Version of the answer's form and of how it is read."""

Side = Literal["first", "second", "tie"]


class PairAnswer(Frozen):
    """What the model has to answer, and nothing else."""

    better: Literal["A", "B", "tie"]
    why: str


class PairRuling(Frozen):
    """What a model said to one order.

    Attributes:
        better: The better report, in the caller's order; ``None`` where the model failed.
        why: One sentence of the model, or the detail of the failure.
        error: The :class:`CallFailure` where there is no answer, else ``""``.
        raw: The model's reply as it came.
    """

    better: Side | None
    why: str = ""
    error: str = ""
    raw: str = ""


class PairVerdict(Frozen):
    """What came of a pair.

    Attributes:
        verdict: The report that both orders prefer; a tie if they differ; ``None`` if one of them failed.
        forward: The ruling with the first report as A.
        backward: The ruling with the second report as A.
    """

    verdict: Side | None
    forward: PairRuling
    backward: PairRuling


class PairTally(Frozen):
    """The verdicts on many chains, from the first side's point of view.

    Attributes:
        chains: Pairs that were put.
        wins: Verdicts for the first report.
        ties: Verdicts for neither.
        losses: Verdicts for the second report.
        coverage: Share of the pairs that have a verdict; ``None`` without pairs.
        preference: (wins + ties / 2) over the pairs that have a verdict, 0 to 1; ``None`` if none has.
        ci95: 95 % percentile interval of the preference over chains that have a verdict; ``None`` if none has.
    """

    chains: int
    wins: int
    ties: int
    losses: int
    coverage: float | None
    preference: float | None
    ci95: tuple[float, float] | None


class PairwiseJudge:
    """Compares two reports of the same chain by a language model.

    Args:
        client: The model.
        images: Whether the screenshots of the bundles are sent along.
    """

    def __init__(self, client: ChatModel, *, images: bool = False) -> None:
        self._client = client
        self._images = images
        self._name = (
            f"llm-pairwise/{client.model}/{prompts_hash(PAIRWISE_PARSER_VERSION, MATERIAL_VERSION, images)[:8]}"
        )

    @property
    def name(self) -> str:
        """``llm-pairwise/MODEL/`` and the start of the hash of prompts, form, material and switches."""
        return self._name

    def compare(self, first: Bundle, second: Bundle) -> PairVerdict:
        """Ask in both orders.

        Args:
            first: One report and its visit.
            second: Another report of the same chain and its visit.
        """
        forward = self._asked(first, second, {"A": "first", "B": "second", "tie": "tie"})
        backward = self._asked(second, first, {"A": "second", "B": "first", "tie": "tie"})
        verdict: Side | None = forward.better if forward.better == backward.better else "tie"
        if forward.better is None or backward.better is None:
            verdict = None
        return PairVerdict(verdict=verdict, forward=forward, backward=backward)

    def request(self, a: Bundle, b: Bundle) -> ChatRequest:
        """Return what the model is asked in one order."""
        letters = {"A": a, "B": b}
        blocks = {f"{letter} {k}": v for letter, bundle in letters.items() for k, v in report_material(bundle).items()}
        pictures = {
            letter: images_of(bundle, bundle.views) if self._images else {} for letter, bundle in letters.items()
        }
        text = filled(
            "pairwise_question.txt",
            decision_a=a.report.decision.value,
            type_a=a.report.primary_violation_type.value,
            rule_a=rule(a.report.primary_violation_type),
            decision_b=b.report.decision.value,
            type_b=b.report.primary_violation_type.value,
            rule_b=rule(b.report.primary_violation_type),
            material="\n\n".join(fenced(blocks).values()),
            attached="".join(attached(shown, f" for report {letter}") for letter, shown in pictures.items()),
        )
        images = tuple(picture for shown in pictures.values() for picture in shown.values())
        system = Message(role="system", text=prompt("pairwise_system.txt"))
        user = Message(role="user", text=text, images=images)
        return ChatRequest(messages=(system, user), form=PairAnswer, parser=PAIRWISE_PARSER_VERSION, temperature=0.0)

    def _asked(self, a: Bundle, b: Bundle, meaning: Mapping[str, Side]) -> PairRuling:
        reply = self._client.complete(self.request(a, b))
        raw = reply.text or reply.raw
        if reply.failure or reply.parsed is None:
            error = reply.failure or CallFailure.SCHEMA
            return PairRuling(better=None, why=reply.detail, error=error.value, raw=raw)
        said = PairAnswer.model_validate(reply.parsed)
        return PairRuling(better=meaning[said.better], why=said.why, raw=raw)


def tally(verdicts: Mapping[str, PairVerdict], *, seed: int, replicates: int = 2000) -> PairTally:
    """Sum up verdicts on many chains.

    Chains without a verdict lower the coverage; the preference and its interval are those of the others.

    Args:
        verdicts: The verdict of each chain; its order does not matter.
        seed: Seed of the bootstrap.
        replicates: Bootstrap samples.
    """
    settled = [verdicts[chain].verdict for chain in sorted(verdicts) if verdicts[chain].verdict is not None]
    worth = np.array([{"first": 1.0, "tie": 0.5, "second": 0.0}[str(side)] for side in settled])
    draws = worth[resampled(len(worth), seed=seed, replicates=replicates)].mean(axis=1) if settled else None
    return PairTally(
        chains=len(verdicts),
        wins=settled.count("first"),
        ties=settled.count("tie"),
        losses=settled.count("second"),
        coverage=len(settled) / len(verdicts) if verdicts else None,
        preference=float(worth.mean()) if settled else None,
        ci95=None if draws is None else percentile_interval(draws, method="linear"),
    )
