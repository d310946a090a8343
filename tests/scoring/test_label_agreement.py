"""Agreement figures of labelling projects, against figures that were worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from label_projects import Written

from riskchain_gym.scoring.agreement import agreement
from riskchain_gym.scoring.intervals import REPLICATES, SEED
from riskchain_gym.scoring.label_agreement import label_agreement
from riskchain_gym.scoring.label_figures import LabelAgreement, Measured, QuestionAgreement

TEN = {
    "s01": {"ann": "gambling 4", "bob": "gambling 4"},
    "s02": {"ann": "gambling 4", "bob": "gambling 4"},
    "s03": {"ann": "fraud 4", "bob": "fraud 4"},
    "s04": {"ann": "fraud 4", "bob": "investment 4"},
    "s05": {"ann": "none 4", "bob": "none 4"},
    "s06": {"ann": "none 4", "bob": "none 4"},
    "s07": {"ann": "none 4", "bob": "none 4"},
    "s08": {"ann": "none 2", "bob": "fraud 5"},
    "s09": {"ann": "unknown 4", "bob": "unknown 4"},
    "s10": {"ann": "unknown 1", "bob": "none 2"},
}
"""Ten sites, two annotators: seven plain agreements and s09; s04 differs in type, s08 and s10 in the decision."""

WHOLE = Written(
    TEN,
    repeats={"s01": {"ann": "gambling"}, "s05": {"ann": "unknown"}, "s04": {"bob": "fraud"}, "s09": {"bob": "unknown"}},
    reviews={"s04": {"cyd": "fraud"}, "s08": {"cyd": "fraud"}, "s10": {"cyd": "unknown"}},
    adjudications={"s04": "fraud", "s08": "none", "s10": "fraud"},
    seconds={"ann": [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], "bob": [5.5]},
    withdrawn=(("s02", "bob"), ("s07", "bob"), ("s03", "ann")),
)

SIX_PAIRS = Written(
    {
        "p1": {"ann": "yes", "bob": "yes"},
        "p2": {"ann": "yes", "bob": "no"},
        "p3": {"ann": "no", "cyd": "no"},
        "p4": {"ann": "yes", "cyd": "yes"},
        "p5": {"bob": "no", "cyd": "cannot_tell"},
        "p6": {"bob": "yes", "cyd": "yes"},
    }
)


def figures(written: Written) -> LabelAgreement:
    return label_agreement(written.plan, written.events)


@pytest.fixture(scope="module")
def ten() -> LabelAgreement:
    return figures(WHOLE)


def value(measured: Measured) -> Fraction:
    """Return a measure as the fraction that it must be."""
    assert measured.value is not None, measured.reason
    return Fraction(measured.value).limit_denominator(1000)


def specifics(question: QuestionAgreement) -> dict[str, tuple[int, int, Fraction]]:
    return {
        each.label: (each.both, each.one, value(each.agreement))
        for each in question.labels
        if each.agreement.value is not None
    }


def test_decision_of_ten_sites(ten: LabelAgreement) -> None:
    """Worked out by hand.

    Agreeing: s01-s07 and s09, 8 of 10.
    Coincidences, each unit twice: V-V s01-s04 8, N-N s05-s07 6, I-I s09 2, N-V s08 1 + 1, I-N s10 1 + 1.
    n_V = 8 + 1 = 9, n_N = 6 + 1 + 1 = 8, n_I = 2 + 1 = 3, n = 20, the diagonal 16.
    alpha = 1 - 19 (20 - 16) / (400 - 81 - 64 - 9) = 1 - 76 / 246 = 85 / 123.
    """
    decision = ten.question("decision")
    assert value(decision.percent) == Fraction(8, 10)
    assert value(decision.alpha) == Fraction(85, 123)
    assert decision.percent.units == decision.alpha.units == 10


def test_joint_label_of_ten_sites(ten: LabelAgreement) -> None:
    """Worked out by hand.

    s04 differs too: 7 of 10.
    Coincidences: gambling 4, fraud s03 2, fraud-investment s04 1 + 1, none 6, none-fraud s08 1 + 1, unknown 2,
    unknown-none s10 1 + 1. n: gambling 4, fraud 2 + 1 + 1 = 4, investment 1, none 8, unknown 3; the diagonal 14.
    alpha = 1 - 19 (20 - 14) / (400 - 16 - 16 - 1 - 64 - 9) = 1 - 114 / 294 = 30 / 49.
    """
    joint = ten.question("joint")
    assert value(joint.percent) == Fraction(7, 10)
    assert value(joint.alpha) == Fraction(30, 49)


def test_agreement_on_each_label_of_ten_sites(ten: LabelAgreement) -> None:
    """2a / (2a + b + c): violation a = 4, b + c = 1 (s08): 8 / 9; no violation 6 / (6 + 2); insufficient 2 / (2 + 1).

    Types: gambling a = 2 and never alone; fraud a = 1, alone in s04 and s08: 2 / 4; investment only alone.
    """
    assert specifics(ten.question("decision")) == {
        "VIOLATION": (4, 1, Fraction(8, 9)),
        "NON_VIOLATION": (3, 2, Fraction(6, 8)),
        "INSUFFICIENT_EVIDENCE": (1, 1, Fraction(2, 3)),
    }
    assert specifics(ten.question("joint")) == {
        "FRAUD_DECEPTIVE_INDUCEMENT": (1, 2, Fraction(2, 4)),
        "INVESTMENT_FINANCIAL_FRAUD": (0, 1, Fraction(0)),
        "GAMBLING_BETTING_PROMOTION": (2, 0, Fraction(1)),
    }
    by_label = {each.label: each.agreement for each in ten.question("joint").labels}
    assert len(by_label) == 9, "the nine concrete types, and not the two that follow from the decision"
    phishing = by_label["PHISHING_CREDENTIAL_THEFT"]
    assert (phishing.value, phishing.low, phishing.units) == (None, None, 0)
    assert phishing.reason == "nobody gave this label"
    assert by_label["FRAUD_DECEPTIVE_INDUCEMENT"].units == 3, "s03, s04 and s08"


def test_repeats_of_ten_sites(ten: LabelAgreement) -> None:
    """Of four repeats s05 changes the decision and s04 the type: 3 and 2 of 4."""
    assert (ten.question("decision").repeats.hits, ten.question("decision").repeats.of) == (3, 4)
    assert (ten.question("joint").repeats.hits, ten.question("joint").repeats.of) == (2, 4)
    # Wilson at 2 of 4, z² = 3.8415: (.5 + .4802 ± 1.96 sqrt(.0625 + .0600)) / 1.9604 = .1500 and .8500.
    assert ten.question("joint").repeats.low == pytest.approx(0.15, abs=1e-3)


def test_the_confusion_table_counts_every_pair_once(ten: LabelAgreement) -> None:
    cells = {(cell.first, cell.second): cell.pairs for cell in ten.question("decision").confusions}
    assert cells == {
        ("VIOLATION", "VIOLATION"): 4,
        ("VIOLATION", "NON_VIOLATION"): 1,
        ("NON_VIOLATION", "NON_VIOLATION"): 3,
        ("NON_VIOLATION", "INSUFFICIENT_EVIDENCE"): 1,
        ("INSUFFICIENT_EVIDENCE", "INSUFFICIENT_EVIDENCE"): 1,
    }


def test_overruled(ten: LabelAgreement) -> None:
    """All ten are settled. Ann is overruled in s10; Bob in s08 and s10, and in s04 on the type."""
    overruled = {
        (question.question, each.worker): (each.overruled.hits, each.overruled.of)
        for question in ten.questions
        for each in question.overruled
    }
    assert overruled == {
        ("decision", "ann"): (1, 10),
        ("decision", "bob"): (2, 10),
        ("decision", "cyd"): (0, 0),
        ("joint", "ann"): (1, 10),
        ("joint", "bob"): (3, 10),
        ("joint", "cyd"): (0, 0),
    }


def test_confidence(ten: LabelAgreement) -> None:
    """Sixteen passes of confidence 4, the two of s04 differ in type; others only where the decision differs."""
    joint = {each.confidence: (each.agreed.hits, each.agreed.of) for each in ten.question("joint").confidence}
    assert joint == {1: (0, 1), 2: (0, 2), 3: (0, 0), 4: (14, 16), 5: (0, 1)}
    decision = {each.confidence: each.agreed.hits for each in ten.question("decision").confidence}
    assert decision[4] == 16


def test_layers(ten: LabelAgreement) -> None:
    """s04: review and coordinator side with Ann; s08: the coordinator does, the review with Bob; s10: with nobody."""
    layers = ten.layers
    assert (layers.items, layers.passes, layers.passes_due, layers.complete) == (10, 20, 20, 10)
    assert (layers.disagreements, layers.decision_disagreements) == (3, 2)
    assert (layers.reviews, layers.reviews_due, layers.adjudications) == (3, 3, 3)
    assert layers.sided.model_dump() == {"pass_and_review": 1, "pass_only": 1, "review_only": 0, "nobody": 1}
    assert (layers.settled, layers.open, layers.withdrawn) == (10, 0, 3)


def test_what_each_person_did(ten: LabelAgreement) -> None:
    by_name = {each.worker: each for each in ten.workers}
    assert (by_name["ann"].passes, by_name["ann"].repeats, by_name["ann"].withdrawn) == (10, 2, 1)
    assert (by_name["ann"].median_seconds, by_name["ann"].measured) == (55, 10)
    assert (by_name["bob"].median_seconds, by_name["bob"].measured, by_name["bob"].withdrawn) == (5.5, 1, 2)
    assert (by_name["cyd"].reviews, by_name["cyd"].median_seconds) == (3, None)
    assert by_name["boss"].adjudications == 3


def test_six_pairs_by_three_people() -> None:
    """Worked out by hand.

    p1, p3, p4 and p6 agree: 4 of 6. Coincidences: yes-yes p1, p4, p6 6; no-no p3 2; yes-no p2 1 + 1; no-cannot_tell
    p5 1 + 1. n_yes = 6 + 1 = 7, n_no = 2 + 1 + 1 = 4, n_cannot_tell = 1, n = 12, the diagonal 8.
    alpha = 1 - 11 (12 - 8) / (144 - 49 - 16 - 1) = 1 - 44 / 78 = 17 / 39.
    yes: a = 3, b + c = 1: 6 / 7. no: a = 1, b + c = 2: 2 / 4. cannot_tell: only alone.
    """
    found = figures(SIX_PAIRS)
    answers = found.question("answer")
    assert [question.question for question in found.questions] == ["answer"]
    assert value(answers.percent) == Fraction(4, 6)
    assert value(answers.alpha) == Fraction(17, 39)
    assert specifics(answers) == {
        "yes": (3, 1, Fraction(6, 7)),
        "no": (1, 2, Fraction(1, 2)),
        "cannot_tell": (0, 1, Fraction(0)),
    }


def test_each_two_annotators_of_six_pairs() -> None:
    """Worked out by hand.

    Ann and Bob: p1 yes yes, p2 yes no: 1 of 2; n_yes 3, n_no 1, n 4, diagonal 2: 1 - 3 * 2 / (16 - 9 - 1) = 0.
    Ann and Cyd: p3 no no, p4 yes yes: 2 of 2, 1.
    Bob and Cyd: p5 no cannot_tell, p6 yes yes: 1 of 2; n 2, 1, 1; diagonal 2: 1 - 3 * 2 / (16 - 4 - 1 - 1) = 2 / 5.
    """
    pairs = figures(SIX_PAIRS).question("answer").annotators
    assert [(pair.first, pair.second, value(pair.percent), value(pair.alpha)) for pair in pairs] == [
        ("ann", "bob", Fraction(1, 2), Fraction(0)),
        ("ann", "cyd", Fraction(1), Fraction(1)),
        ("bob", "cyd", Fraction(1, 2), Fraction(2, 5)),
    ]
    for pair in pairs:
        assert pair.percent.units == 2
        assert pair.percent.low is pair.alpha.high is None
        assert "fewer than 10 items" in pair.alpha.reason


def test_more_than_two_passes_and_missing_ones() -> None:
    """The published nominal example, four observers with gaps: alpha = .743 (Krippendorff 2011, part C)."""
    labels = dict(zip("12345", ("fraud", "phishing", "fake", "investment", "gambling"), strict=True))
    observers = {"a": "123321412...", "b": "1233224125.3", "c": ".3332342251.", "d": "12332441251."}
    passes = {
        f"u{unit:02}": {who: labels[said[unit]] for who, said in observers.items() if said[unit] != "."}
        for unit in range(12)
    }
    joint = figures(Written(passes, per_item=4)).question("joint")
    assert joint.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert joint.alpha.units == 11, "one unit was seen by one observer"


def test_three_passes_make_three_pairs() -> None:
    """Two of three say yes: a = 1, and each of them is alone against the third: b + c = 2, 2 / (2 + 2)."""
    found = figures(Written({"p1": {"ann": "yes", "bob": "yes", "cyd": "no"}}, per_item=3)).question("answer")
    assert value(found.percent) == Fraction(1, 3)
    assert specifics(found)["yes"] == (1, 2, Fraction(1, 2))
    assert {(cell.first, cell.second): cell.pairs for cell in found.confusions} == {("yes", "yes"): 1, ("yes", "no"): 2}
    confident = next(each for each in found.confidence if each.confidence == 3)
    assert (confident.agreed.hits, confident.agreed.of) == (2, 6)


def test_intervals_draw_items_of_one_cluster_together() -> None:
    clusters = {item: f"host-{int(item[1:]) % 5}" for item in TEN}
    found = figures(Written(TEN, clusters=clusters))
    ratings = [[said[who].split()[0] for who in ("ann", "bob")] for said in TEN.values()]
    named = [clusters[item] for item in TEN]
    expected = agreement("alpha", ratings, clusters=named, seed=SEED, replicates=REPLICATES)
    alpha = found.question("joint").alpha
    assert (alpha.low, alpha.high) == (expected.low, expected.high)
    assert found.clusters == 5
    assert alpha.low != figures(Written(TEN)).question("joint").alpha.low


def test_with_whom_adjudications_sided() -> None:
    """Ann says yes, Bob no: p1 and p2 as Ann against the review, p3 as Bob without one, p4 as the review alone."""
    found = figures(
        Written(
            {item: {"ann": "yes", "bob": "no"} for item in ("p1", "p2", "p3", "p4", "p5")},
            reviews={"p1": {"cyd": "no"}, "p2": {"cyd": "cannot_tell"}, "p4": {"cyd": "cannot_tell"}},
            adjudications={"p1": "yes", "p2": "yes", "p3": "no", "p4": "cannot_tell"},
        )
    )
    assert found.layers.sided.model_dump() == {"pass_and_review": 0, "pass_only": 3, "review_only": 1, "nobody": 0}
    assert (found.layers.disagreements, found.layers.reviews_due, found.layers.adjudications) == (5, 3, 4)


def test_a_repeat_whose_first_answer_was_taken_back_is_not_compared() -> None:
    written = Written({"p1": {"ann": "yes", "bob": "yes"}}, repeats={"p1": {"ann": "no"}})
    back = written.events[0].model_copy(update={"seq": 9, "kind": "withdrawn", "pair_answer": None})
    assert figures(written).question("answer").repeats.of == 1
    found = label_agreement(written.plan, (*written.events, back))
    assert found.question("answer").repeats.of == 0
    assert (found.layers.repeats, found.layers.passes, found.layers.withdrawn) == (1, 1, 1)
