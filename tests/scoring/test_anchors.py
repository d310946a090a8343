"""The frozen anchors, files of anchors, and what a judge's answers to them say."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.scoring.calibration.anchor_build import build_anchors
from riskchain_gym.scoring.calibration.anchor_figures import anchor_figures, answers_of
from riskchain_gym.scoring.calibration.anchors import (
    SHIPPED,
    Anchor,
    Annotation,
    encoded,
    read_all_anchors,
    read_anchors,
)
from riskchain_gym.scoring.judge.questions import ADVERSE_IF_YES, Answer, ClaimKind
from riskchain_gym.scoring.judge.rules import RuleJudge

PINNED = "a0351689d5b12544c8681bd578a819fecac95cbf4a277272da756090e1168d1c"
"""Anchors are frozen: figures on other bytes are figures on other anchors."""

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.CANNOT_TELL


@pytest.fixture(scope="module")
def shipped() -> tuple[Anchor, ...]:
    return read_anchors()


def human(anchor: Anchor, number: int, *answers: Answer, reference: Answer | None = None) -> Anchor:
    said = tuple(Annotation(annotator=f"person-{i}", answer=answer) for i, answer in enumerate(answers))
    changed = {"id": f"human-{number}", "source": "human", "annotators": said, "reference": reference or answers[0]}
    return Anchor.model_validate(anchor.model_dump() | changed)


def test_the_shipped_anchors_are_the_pinned_ones_and_can_be_made_again(shipped: tuple[Anchor, ...]) -> None:
    assert hashlib.sha256(SHIPPED.read_bytes()).hexdigest() == PINNED
    assert encoded(build_anchors()) == SHIPPED.read_bytes() == encoded(shipped)


def test_the_shipped_anchors_are_many_balanced_and_of_every_kind(shipped: tuple[Anchor, ...]) -> None:
    assert len(shipped) >= 150
    assert {anchor.source for anchor in shipped} == {"constructed"}
    answers = Counter(anchor.reference for anchor in shipped)
    assert abs(answers[YES] - answers[NO]) <= 0.1 * len(shipped)
    assert answers[OPEN] >= 20
    languages = Counter(anchor.language for anchor in shipped)
    assert min(languages[name] for name in ("zh-CN", "zh-TW", "en")) >= 0.25 * len(shipped)
    of_views_and_reports = ADVERSE_IF_YES | {ClaimKind.FOLLOWS, ClaimKind.STATUS_FITS}
    by_kind = Counter((anchor.question.kind, anchor.reference) for anchor in shipped)
    for kind in set(ClaimKind) - of_views_and_reports:
        assert by_kind[kind, YES] >= 10
        assert by_kind[kind, NO] >= 10
    near = Counter(anchor.fault for anchor in shipped)
    assert min(near[f] for f in ("fabricated_text/digit", "fabricated_text/word", "wrong_step/neighbour")) >= 5
    assert all(anchor.adverse for anchor in shipped if anchor.fault)


def test_what_is_wrong_with_an_anchor_is_never_in_what_a_judge_sees(shipped: tuple[Anchor, ...]) -> None:
    for anchor in shipped:
        seen = anchor.bundle.model_dump_json() + anchor.question.model_dump_json()
        assert anchor.note not in seen
        assert not anchor.fault or anchor.fault not in seen


def test_quotes_that_are_said_to_be_shown_are_and_the_others_are_not(shipped: tuple[Anchor, ...]) -> None:
    for anchor in (anchor for anchor in shipped if anchor.question.kind is ClaimKind.SHOWN):
        cited = anchor.bundle.citation(anchor.question.place)
        view = anchor.bundle.view(cited.step) if cited else None
        assert cited is not None
        assert view is not None
        assert any(cited.quote in line for line in view.lines) is (anchor.reference is YES)


def test_the_rule_judge_is_seldom_wrong_about_them(shipped: tuple[Anchor, ...]) -> None:
    (figures,) = anchor_figures(shipped, answers_of(RuleJudge(), shipped), replicates=200)
    assert figures.failed == 0
    assert (figures.accuracy.share or 0) >= 0.97
    assert (figures.precision.share or 0) >= 0.97
    quoting = [f"fabricated_text/{name}" for name in ("digit", "word", "sentence")] + ["wrong_step/neighbour"]
    assert all(figures.recalls[fault].share == 1 for fault in quoting)


def test_figures_are_those_counted_by_hand(shipped: tuple[Anchor, ...]) -> None:
    """References yes 3, no 3, cannot tell 1; the judge is right on 4, abstains once, fails once."""
    yes = [anchor for anchor in shipped if anchor.reference is YES][:3]
    no = [anchor for anchor in shipped if anchor.reference is NO][:3]
    unknown = [anchor for anchor in shipped if anchor.reference is OPEN][:1]
    answers: dict[str, Answer | None] = dict(
        zip((a.id for a in (*yes, *no, *unknown)), (YES, YES, NO, NO, OPEN, None, NO), strict=True)
    )
    (figures,) = anchor_figures([*yes, *no, *unknown], answers, replicates=50)
    assert (figures.anchors, figures.failed) == (7, 1)
    assert figures.confusion == {
        "yes": {"yes": 2, "no": 1, "cannot_tell": 0, "failed": 0},
        "no": {"yes": 0, "no": 1, "cannot_tell": 1, "failed": 1},
        "cannot_tell": {"yes": 0, "no": 1, "cannot_tell": 0, "failed": 0},
    }
    assert (figures.accuracy.hits, figures.accuracy.of) == (3, 5)
    assert (figures.precision.hits, figures.precision.of) == (1, 3)
    assert (figures.recall.hits, figures.recall.of) == (1, 2)
    assert (figures.abstained.hits, figures.abstained.of) == (1, 6)
    assert figures.people is None


def test_human_anchors_are_reported_apart_with_the_agreement_of_people(shipped: tuple[Anchor, ...]) -> None:
    people = [
        human(shipped[i], i, *answers) for i, answers in enumerate([(YES, YES), (NO, NO), (YES, NO), (NO, NO, NO)])
    ]
    every = [*shipped[:5], *people]
    constructed, given = anchor_figures(every, {anchor.id: anchor.reference for anchor in every}, replicates=50)
    assert (constructed.source, constructed.anchors, constructed.people) == ("constructed", 5, None)
    assert (given.source, given.anchors) == ("human", 4)
    assert given.accuracy.share == 1
    assert given.kappa is not None
    assert given.kappa.value == 1
    assert given.people is not None
    assert given.people.alpha is not None
    assert 0 < given.people.alpha.value < 1


def test_files_of_both_sources_are_read_together(shipped: tuple[Anchor, ...], tmp_path: Path) -> None:
    extra = human(shipped[0], 1, YES, NO, reference=YES)
    file = tmp_path / "people.jsonl"
    file.write_bytes(encoded([extra]))
    assert read_all_anchors([SHIPPED, file]) == (*shipped, extra)
    with pytest.raises(InputFileError, match=r"line 1: id: 'human-1' is there more than once"):
        read_all_anchors([file, file])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reference": "maybe"}, "line 2: reference"),
        ({"source": "human"}, "line 2: annotators: a human anchor names who answered"),
        ({"annotators": [{"annotator": "a", "answer": "yes"}]}, "line 2: annotators"),
        ({"extra": 1}, "line 2: extra"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_malformed_file_is_refused_with_its_line(
    shipped: tuple[Anchor, ...], tmp_path: Path, change: dict[str, object], said: str
) -> None:
    file = tmp_path / "anchors.jsonl"
    broken = json.dumps({**json.loads(shipped[1].model_dump_json()), **change})
    file.write_text(f"{shipped[0].model_dump_json()}\n{broken}\n", encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        read_anchors(file)
    assert said in str(caught.value)


def test_a_citation_that_the_question_is_about_must_be_there(shipped: tuple[Anchor, ...]) -> None:
    dump = shipped[0].model_dump()
    dump["question"]["place"] = "evidence.7"
    with pytest.raises(ValueError, match=r"no citation 'evidence\.7'"):
        Anchor.model_validate(dump)


def test_missing_and_empty_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="cannot be read"):
        read_anchors(tmp_path / "nowhere.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputFileError, match="holds no anchor"):
        read_anchors(tmp_path / "empty.jsonl")


def test_a_judge_that_fails_on_every_anchor_has_no_figures(shipped: tuple[Anchor, ...]) -> None:
    (figures,) = anchor_figures(shipped[:9], dict.fromkeys(anchor.id for anchor in shipped))
    assert figures.failed == figures.anchors == 9
    assert (figures.kappa, figures.alpha, figures.accuracy.share) == (None, None, None)
