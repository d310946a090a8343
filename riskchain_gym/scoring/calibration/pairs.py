"""Pairs of a claim and what it is about, for people to answer: what is asked of a judge, and no answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import model_validator

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.rows import encoded_rows, read_rows
from riskchain_gym.scoring.calibration.anchors import missing_citation
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.llm_material import material_for
from riskchain_gym.scoring.judge.llm_prompts import guidance, rule
from riskchain_gym.scoring.judge.questions import Question

Language = Literal["zh-CN", "zh-TW", "en", "mixed"]


class PairItem(Frozen):
    """One claim as people are to answer it.

    Attributes:
        item_id: Opaque, unique within its file; says nothing of agent, chain, fault or answer.
        cluster: Opaque, the same for all pairs about one site.
        language: Language of the site.
        bundle: What a judge is shown, without screenshots.
        question: What it is asked.
    """

    schema_version: Literal["riskchain-pair/v1"] = "riskchain-pair/v1"
    item_id: str
    cluster: str
    language: Language
    bundle: Bundle
    question: Question

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if problem := missing_citation(self.bundle, self.question):
            raise ValueError(problem)
        return self


def read_pairs(path: Path) -> tuple[PairItem, ...]:
    """Return the pairs of a JSONL file, in its order.

    Raises:
        InputFileError: It is missing, empty or malformed, or an id is there twice; the message names the line.
    """
    pairs = [pair for _, pair in read_rows(path, PairItem, "item_id", "give a JSONL file of pairs")]
    if not pairs:
        raise InputFileError(path, "", "holds no pair, give a file that `riskchain judge pairs` wrote")
    return tuple(pairs)


def encoded_pairs(pairs: Sequence[PairItem]) -> bytes:
    """Return the bytes of a file of pairs: canonical JSON, one a line."""
    return encoded_rows(pairs)


def shown(pair: PairItem) -> dict[str, Any]:
    """Return what a person is shown of a pair: the blocks that a language model's prompt is made of, cuts included.

    ``claim``, ``kind``, ``place``, ``language``; ``guidance``, how a claim of this kind is to be checked; ``report``,
    its decision, type and note with the codebook's ``rule`` for it, and all ``citations`` where the claim compares.
    ``view`` is the view that the claim names, and ``views`` the distinct ones where it names none; ``missing`` says
    that the view does not exist. ``cited`` is the citation that the claim is about, with the ``element`` as its view
    shows it. ``ledger`` holds the actions, and ``ending`` how browsing ended, where the claim asks what was done.
    ``cuts`` says what was left out for length.

    Args:
        pair: The pair.
    """
    bundle, question = pair.bundle, pair.question
    material = material_for(bundle, question)
    found = material["views"]
    views: list[dict[str, Any]] = [] if isinstance(found, str) else found
    names_one = question.step is not None
    citations, ledger = material.get("citations", {}), material.get("ledger", {})
    cited = material.get("citation")
    return {
        "claim": question.claim,
        "kind": str(question.kind),
        "place": question.place,
        "language": pair.language,
        "guidance": guidance(question.kind),
        "report": {
            "decision": str(bundle.report.decision),
            "primary_violation_type": str(bundle.report.primary_violation_type),
            "rule": rule(bundle.report.primary_violation_type),
            "note": bundle.report.note,
            "citations": citations.get("citations", []),
        },
        "view": views[0] if names_one and views else None,
        "views": [] if names_one else views,
        "missing": found if isinstance(found, str) else "",
        "cited": None if cited is None else {**cited, "element": _element(cited, views)},
        "ledger": ledger.get("actions", []),
        "ending": ledger.get("browsing_ended", ""),
        "cuts": [
            f"{name.removesuffix('_cut')}: {said}"
            for block in (*views, cited or {}, citations, ledger)
            for name, said in block.items()
            if name.endswith("_cut")
        ],
    }


def _element(cited: dict[str, Any], views: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the control that is cited, as its view shows it."""
    controls = (control for view in views for control in view["controls"])
    return next((control for control in controls if control["element_id"] == cited.get("element_id")), None)
