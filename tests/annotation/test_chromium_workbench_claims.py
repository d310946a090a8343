"""The workbench's page in a real Chromium: claims, said plainly, with what they are about in sight."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")

from page_kit import CLAIMED, claims
from playwright.sync_api import expect

from riskchain_gym.annotation.wording import codebook
from riskchain_gym.scoring.judge.bundle import LedgerEntry, View
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

pytestmark = pytest.mark.browser

FAR_DOWN = CLAIMED.model_copy(
    update={
        "bundle": CLAIMED.bundle.model_copy(
            update={"views": (View(step=0, state=0, title="稳盈", lines=("行",) * 200 + ("每日返利 8%",)),)}
        )
    }
)
WHOLE = CLAIMED.model_copy(
    update={
        "bundle": CLAIMED.bundle.model_copy(
            update={
                "views": tuple(View(step=i, state=i, title=f"页{i}", lines=("行",) * (i + 1)) for i in range(4)),
                "ledger": (
                    LedgerEntry(step=0, action="click", role="link", name="关于", status="no_state_change"),
                    LedgerEntry(step=1, action="scroll_down", status="executed"),
                ),
                "ending": "step_budget",
            }
        ),
        "question": Question(
            key="status_fits",
            kind="status_fits",
            place="report",
            claim="The environment status COMPLETE (all that matters can be looked at) fits the views and the ledger.",
        ),
    }
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_kind_of_claim_is_put_plainly(language):
    told = codebook()["claims"]
    assert [entry["name"] for entry in told] == [kind.value for kind in ClaimKind]
    for stem in (language, f"guidance_{language}"):
        assert all(entry[stem].strip() for entry in told)
    assert all(entry[language].endswith("?" if language == "en" else "？") for entry in told)
    if language == "zh":
        assert all(re.search(r"[\u4e00-\u9fff]", entry[stem]) for entry in told for stem in ("zh", "guidance_zh"))


def test_the_plain_question_and_the_names_stand_beside_the_claim(tmp_path, open_page):
    with claims(tmp_path / "pairs", CLAIMED) as address:
        bench = open_page(address)
        expect(bench.get("plain-question")).to_have_text("Does the page really show what is cited?")
        expect(bench.get("claim")).to_have_text(CLAIMED.question.claim)
        shown = bench.get("pair-view")
        expect(shown).to_contain_text("Citation 1 (for) evidence.0")
        expect(shown).to_contain_text("Violation VIOLATION")
        expect(shown).to_contain_text("Investment and financial fraud INVESTMENT_FINANCIAL_FRAUD")
        expect(shown).to_contain_text("Visible text or claim VISIBLE_TEXT_OR_CLAIM")
        bench.get("language").select_option("zh")
        expect(bench.get("plain-question")).to_have_text("页面上真的有引用的内容吗？")
        expect(bench.get("claim")).to_have_text(CLAIMED.question.claim)
        expect(shown).to_contain_text("引用 1（支持） evidence.0")
        expect(shown).to_contain_text("违规 VIOLATION")
        expect(shown).to_contain_text("既有投资、贷款、返利或收益的说法")


def test_the_cited_words_are_in_sight_and_page_keys_turn_the_page(tmp_path, open_page):
    with claims(tmp_path / "pairs", FAR_DOWN) as address:
        bench = open_page(address)
        expect(bench.get("pair-lines").locator("mark")).to_be_in_viewport()
        at = bench.get("pair-view").evaluate("(node) => node.scrollTop")
        bench.press("y")
        bench.press("PageUp")
        expect(bench.get("pair-lines").locator("mark")).not_to_be_in_viewport()
        assert bench.get("pair-view").evaluate("(node) => node.scrollTop") < at


def test_of_a_whole_visit_the_first_page_is_open_and_the_others_are_counted(tmp_path, open_page):
    with claims(tmp_path / "pairs", WHOLE) as address:
        bench = open_page(address)
        expect(bench.get("pair-views")).to_contain_text("4 views")
        pages = bench.get("pair-view").locator("details:has([data-testid=pair-lines])")
        expect(pages).to_have_count(4)
        assert pages.evaluate_all("(all) => all.map((each) => each.open)") == [True, False, False, False]
        expect(pages.nth(3).locator("summary").first).to_contain_text("4 lines")
        expect(bench.get("task")).to_contain_text("COMPLETE")
        bench.get("language").select_option("zh")
        expect(bench.get("ledger")).to_contain_text("点击 链接 关于 (没有变化)")
        expect(bench.get("pair-view")).to_contain_text("操作次数已用完")
        expect(bench.get("task").locator(".glossary")).to_have_text("COMPLETE完整")
