"""Pairs for people: they are shown what a judge is shown, and nothing of faults, answers or where a report is from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_episodes import GOOD, PROMISE, bundle_of, cited, reported
from pair_sources import oracle_sources, without_gold

from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.scoring.calibration import pair_source
from riskchain_gym.scoring.calibration.faults import VARIANTS, plant
from riskchain_gym.scoring.calibration.pair_draw import DrawnPairs, draw_pairs
from riskchain_gym.scoring.calibration.pair_faults import BEARS_ON
from riskchain_gym.scoring.calibration.pair_key import encoded_key, read_key
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs, read_pairs, shown
from riskchain_gym.scoring.calibration.plant import CITING, Case, FaultKind, Planted
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.llm import LLMJudge
from riskchain_gym.scoring.judge.llm_material import MAX_VIEW_CHARACTERS
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import Answer, ClaimKind, Question
from riskchain_gym.scoring.judge.rules import RuleJudge
from riskchain_gym.scoring.redaction.audit import RedactionError

SHOWN = {
    *("claim", "kind", "place", "language", "guidance", "report", "view", "views", "missing", "cited"),
    *("ledger", "ending", "cuts"),
}


class Nobody:
    """A model that is never asked."""

    model = "nobody"

    def complete(self, request: ChatRequest) -> Reply:
        raise AssertionError("requests are looked at and not sent")


def pair_of(bundle: Bundle, question: Question, item_id: str = "a1") -> PairItem:
    return PairItem(item_id=item_id, cluster="c1", language="zh-CN", bundle=bundle, question=question)


def of_kind(bundle: Bundle, kind: ClaimKind) -> PairItem:
    return pair_of(bundle, next(question for question in questions_about(bundle) if question.kind is kind))


def texts(value: Any) -> set[str]:
    """Return all texts in a JSON value, keys of objects aside."""
    if isinstance(value, dict):
        return {text for each in value.values() for text in texts(each)}
    if isinstance(value, list):
        return {text for each in value for text in texts(each)}
    return {value} if isinstance(value, str) and value else set()


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(key for each in value.values() for key in keys(each))}
    return {key for each in value for key in keys(each)} if isinstance(value, list) else set()


def faulty_draw(seed: int = 0, count: int = 60) -> DrawnPairs:
    return draw_pairs(oracle_sources(), count=count, seed=seed, faults=0.3)


def test_people_are_shown_every_text_of_a_models_prompt_and_no_other() -> None:
    judge = LLMJudge(Nobody())
    bundle = bundle_of(reported(*GOOD, against=(cited(2, PROMISE),), note="A note."))
    for question in questions_about(bundle):
        value = shown(pair_of(bundle, question))
        prompt = judge.request(bundle, question).messages[-1].text
        assert set(value) == SHOWN
        ours = {value["kind"], value["language"], value["place"]}
        assert not {text for text in texts(value) - ours if json.dumps(text, ensure_ascii=False)[1:-1] not in prompt}
        seen = texts(value)
        for view in bundle.views:
            for line in (*view.lines, view.title):
                assert (f'"{line}"' in prompt) <= (line in seen)
        for citation in bundle.report.citations:
            assert (f'"place": "{citation.place}"' in prompt) == (
                citation.place in texts([value["cited"], value["report"]["citations"]])
            )


def test_a_claim_about_a_citation_comes_with_its_view_and_its_citation() -> None:
    value = shown(of_kind(bundle_of(reported(*GOOD)), ClaimKind.SHOWN))
    assert value["view"]["lines"] == ["结算规则", PROMISE, "专属客服另收手续费 36 元，付款以后当天到账"]
    assert (value["cited"]["quote"], value["cited"]["place"]) == (PROMISE, "evidence.0")
    assert (value["views"], value["report"]["citations"], value["ledger"], value["missing"]) == ([], [], [], "")
    assert value["report"]["decision"] == "VIOLATION"
    assert value["report"]["rule"]


def test_a_cited_control_is_named() -> None:
    bundle = bundle_of(reported(cited(1, element_id="e/rules")))
    control = bundle.views[1].controls[0]
    element = {"element_id": "e/rules", "role": "link", "name": control.name}
    assert shown(of_kind(bundle, ClaimKind.SHOWN))["cited"]["element"] == element


def test_a_claim_that_compares_comes_with_all_citations() -> None:
    value = shown(of_kind(bundle_of(reported(*GOOD)), ClaimKind.ADDS))
    assert [citation["place"] for citation in value["report"]["citations"]] == ["evidence.0", "evidence.1"]
    assert value["cited"] is None


def test_a_claim_about_the_report_comes_with_its_views_and_what_was_done() -> None:
    value = shown(of_kind(bundle_of(reported(*GOOD)), ClaimKind.STATUS_FITS))
    assert value["view"] is None
    assert [view["view"] for view in value["views"]] == [0, 1, 2]
    assert {entry["action"] for entry in value["ledger"]} == {"click", "reload", "stop"}
    assert value["ending"] == "stopped"


def test_a_view_that_is_not_there_and_what_is_too_long_are_said() -> None:
    missing = shown(of_kind(bundle_of(reported(cited(9, PROMISE))), ClaimKind.SHOWN))
    assert (missing["view"], missing["missing"]) == (None, "There is no view 9.")
    bundle = bundle_of(reported(*GOOD))
    long = bundle.views[1].model_copy(update={"lines": ("长" * (MAX_VIEW_CHARACTERS // 2 + 1),) * 3})
    cut = shown(of_kind(bundle.model_copy(update={"views": (bundle.views[0], long)}), ClaimKind.SHOWN))
    assert len(cut["view"]["lines"]) == 1
    assert cut["cuts"] == ["lines: 2 of 3 are left out"]


def test_files_of_pairs_and_keys_are_read_as_they_were_written(tmp_path: Path) -> None:
    drawn = faulty_draw()
    (tmp_path / "pairs.jsonl").write_bytes(encoded_pairs(drawn.items))
    (tmp_path / "key.jsonl").write_bytes(encoded_key(drawn.key))
    assert read_pairs(tmp_path / "pairs.jsonl") == drawn.items
    assert read_key(tmp_path / "key.jsonl") == drawn.key


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fault": "x"}, "line 2: fault"),
        ({"language": "fr"}, "line 2: language"),
        ({}, "line 2: item_id: 'a1' is there more than once"),
        (
            {"item_id": "a2", "question": {"key": "k", "kind": "shown", "claim": "c", "place": "evidence.9"}},
            "evidence.9",
        ),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(tmp_path: Path, change: dict[str, object], said: str) -> None:
    row = of_kind(bundle_of(reported(*GOOD)), ClaimKind.SHOWN).model_dump(mode="json")
    file = tmp_path / "pairs.jsonl"
    file.write_text(f"{json.dumps(row)}\n{json.dumps({**row, **change})}\n", encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        read_pairs(file)
    assert said in str(caught.value)


def test_missing_and_empty_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputFileError, match="holds no pair"):
        read_pairs(tmp_path / "empty.jsonl")
    for read in (read_pairs, read_key):
        with pytest.raises(InputFileError, match="cannot be read"):
            read(tmp_path / "nowhere.jsonl")


@settings(max_examples=12, derandomize=True, deadline=None)
@given(st.integers(0, 2**40))
def test_no_seed_lets_a_fault_an_answer_or_an_origin_into_the_pairs(seed: int) -> None:
    drawn = faulty_draw(seed)
    data = encoded_pairs(drawn.items).decode()
    assert drawn.faulty > 0
    for word in (*(variant.key for variant in VARIANTS), *FaultKind, "planted", "oracle", "mini"):
        assert word not in data
    for source in oracle_sources():
        assert source.gold is not None
        for origin in (source.trajectory.chain_id, source.site, source.gold.entry, source.gold.site.host_family):
            assert not origin or origin not in data
    for item, row in zip(drawn.items, drawn.key, strict=True):
        assert item.item_id == row.item_id
        assert row.episode not in data
    for item in drawn.items:
        assert not {"reference", "answer", "good", "fault", "expected", "note_of"} & keys(item.model_dump(mode="json"))
    assert [item.item_id for item in drawn.items] == sorted(item.item_id for item in drawn.items)


def test_a_faulty_report_looks_like_any_other() -> None:
    drawn = faulty_draw(count=120)
    faulty = {row.item_id for row in drawn.key if row.planted}
    forms = {True: set[str](), False: set[str]()}
    for item in drawn.items:
        forms[item.item_id in faulty] |= keys(item.model_dump(mode="json"))
    assert forms[True] - forms[False] == set()
    asked = {
        planted: Counter(i.question.kind for i in drawn.items if (i.item_id in faulty) is planted) for planted in forms
    }
    assert set(asked[True]) == set(asked[False]) == set(ClaimKind)


def test_a_report_is_drawn_from_in_one_version() -> None:
    drawn = faulty_draw(count=240)
    versions: dict[str, set[str]] = {}
    for item, row in zip(drawn.items, drawn.key, strict=True):
        versions.setdefault(row.episode, set()).add(item.bundle.model_dump_json())
    assert {len(found) for found in versions.values()} == {1}
    assert len(versions) == len(oracle_sources())
    assert len({row.episode for row in drawn.key if row.planted}) <= len(oracle_sources()) / 2


def test_one_seed_draws_one_set_whatever_the_order_of_the_reports() -> None:
    sources = oracle_sources()
    first = draw_pairs(sources, count=50, seed=7, faults=0.2)
    assert draw_pairs(sources[::-1], count=50, seed=7, faults=0.2) == first
    assert {item.item_id for item in draw_pairs(sources, count=50, seed=8, faults=0.2).items}.isdisjoint(
        {item.item_id for item in first.items}
    )


def test_pairs_of_one_site_are_one_cluster_in_every_draw_and_for_every_agent() -> None:
    both = (*oracle_sources(), *oracle_sources("other"))
    clusters: dict[str, set[str]] = {}
    for seed in (1, 2):
        drawn = draw_pairs(both, count=100, seed=seed)
        for item, row in zip(drawn.items, drawn.key, strict=True):
            clusters.setdefault(row.chain_id, set()).add(item.cluster)
    assert {len(found) for found in clusters.values()} == {1}
    assert len(set().union(*clusters.values())) == len(clusters)


@pytest.mark.parametrize("faults", [0.0, 0.3])
def test_kinds_and_reports_are_balanced_and_the_language_is_the_sites(faults: float) -> None:
    drawn = draw_pairs(oracle_sources(), count=60, seed=3, faults=faults)
    assert Counter(item.question.kind for item in drawn.items) == dict.fromkeys(ClaimKind, 6)
    reports = Counter(row.episode for row in drawn.key)
    assert len(reports) == len(oracle_sources())
    assert max(reports.values()) - min(reports.values()) <= 2
    languages = {s.trajectory.chain_id: s.language for s in oracle_sources()}
    assert all(i.language == languages[row.chain_id] for i, row in zip(drawn.items, drawn.key, strict=True))


def test_as_many_pairs_are_about_faults_as_asked_for_and_no_kind_is_about_nothing_else() -> None:
    drawn = draw_pairs(oracle_sources(), count=40, seed=5, faults=0.25)
    assert drawn.faulty == 10
    by_kind = drawn.by_kind()
    assert sum(n for n, _ in by_kind.values()) == 40
    assert all(about <= n / 2 for n, about in by_kind.values())
    variants = Counter(row.fault for row in drawn.key if row.fault)
    assert len(variants) >= 6
    for item, row in zip(drawn.items, drawn.key, strict=True):
        assert row.fault in ("", row.planted)
        if row.fault:
            assert item.question.kind in BEARS_ON[FaultKind(row.fault.partition("/")[0])]


def test_what_the_key_calls_a_fault_of_a_citation_is_one_and_what_was_filed_is_none() -> None:
    """The oracle's reports are right, and what text alone can tell the rule judge is sure of."""
    judge, told = RuleJudge(), Counter[tuple[bool, Answer | None]]()
    for seed in range(4):
        drawn = faulty_draw(seed, count=100)
        for item, row in zip(drawn.items, drawn.key, strict=True):
            ruling = judge.rule(item.bundle, item.question).answer
            speaks_for = ruling is item.question.good
            if not row.planted and not item.question.group:
                assert ruling in (item.question.good, Answer.CANNOT_TELL)
            elif row.fault and FaultKind(row.fault.partition("/")[0]) in CITING:
                assert not speaks_for
                told[True, ruling] += 1
    assert told[True, Answer.NO] >= 0.95 * told.total() > 0


