"""Planted faults: each is what it says, one fault at one place, the same for the same seed."""

from __future__ import annotations

import re

import pytest
from oracle_cases import mini_cases

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.report import Citation, Report
from riskchain_gym.scoring.calibration.faults import VARIANTS, plant
from riskchain_gym.scoring.calibration.plant import CITING, Case, FaultKind, Planted, Variant, shows
from riskchain_gym.scoring.calibration.sentences import FABRICATED, INSTRUCTIONS
from riskchain_gym.scoring.judge.present import present

BY_KEY = {variant.key: variant for variant in VARIANTS}
EDITS = ("digit", "word", "negation_inserted", "negation_removed")


def planted(variant: Variant, seed: int = 0) -> list[tuple[Case, Planted]]:
    made = ((case, plant(variant, case, seed)) for case in mini_cases())
    return [(case, copy) for case, copy in made if copy is not None]


def changed(case: Case, copy: Planted) -> tuple[str, Citation, Citation]:
    """The one citation that differs: its place, as it was and as it is."""
    before, after = case.citations(), Case(copy.trajectory, case.gold).citations()
    assert before.keys() == after.keys()
    (place,) = (place for place in before if before[place] != after[place])
    assert copy.places == {place}
    return place, before[place], after[place]


def added(case: Case, copy: Planted) -> tuple[Citation, Citation]:
    """The citation that was repeated, and its repetition."""
    before, after = case.citations(), Case(copy.trajectory, case.gold).citations()
    (new,) = after.keys() - before.keys()
    assert {place: after[place] for place in before} == before
    (old,) = copy.places - {new}
    return before[old], after[new]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.key)
def test_a_seed_gives_one_copy_that_a_judge_can_be_shown_and_leaves_the_right_report_alone(variant: Variant) -> None:
    before = [case.trajectory.model_dump_json() for case in mini_cases()]
    copies = planted(variant)
    assert copies or variant.kind is FaultKind.OMITTED_CONTRADICTION
    assert [copy.trajectory for _, copy in copies] == [copy.trajectory for _, copy in planted(variant)]
    assert [case.trajectory.model_dump_json() for case in mini_cases()] == before
    for case, copy in copies:
        assert copy.trajectory != case.trajectory
        assert present(copy.trajectory) is not None
        known = {*Case(copy.trajectory, case.gold).citations(), "report"}
        assert all(place in known or place.startswith("view.") for place in copy.places)


def test_seeds_differ() -> None:
    variant = BY_KEY["fabricated_text/word"]
    assert [copy for _, copy in planted(variant, 1)] != [copy for _, copy in planted(variant, 2)]


def test_every_kind_has_a_variant_and_near_misses_are_marked() -> None:
    assert {variant.kind for variant in VARIANTS} == set(FaultKind)
    assert len(BY_KEY) == len(VARIANTS)
    assert {variant.kind for variant in VARIANTS if variant.near} <= CITING


@pytest.mark.parametrize("name", ["neighbour", "far"])
def test_a_wrong_step_was_observed_and_does_not_show_the_quote(name: str) -> None:
    for case, copy in planted(BY_KEY[f"wrong_step/{name}"]):
        _, before, after = changed(case, copy)
        assert after.model_copy(update={"step": before.step}) == before
        assert not shows(case.trajectory.browse_steps()[after.step], after.quote)
        distance = abs(after.step - before.step)
        assert distance == 1 if name == "neighbour" else distance >= 3


@pytest.mark.parametrize("name", ["sentence", *EDITS])
def test_a_fabricated_quote_is_not_shown_and_nothing_else_changes(name: str) -> None:
    for case, copy in planted(BY_KEY[f"fabricated_text/{name}"]):
        _, before, after = changed(case, copy)
        assert after.model_copy(update={"quote": before.quote}) == before
        assert not shows(case.trajectory.browse_steps()[after.step], after.quote)


@pytest.mark.parametrize("name", EDITS)
def test_near_misses_change_little(name: str) -> None:
    for case, copy in planted(BY_KEY[f"fabricated_text/{name}"]):
        _, before, after = changed(case, copy)
        longer, shorter = sorted((before.quote, after.quote), key=len, reverse=True)
        if name == "digit":
            pairs = [(a, b) for a, b in zip(before.quote, after.quote, strict=True) if a != b]
            assert len(pairs) == 1
            assert all(sign.isdigit() for sign in pairs[0])
        elif name == "word":
            same = [part for part in re.split(r"([A-Za-z]+|.)", before.quote) if part]
            other = [part for part in re.split(r"([A-Za-z]+|.)", after.quote) if part]
            assert sum(a != b for a, b in zip(same, other, strict=True)) == 1
        else:
            assert (longer == after.quote) == (name == "negation_inserted")
            start = next(i for i in range(len(longer)) if longer[: i + 1] != shorter[: i + 1])
            assert shorter[start:] == longer[start + len(longer) - len(shorter) :]
            assert len(longer) - len(shorter) <= 6


