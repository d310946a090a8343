"""The pairwise judge: both orders, ties on disagreement, no verdict on failure, and what comes of many chains."""

from __future__ import annotations

import json

import pytest
from llm_bundles import LANDING, PICTURE, blocks, bundle, scripted

from riskchain_gym.llm.fake import FakeRequest
from riskchain_gym.llm.fake_replies import Fail, Say, say_json
from riskchain_gym.scoring.judge.pairwise import PairRuling, PairVerdict, PairwiseJudge, Side, tally

pytest.importorskip("openai")

GOOD = bundle(reason="good")
POOR = bundle("别的内容", reason="poor")


def better(letter: str) -> Say:
    return say_json({"better": letter, "why": "so"})


def prefers_good(request: FakeRequest) -> Say:
    shown = blocks(request.texts[1])
    return better("A" if shown["A report"]["risk_reason"] == "good" else "B")


def test_the_better_report_wins_in_either_place() -> None:
    with scripted(prefers_good) as (client, endpoint):
        judge = PairwiseJudge(client)
        first, second = judge.compare(GOOD, POOR), judge.compare(POOR, GOOD)
    assert (first.verdict, second.verdict) == ("first", "second")
    assert (first.forward.better, first.backward.better) == ("first", "first")
    assert json.loads(first.forward.raw)["better"] == "A"
    assert json.loads(first.backward.raw)["better"] == "B"
    assert len(endpoint.requests) == 4
    assert judge.name.startswith("llm-pairwise/scripted/")


@pytest.mark.parametrize("letter", ["A", "B", "tie"])
def test_a_model_that_goes_by_the_place_ties(letter: str) -> None:
    with scripted([better(letter)]) as (client, _):
        verdict = PairwiseJudge(client).compare(GOOD, POOR)
    assert verdict.verdict == "tie"
    assert (verdict.forward.better == verdict.backward.better) == (letter == "tie")


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("reply", [Fail(401), Say("A is better."), say_json({"better": "C", "why": ""})])
def test_a_failure_in_either_order_is_no_verdict(failing: int, reply: Say | Fail) -> None:
    script = [reply, better("A")] if failing == 0 else [better("A"), reply]
    with scripted(script) as (client, _):
        verdict = PairwiseJudge(client).compare(GOOD, POOR)
    failed = (verdict.forward, verdict.backward)[failing]
    assert (verdict.verdict, failed.better) == (None, None)
    assert failed.error
    assert failed.raw


def test_both_reports_are_shown_with_their_views_and_pictures() -> None:
    with scripted(prefers_good) as (client, endpoint):
        PairwiseJudge(client, images=True).compare(GOOD, POOR)
    request = endpoint.requests[0]
    shown = blocks(request.texts[1])
    assert [image.size for image in request.images] == [len(PICTURE)] * 2
    assert "for report B: screenshots of the views 1" in request.texts[1]
    assert shown["A views"][0]["lines"] == [LANDING]
    assert "citations" not in shown["A report"], "they are a block of their own"
    assert len(shown["A citations"]["citations"]) == 2
    assert shown["B views"][0]["lines"] == [LANDING, "别的内容"]
    assert "confidence" not in request.texts[1]


def verdicts(sides: list[Side | None]) -> dict[str, PairVerdict]:
    ruling = PairRuling(better="tie")
    return {f"c{i:03}": PairVerdict(verdict=side, forward=ruling, backward=ruling) for i, side in enumerate(sides)}


def test_many_chains_give_a_preference_with_its_interval() -> None:
    given = verdicts(["first"] * 30 + ["tie"] * 10 + ["second"] * 10 + [None] * 10)
    found = tally(given, seed=3)
    assert (found.chains, found.wins, found.ties, found.losses) == (60, 30, 10, 10)
    assert found.coverage == pytest.approx(50 / 60)
    assert found.preference == pytest.approx(0.7)
    assert found.ci95 is not None
    low, high = found.ci95
    assert 0.55 < low < 0.7 < high < 0.85
    assert tally(dict(reversed(given.items())), seed=3) == found


def test_without_verdicts_there_is_no_figure() -> None:
    nothing = tally(verdicts([None, None]), seed=0)
    assert (nothing.coverage, nothing.preference, nothing.ci95) == (0.0, None, None)
    assert tally({}, seed=0).coverage is None
