"""From people's answers to anchors, and a judge measured by them: figures that are computed by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from judged_episodes import GOOD, bundle_of, cited, reported
from pair_sources import PEOPLE, answered, oracle_sources, pair_plan
from scripted_judges import Scripted

from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.calibration.anchor_figures import anchor_figures, answers_of
from riskchain_gym.scoring.calibration.anchors import Anchor, Annotation, encoded
from riskchain_gym.scoring.calibration.human_anchors import human_anchors
from riskchain_gym.scoring.calibration.pair_draw import draw_pairs
from riskchain_gym.scoring.calibration.pair_key import PairKey
from riskchain_gym.scoring.calibration.pairs import PairItem
from riskchain_gym.scoring.calibration.people import people_agreement
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.questions import Answer
from riskchain_gym.scoring.judge.rules import RuleJudge

YES, NO, OPEN = Answer.YES, Answer.NO, Answer.CANNOT_TELL


def pairs(count: int = 6) -> tuple[PairItem, ...]:
    """Return pairs a1, a2, … that ask, one by one, what can be asked of one report; each is a cluster of its own."""
    bundle = bundle_of(reported(*GOOD))
    return tuple(
        PairItem(item_id=f"a{i}", cluster=f"c{i}", language="zh-CN", bundle=bundle, question=question)
        for i, question in zip(range(1, count + 1), questions_about(bundle), strict=False)
    )


def human(*answers: str, layers: str = "") -> tuple[Anchor, ...]:
    """Return an anchor for each group of answers, e.g. ``yn`` of ann and ben; ``layers`` marks reviews with ``r``."""
    short = {"y": YES, "n": NO, "?": OPEN}
    return tuple(
        Anchor(
            id=pair.item_id,
            source="human",
            cluster=pair.cluster,
            language=pair.language,
            bundle=pair.bundle,
            question=pair.question,
            reference=short[said[0]],
            annotators=tuple(
                Annotation(
                    annotator=f"p{i}", answer=short[letter], layer="review" if layers[i : i + 1] == "r" else "pass"
                )
                for i, letter in enumerate(said)
            ),
        )
        for pair, said in zip(pairs(len(answers)), answers, strict=True)
    )


def test_what_was_settled_is_the_reference_with_the_answers_of_everybody_but_the_coordinator() -> None:
    plan = pair_plan(pairs())
    found = answered(
        plan,
        {
            "a1": {"ann": "y", "ben": "y", "again": "n"},
            "a2": {"ann": "y", "ben": "n", "rae": "n", "cleo": "n"},
            "a3": {"ann": "?", "ben": "n", "rae": "?"},
            "a4": {"ann": "n"},
            "a6": {"ann": "?", "ben": "?"},
        },
    )
    anchors = human_anchors(plan, found, pairs())
    assert [(anchor.id, anchor.reference) for anchor in anchors] == [("a1", YES), ("a2", NO), ("a6", OPEN)]
    assert [[(a.annotator, a.answer, a.layer) for a in anchor.annotators] for anchor in anchors] == [
        [("ann", YES, "pass"), ("ben", YES, "pass")],
        [("ann", YES, "pass"), ("ben", NO, "pass"), ("rae", NO, "review")],
        [("ann", OPEN, "pass"), ("ben", OPEN, "pass")],
    ]
    for anchor, pair in zip(anchors, (pairs()[0], pairs()[1], pairs()[5]), strict=True):
        assert (anchor.source, anchor.fault, anchor.note) == ("human", "", "")
        assert (anchor.bundle, anchor.question) == (pair.bundle, pair.question)
        assert (anchor.cluster, anchor.language) == (pair.cluster, pair.language)


def test_the_key_names_the_faults() -> None:
    plan = pair_plan(pairs(2))
    found = answered(plan, {"a1": {"ann": "n", "ben": "n"}, "a2": {"ann": "y", "ben": "y"}})
    row = PairKey(item_id="a1", agent="a", split="mini", chain_id="c", episode="e", fault="wrong_step/far")
    key = [row, row.model_copy(update={"item_id": "a2", "planted": "wrong_step/far", "fault": ""})]
    assert [anchor.fault for anchor in human_anchors(plan, found, pairs(2), key)] == ["wrong_step/far", ""]
    with pytest.raises(ConfigError, match="pair 'a2', which the key does not have"):
        human_anchors(plan, found, pairs(2), key[:1])


def test_answers_of_programs_never_become_anchors() -> None:
    workers = (*PEOPLE[:3], Worker(name="cleo", role="coordinator", simulated=True))
    plan = pair_plan(pairs(1), workers)
    with pytest.raises(ConfigError, match="A program answers in place of cleo"):
        human_anchors(plan, answered(plan, {"a1": {"ann": "y", "ben": "y"}}), pairs(1))


def test_other_projects_and_other_pairs_are_refused() -> None:
    plan = pair_plan(pairs(2))
    with pytest.raises(ConfigError, match="pair 'a2', which the file of pairs does not have"):
        human_anchors(plan, answered(plan, {}), pairs(1))
    sites = pair_plan(pairs(2), subject="sites")
    with pytest.raises(ConfigError, match="The project labels sites"):
        human_anchors(sites, answered(sites, {}), pairs(2))


def test_a_project_in_which_nothing_is_settled_gives_no_anchor() -> None:
    plan = pair_plan(pairs(2))
    assert human_anchors(plan, answered(plan, {}), pairs(2)) == ()


def test_agreement_of_people_and_with_the_judge_is_that_computed_by_hand() -> None:
    """Passes yy, nn, yn, nn; references y, n, n, n; the judge says y, n, n, cannot tell.

    People: 3 of 4 equal; chance 1/2·1/4 + 1/2·3/4 = 1/2, so κ = (3/4 − 1/2) / (1/2) = 1/2; of 8 answers 3 are yes and
    5 no, so α = 1 − 7·2 / (64 − 9 − 25) = 8/15. Judge: 3 of 4; chance 1/4·1/4 + 3/4·2/4 = 7/16, so κ = (12 − 7) / 9 =
    5/9; of 8 labels 2 are yes, 5 no and 1 open, so α = 1 − 7·2 / (64 − 4 − 25 − 1) = 10/17.
    """
    plan = pair_plan(pairs(4))
    given = {
        "a1": {"ann": "y", "ben": "y"},
        "a2": {"ann": "n", "ben": "n"},
        "a3": {"ann": "y", "ben": "n", "rae": "n", "cleo": "n"},
        "a4": {"ann": "n", "ben": "n"},
    }
    anchors = human_anchors(plan, answered(plan, given), pairs(4))
    says = dict(zip((pair.question.key for pair in pairs(4)), (YES, NO, NO, OPEN), strict=True))
    judge = Scripted(lambda bundle, question: says[question.key])
    (figures,) = anchor_figures(anchors, answers_of(judge, anchors), replicates=200)
    assert figures.source == "human"
    for measure, with_judge, among_people in (
        ("percent", 3 / 4, 3 / 4),
        ("kappa", 5 / 9, 1 / 2),
        ("alpha", 10 / 17, 8 / 15),
    ):
        assert getattr(figures, measure).value == pytest.approx(with_judge)
        assert getattr(figures.people, measure).value == pytest.approx(among_people)
    assert figures.people is not None
    assert (figures.people.people, figures.people.anchors) == (2, 4)
    assert figures.people.doubt.startswith("People do not agree on these claims themselves: their α is .533")
    assert figures.percent is not None
    assert figures.percent.low is not None
    assert figures.percent.low < figures.percent.value


def test_a_review_which_only_disputed_anchors_have_does_not_count_as_agreement_of_people() -> None:
    plain = people_agreement(human("yy", "nn", "yn"), replicates=50)
    reviewed = people_agreement((*human("yy", "nn"), human("yy", "nn", "ynn", layers="ppr")[-1]), replicates=50)
    assert plain == reviewed


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (("y", "n"), "No anchor has first answers of two people"),
        (("yy", "yy"), "All first answers are the same one"),
        (("yy", "nn", "yn", "ny"), "People do not agree"),
        (("yy", "nn", "yy", "nn"), ""),
    ],
)
def test_what_people_do_not_agree_on_is_said_in_words(answers: Sequence[str], said: str) -> None:
    doubt = people_agreement(human(*answers), replicates=50).doubt
    assert doubt.startswith(said)
    assert bool(doubt) is bool(said)


def test_more_than_two_people_have_no_kappa_and_all_others() -> None:
    found = people_agreement(human("yyy", "nnn", "ynn"), replicates=50)
    assert (found.people, found.kappa) == (3, None)
    assert found.percent is not None
    assert found.percent.value == pytest.approx(7 / 9)
    assert found.alpha is not None


def test_a_judge_that_is_right_about_planted_faults_agrees_with_people_who_see_them() -> None:
    """Whoever reads the page answers what the key says; the rule judge is never on the other side of it."""
    drawn = draw_pairs(oracle_sources(), count=80, seed=2, faults=0.3)
    plan = pair_plan(drawn.items)
    right = {
        item.item_id: _short(item, wrong=bool(row.fault)) for item, row in zip(drawn.items, drawn.key, strict=True)
    }
    found = answered(plan, {item: {"ann": answer, "ben": answer} for item, answer in right.items()})
    anchors = human_anchors(plan, found, drawn.items, drawn.key)
    assert len(anchors) == len(drawn.items)
    (figures,) = anchor_figures(anchors, answers_of(RuleJudge(), anchors), replicates=50)
    assert figures.people is not None
    assert figures.people.alpha is not None
    assert (figures.people.alpha.value, figures.people.doubt) == (1, "")
    quoting = [fault for fault in figures.recalls if fault.partition("/")[0] in ("wrong_step", "fabricated_text")]
    assert quoting
    assert all(figures.recalls[fault].share == 1 for fault in quoting)
    assert encoded(anchors) == encoded(human_anchors(plan, found, drawn.items, drawn.key))


def _short(item: PairItem, *, wrong: bool) -> str:
    good = item.question.good is YES
    return "y" if good is not wrong else "n"


def test_a_pair_about_a_citation_that_is_not_there_is_no_anchor() -> None:
    bundle = bundle_of(reported(cited(1, "x")))
    question = questions_about(bundle)[0].model_copy(update={"place": "evidence.5"})
    with pytest.raises(ValueError, match="no citation 'evidence"):
        PairItem(item_id="a", cluster="c", language="en", bundle=bundle, question=question)