def test_no_fault_is_planted_that_a_person_would_see_through_or_that_may_be_none() -> None:
    kinds = {row.planted.partition("/")[0] for seed in range(6) for row in faulty_draw(seed, 120).key if row.planted}
    assert not kinds & {FaultKind.EMPTY_REPORT, FaultKind.INSTRUCTING_PAGE, FaultKind.MISSING_PAGE}
    assert kinds >= {"wrong_step", "fabricated_text", "wrong_claim", "duplicate_citation", "flipped_decision"}


def planted_by(name: str) -> Iterator[tuple[pair_source.ReportSource, Planted]]:
    """Yield the oracle's reports with a fault planted, as it is planted for judges."""
    (variant,) = (each for each in VARIANTS if each.key == name)
    for source in oracle_sources():
        assert source.gold is not None
        found = plant(variant, Case(source.trajectory, source.gold), 0)
        if found is not None:
            yield source, found


def test_the_whole_report_is_only_made_wrong_where_it_was_right() -> None:
    """The opposite of a wrong decision would be a right one."""
    wrong = [replace(source, trajectory=found.trajectory) for source, found in planted_by("flipped_decision/opposite")]
    assert len(wrong) > 10
    planted = {row.planted.partition("/")[0] for row in draw_pairs(wrong, count=80, seed=0, faults=0.4).key}
    assert planted & CITING
    assert not planted & {"flipped_decision", "over_claimed_type", "omitted_contradiction"}