@pytest.mark.parametrize("name", ["elsewhere", "same_view", "number"])
def test_a_wrong_claim_changes_the_observation_alone(name: str) -> None:
    for case, copy in planted(BY_KEY[f"wrong_claim/{name}"]):
        _, before, after = changed(case, copy)
        assert after.model_copy(update={"observation": before.observation}) == before
        if name == "number":
            assert re.sub(r"\d", "0", after.observation) == re.sub(r"\d", "0", before.observation)
            continue
        (other,) = {c.quote for c in case.citations().values() if c.observation == after.observation}
        assert shows(case.trajectory.browse_steps()[after.step], other) is (name == "same_view")


@pytest.mark.parametrize("name", ["exact", "part", "other_view"])
def test_a_duplicate_says_nothing_new_and_is_shown(name: str) -> None:
    for case, copy in planted(BY_KEY[f"duplicate_citation/{name}"]):
        before, new = added(case, copy)
        assert shows(case.trajectory.browse_steps()[new.step], new.quote)
        if name == "part":
            assert new.quote in before.quote
            assert len(new.quote) < len(before.quote)
        else:
            assert new.model_copy(update={"step": before.step}) == before
            assert (new.step == before.step) == (name == "exact")


def test_an_empty_report_cites_nothing() -> None:
    for case, copy in planted(BY_KEY["empty_report/nothing"]):
        assert Case(copy.trajectory, case.gold).citations() == {}


@pytest.mark.parametrize("kind", [FaultKind.OVER_CLAIMED_TYPE, FaultKind.FLIPPED_DECISION])
def test_another_label_still_follows_the_codebook_and_is_wrong(kind: FaultKind) -> None:
    for variant in (variant for variant in VARIANTS if variant.kind is kind):
        for case, copy in planted(variant):
            report = Report.model_validate(copy.trajectory.report.model_dump() if copy.trajectory.report else {})
            gold = case.gold.site
            assert (report.evidence, report.counterevidence) == (case.report.evidence, case.report.counterevidence)
            assert (report.decision is gold.decision) == (kind is FaultKind.OVER_CLAIMED_TYPE)
            assert report.primary_violation_type not in {gold.violation_type, *gold.secondary_types}
            assert gold.decision is not Decision.INSUFFICIENT_EVIDENCE


def test_what_speaks_against_is_left_out_only_where_there_is_some() -> None:
    copies = planted(BY_KEY["omitted_contradiction/all"])
    with_some = [case for case in mini_cases() if case.report.counterevidence]
    assert [case for case, _ in copies] == with_some
    assert all(copy.trajectory.report and not copy.trajectory.report.counterevidence for _, copy in copies)


def test_an_early_end_leaves_only_what_was_seen_before() -> None:
    for case, copy in planted(BY_KEY["missing_page/last"]):
        pages, seen = case.trajectory.browse_steps(), copy.trajectory.browse_steps()
        missing = pages.keys() - seen.keys()
        assert missing == set(range(len(seen), len(pages)))
        left = Case(copy.trajectory, case.gold).citations().values()
        assert left
        assert all(cited.step in seen for cited in left)
        assert any(cited.step in missing for cited in case.report.evidence)


@pytest.mark.parametrize("language", INSTRUCTIONS)
def test_an_instructing_page_is_one_page_with_one_line_more(language: str) -> None:
    for case, copy in planted(BY_KEY[f"instructing_page/{language}"]):
        _, _, after = changed(case, copy)
        before, page = (t.browse_steps()[after.step] for t in (case.trajectory, copy.trajectory))
        (line,) = (line.text for line in page.lines if line not in before.lines)
        assert line in INSTRUCTIONS[language]
        assert not shows(page, after.quote)
        assert len(copy.trajectory.browse_steps()) == len(case.trajectory.browse_steps())
        assert all(page.state_hash() == key for key, page in copy.trajectory.pages.items())


def test_invented_sentences_and_instructions_stand_on_no_page() -> None:
    sentences = [line for known in (FABRICATED, INSTRUCTIONS) for lines in known.values() for line in lines]
    for case in mini_cases():
        for page in case.trajectory.browse_steps().values():
            assert not any(shows(page, sentence) for sentence in sentences)


def test_an_episode_without_a_report_takes_no_fault() -> None:
    case = mini_cases()[0]
    silent = Case(case.trajectory.model_copy(update={"report": None}), case.gold)
    with pytest.raises(ValueError, match="has no report to plant a fault in"):
        plant(BY_KEY["wrong_step/far"], silent, 0)
