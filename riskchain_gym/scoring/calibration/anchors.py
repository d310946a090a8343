"""Anchors: claims about citations whose answer is known, constructed here or given by people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from riskchain_gym.protocol.codebook import FIRST_CODEBOOK, codebook_problem
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen, without_unsaid
from riskchain_gym.protocol.rows import encoded_rows, read_rows
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Answer, Question

SHIPPED = Path(__file__).parent / "data" / "anchors.jsonl"
"""The constructed anchors that ship with the package."""


class Annotation(Frozen):
    """What one person answered, knowing what a judge is shown and nothing else.

    Attributes:
        annotator: Who.
        answer: What they answered.
        layer: ``pass``: one of the independent first answers, which agreement of people is counted on. ``review``: a
            further one, given because those differ.
    """

    annotator: str
    answer: Answer
    layer: Literal["pass", "review"] = "pass"


class Anchor(Frozen):
    """One claim with its answer.

    Attributes:
        id: Unique within its file.
        source: ``constructed``: the answer is known because the page was written to give it. ``human``: people gave it.
        cluster: What it was made from, a page or a report; anchors of one are drawn together.
        language: Language of the page.
        bundle: What a judge is shown.
        question: What it is asked.
        reference: The answer.
        fault: What is wrong with the citation, as ``kind`` or ``kind/variant`` of a planted fault; ``""`` for nothing.
        note: Why the answer is what it is.
        annotators: What each person answered; of a constructed anchor nobody.
        codebook_version: The codebook that the answer follows; left out of JSON where it is the first one.
    """

    schema_version: Literal["riskchain-anchor/v1"] = "riskchain-anchor/v1"
    id: str
    source: Literal["constructed", "human"]
    cluster: str
    language: Literal["zh-CN", "zh-TW", "en", "mixed"]
    bundle: Bundle
    question: Question
    reference: Answer
    fault: str = ""
    note: str = ""
    annotators: tuple[Annotation, ...] = ()
    codebook_version: str = FIRST_CODEBOOK

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), codebook_version=FIRST_CODEBOOK)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if problem := missing_citation(self.bundle, self.question):
            raise ValueError(problem)
        if bool(self.annotators) != (self.source == "human"):
            raise ValueError("annotators: a human anchor names who answered, a constructed one nobody")
        named = [annotation.annotator for annotation in self.annotators]
        if len(set(named)) != len(named):
            raise ValueError("annotators: each answers once")
        return self

    @property
    def adverse(self) -> bool | None:
        """Whether the reference speaks against the report; ``None`` where it is that nobody can tell."""
        return speaks_against(self.question, self.reference)


def missing_citation(bundle: Bundle, question: Question) -> str:
    """Return what is wrong with a question about a citation that its bundle does not have, ``""`` for nothing."""
    place = question.place
    if not place.partition(".")[0].endswith("evidence") or bundle.citation(place) is not None:
        return ""
    return f"question.place: the bundle has no citation '{place}'"


def speaks_against(question: Question, answer: Answer) -> bool | None:
    """Return whether an answer speaks against the report; ``None`` where it says that it cannot tell."""
    return None if answer is Answer.CANNOT_TELL else answer is not question.good


def read_anchors(path: Path = SHIPPED) -> tuple[Anchor, ...]:
    """Return the anchors of a JSONL file, in its order.

    Raises:
        InputFileError: As :func:`read_all_anchors` does.
    """
    return read_all_anchors([path])


def read_all_anchors(paths: Sequence[Path]) -> tuple[Anchor, ...]:
    """Return the anchors of several JSONL files, in their order.

    Raises:
        InputFileError: One is missing, empty or malformed, an id is there twice, or an anchor follows another codebook
            than this package has; the message names file and line.
    """
    anchors: dict[str, Anchor] = {}
    for path in paths:
        count = len(anchors)
        for number, anchor in read_rows(path, Anchor, "id", "give a JSONL file of anchors"):
            if anchor.id in anchors:
                raise InputFileError(path, f"line {number}: id", f"'{anchor.id}' is there more than once")
            if other := codebook_problem([anchor.codebook_version]):
                raise InputFileError(path, f"line {number}: codebook_version", other)
            anchors[anchor.id] = anchor
        if len(anchors) == count:
            raise InputFileError(path, "", "holds no anchor, give a JSONL file with one a line")
    return tuple(anchors.values())


def encoded(anchors: Sequence[Anchor]) -> bytes:
    """Return the bytes of a file of anchors: canonical JSON, one a line."""
    return encoded_rows(anchors)