def test_no_planted_report_has_the_note_that_all_of_its_type_would_have() -> None:
    stock = {
        found.trajectory.report.note for _, found in planted_by("over_claimed_type/other") if found.trajectory.report
    }
    assert len(stock - {""}) == 1, "where this fails, the note need not be kept from people any more"
    notes = {item.bundle.report.note for seed in range(12) for item in faulty_draw(seed, 100).items}
    assert not notes & (stock - {""})


def test_fewer_are_drawn_where_there_are_no_more() -> None:
    few = oracle_sources()[:2]
    everything = sum(len(questions_about(bundle)) for source in few if (bundle := present(source.trajectory)))
    drawn = draw_pairs(few, count=10_000, seed=0)
    assert len(drawn.items) == everything
    assert drawn.reports == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"count": 0}, "one pair or more"),
        ({"faults": 1.5}, "from 0 to 1"),
        ({"reports": ()}, "There is no report"),
        ({"reports": without_gold(oracle_sources()), "faults": 0.1}, "whose gold is known"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_drawn_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        draw_pairs(**{"reports": oracle_sources(), "count": 10, "seed": 0, **arguments})


def test_reports_that_cannot_be_redacted_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = oracle_sources()[0].trajectory

    def refuse(trajectory: object) -> Bundle | None:
        if trajectory is broken or everything:
            raise RedactionError("Redaction left something at views.0.lines.1")
        return present(trajectory)  # type: ignore[arg-type]

    monkeypatch.setattr(pair_source, "present", refuse)
    everything = False
    drawn = draw_pairs(oracle_sources()[:4], count=40, seed=0)
    assert drawn.unshown == 1
    assert broken.chain_id not in {row.chain_id for row in drawn.key}
    everything = True
    with pytest.raises(ConfigError, match="None of the 4 reports can be redacted"):
        draw_pairs(oracle_sources()[:4], count=40, seed=0)
