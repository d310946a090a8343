"""What agreement figures say when they have no value, what they warn of, gold, and what must hold for any answers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_projects import Written

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.scoring.label_agreement import label_agreement
from riskchain_gym.scoring.label_figures import LabelAgreement

WORDS = ("yes", "no", "cannot_tell")
PASSES = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=1, max_size=8)


def figures(written: Written) -> LabelAgreement:
    return label_agreement(written.plan, written.events)


def pairs(*said: tuple[str, str], **more: object) -> Written:
    """A project of pairs that Ann and Bob passed both."""
    passes = {f"p{i:03}": {"ann": first, "bob": second} for i, (first, second) in enumerate(said)}
    return Written(passes, **more)  # type: ignore[arg-type]


def codes(written: Written) -> list[str]:
    return [caution.code for caution in figures(written).cautions]


def text(written: Written, code: str) -> str:
    return next(caution.text for caution in figures(written).cautions if caution.code == code)


def test_uniform_labels_have_a_percent_and_no_alpha() -> None:
    answer = figures(pairs(*[("yes", "yes")] * 60)).question("answer")
    assert answer.percent.value == 1
    assert answer.percent.low is None
    assert "same value" in answer.percent.reason
    assert (answer.alpha.value, answer.alpha.low, answer.alpha.units) == (None, None, 60)
    assert "all passes gave the same label" in answer.alpha.reason
    assert codes(pairs(*[("yes", "yes")] * 60)) == ["alpha_undefined"]


def test_a_project_without_a_second_pass_has_no_figure_at_all() -> None:
    written = Written({"p1": {"ann": "yes"}, "p2": {"ann": "no"}}, missing=(("p1", "bob"), ("p2", "bob")))
    found = figures(written)
    answer = found.question("answer")
    assert answer.percent.value is answer.alpha.value is None
    assert answer.percent.reason == answer.alpha.reason == "no item has two passes"
    assert answer.annotators == answer.confusions == ()
    assert answer.repeats.share is None
    assert all(each.agreed.share is None for each in answer.confidence)
    assert {each.agreement.value for each in answer.labels} == {None}
    assert (found.layers.complete, found.layers.open) == (0, 2)
    assert "passes_missing" in codes(written)


@pytest.mark.parametrize("hosts", [1, 4])
def test_few_clusters_have_figures_without_an_interval(hosts: int) -> None:
    said = [("yes", "yes")] * 6 + [("yes", "no")] * 6
    written = pairs(*said, clusters={f"p{i:03}": f"host{i % hosts}" for i in range(12)})
    answer = figures(written).question("answer")
    assert answer.percent.value == 0.5
    assert answer.percent.low is answer.alpha.low is answer.labels[0].agreement.low is None
    assert "fewer than 5 clusters" in answer.percent.reason


def test_alpha_below_the_customary_levels_is_said_in_words() -> None:
    # 30 yes-yes, 30 no-no, 20 yes-no: n_yes = n_no = 80, alpha = 1 - 159 * 40 / (160² - 2 * 80²) = .503
    low = pairs(*[("yes", "yes")] * 30, *[("no", "no")] * 30, *[("yes", "no")] * 20)
    assert "alpha_low" in codes(low)
    assert "α of the answer is .503, below the level at which even tentative" in text(low, "alpha_low")
    # 10 of the 80 differ: 1 - 159 * 20 / 12800 = .752
    middle = pairs(*[("yes", "yes")] * 35, *[("no", "no")] * 35, *[("yes", "no")] * 10)
    assert "alpha_tentative" in codes(middle)
    assert ".752" in text(middle, "alpha_tentative")
    # 2 differ: .950
    high = pairs(*[("yes", "yes")] * 39, *[("no", "no")] * 39, *[("yes", "no")] * 2)
    assert not [code for code in codes(high) if code.startswith("alpha")]


def test_an_interval_across_the_level_is_said() -> None:
    middle = pairs(*[("yes", "yes")] * 35, *[("no", "no")] * 35, *[("yes", "no")] * 10)
    alpha = figures(middle).question("answer").alpha
    assert alpha.low is not None
    assert alpha.low < 0.667 < (alpha.high or 0)
    assert "crosses .667" in text(middle, "alpha_crosses")


def test_few_items_are_said_with_their_clusters() -> None:
    few = pairs(("yes", "yes"), ("no", "no"), ("no", "yes"), clusters={"p000": "h", "p001": "h"})
    assert "Only 3 items have two passes" in text(few, "few_units")
    assert "in 2 clusters" in text(few, "few_units")


def test_many_items_in_few_clusters_are_said() -> None:
    said = [("yes", "yes")] * 40 + [("no", "no")] * 35 + [("yes", "no")] * 5
    assert "few_units" not in codes(pairs(*said))
    hosts = {f"p{i:03}": f"h{i % 8}" for i in range(80)}
    assert "The 80 items in comparison are in only 8 clusters" in text(pairs(*said, clusters=hosts), "few_units")


def test_a_level_counts_as_it_is_written_for_every_caution() -> None:
    # 90 yes-yes, 4 no-no, 3 yes-no: α = 1 - 193 * 6 / (194² - 183² - 11²) = .712; the frequent label is no excuse then.
    skewed = pairs(*[("yes", "yes")] * 90, *[("no", "no")] * 4, *[("yes", "no")] * 3)
    assert {"alpha_tentative"} == {code for code in codes(skewed) if code in ("alpha_tentative", "prevalence")}


def test_a_single_pass_is_overruled_by_nobody() -> None:
    alone = Written({f"p{i}": {"ann": "yes"} for i in range(4)}, per_item=1)
    assert [(each.overruled.of, each.overruled.share) for each in figures(alone).question("answer").overruled] == [
        (0, None)
    ]


def test_a_confidence_that_nobody_gave_is_counted_nowhere() -> None:
    written = pairs(("yes", "yes"), ("no", "yes"))
    silent = [
        event.model_copy(update={"pair_answer": event.pair_answer.model_copy(update={"confidence": None})})
        for event in written.events
        if event.pair_answer is not None
    ]
    found = label_agreement(written.plan, silent).question("answer").confidence
    assert {each.agreed.of for each in found} == {0}


def test_a_frequent_label_is_said_to_keep_alpha_low() -> None:
    # 90 of 96 pairs agree on yes: percent .9375; alpha = 1 - 191 * 12 / (192² - 186² - 6²) = -.027
    skewed = pairs(*[("yes", "yes")] * 90, *[("yes", "no")] * 6)
    assert figures(skewed).question("answer").percent.value == 0.9375
    assert "97 % of the answers on the answer are yes" in text(skewed, "prevalence")
    assert "-.027" in text(skewed, "prevalence")


def test_layers_that_are_not_done_are_said() -> None:
    said = [("yes", "no")] * 3 + [("yes", "yes")]
    written = pairs(*said, reviews={"p000": {"cyd": "yes"}}, missing=(("p003", "cyd"),))
    assert codes(written)[-3:] == ["passes_missing", "no_reviewer", "adjudications_missing"]
    assert text(written, "passes_missing").startswith("1 of 9 passes are missing")
    assert text(written, "no_reviewer").startswith("2 of 3 disagreements have no reviewer")
    assert text(written, "adjudications_missing").startswith("3 of 3 disagreements are not adjudicated")


def test_simulated_annotators_come_first() -> None:
    everyone = pairs(("yes", "no"), simulated=("ann", "bob", "boss"))
    first = figures(everyone).cautions[0]
    assert first.code == "simulated"
    assert "no person has answered" in first.text
    some = figures(pairs(("yes", "no"), simulated=("bob",)))
    assert some.simulated == ("bob",)
    assert "no person" not in some.cautions[0].text


def site_gold(item: str, said: str) -> SiteGold:
    label = Written({item: {"ann": said}}).events[0].answer
    assert isinstance(label, SiteAnswer)
    return SiteGold(
        site_id=item,
        archetype="a",
        family="f",
        decision=label.decision,
        violation_type=label.primary_violation_type,
        atoms=(),
        path=(),
        depth="D0",
        track="L2_OBSERVATION",
    )


def test_settled_labels_against_gold() -> None:
    """s1 right, s2 wrong in type, s3 wrong in the decision, s4 open: decision 2 of 3, joint 1 of 3."""
    written = Written(
        {
            "s1": {"ann": "fraud", "bob": "fraud"},
            "s2": {"ann": "fraud", "bob": "fraud"},
            "s3": {"ann": "none", "bob": "fraud"},
            "s4": {"ann": "none", "bob": "fraud"},
        },
        adjudications={"s3": "none"},
    )
    gold = {
        item: site_gold(item, said)
        for item, said in {"s1": "fraud", "s2": "phishing", "s3": "unknown", "s4": "none"}.items()
    }
    found = label_agreement(written.plan, written.events, gold=gold, gold_name="mini").gold
    assert found is not None
    assert found.gold == "mini"
    decision, joint = found.questions
    assert (decision.percent.value, decision.percent.units) == (pytest.approx(2 / 3), 3)
    assert joint.percent.value == pytest.approx(1 / 3)
    assert found.differing == ("s2", "s3")
    assert [(cell.gold, cell.settled, cell.items) for cell in decision.cells] == [
        ("VIOLATION", "VIOLATION", 2),
        ("INSUFFICIENT_EVIDENCE", "NON_VIOLATION", 1),
    ]


def test_gold_of_another_split_is_refused() -> None:
    written = Written({"s1": {"ann": "fraud", "bob": "fraud"}})
    with pytest.raises(ConfigError, match=r"has no site 's1'.*the plan names 'written'"):
        label_agreement(written.plan, written.events, gold={}, gold_name="mini")
    with pytest.raises(ConfigError, match="pairs have no gold"):
        label_agreement(pairs(("yes", "no")).plan, (), gold={}, gold_name="mini")


@given(said=PASSES, seed=st.integers(0, 99))
@settings(derandomize=True, deadline=None, max_examples=25)
def test_the_order_of_logs_does_not_matter(said: list[tuple[str, str]], seed: int) -> None:
    written = pairs(*said, reviews={"p000": {"cyd": "yes"}}, withdrawn=(("p000", "ann"),))
    shuffled = list(written.events)
    random.Random(seed).shuffle(shuffled)
    assert canonical_json(label_agreement(written.plan, shuffled)) == canonical_json(figures(written))


@given(said=PASSES)
@settings(derandomize=True, deadline=None, max_examples=25)
def test_figures_do_not_depend_on_what_labels_and_people_are_called(said: list[tuple[str, str]]) -> None:
    other = {"yes": "no", "no": "yes", "cannot_tell": "cannot_tell"}
    found = figures(pairs(*said)).question("answer")
    relabelled = figures(pairs(*[(other[first], other[second]) for first, second in said])).question("answer")
    swapped = figures(pairs(*[(second, first) for first, second in said])).question("answer")
    assert (relabelled.percent, relabelled.alpha) == (found.percent, found.alpha)
    assert (swapped.percent, swapped.alpha, swapped.labels) == (found.percent, found.alpha, found.labels)
    assert swapped.confusions == found.confusions
    there = {each.label: each for each in found.labels}
    for each in relabelled.labels:
        twin = there[other[each.label]]
        assert (each.both, each.one, each.agreement) == (twin.both, twin.one, twin.agreement)


@given(said=PASSES)
@settings(derandomize=True, deadline=None, max_examples=25)
def test_every_missing_figure_has_a_reason_and_every_interval_holds_its_figure(said: list[tuple[str, str]]) -> None:
    answer = figures(pairs(*said)).question("answer")
    both = [measure for pair in answer.annotators for measure in (pair.percent, pair.alpha)]
    for measured in (answer.percent, answer.alpha, *both, *(each.agreement for each in answer.labels)):
        assert bool(measured.reason) == (measured.low is None)
        if measured.low is not None and measured.high is not None and measured.value is not None:
            assert measured.low <= measured.value <= measured.high
