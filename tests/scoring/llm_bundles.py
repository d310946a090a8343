"""A bundle for model judges, and a judge whose model is scripted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.fake import FakeEndpoint, Script
from riskchain_gym.llm.fake_replies import Say, say_json
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.action import ActionKind, ActionStatus
from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, Control, JudgedReport, LedgerEntry, View
from riskchain_gym.scoring.judge.questions import ClaimKind, Question

LANDING = "新人首存100送88，日返利8%"
DEPOSIT = "请先充值后提现"
PICTURE = b"\x89PNG\r\n\x1a\n" + b"picture of view one"


def bundle(*more_lines: str, quote: str = LANDING, reason: str = "The page promises returns.") -> Bundle:
    """Return a visit of two pages and a report with two citations; further lines stand on the landing view."""
    cited = [
        CitedItem(place="evidence.0", step=0, anchor_type=AnchorType.VISIBLE_TEXT_OR_CLAIM, quote=quote),
        CitedItem(place="evidence.1", step=1, anchor_type=AnchorType.PAYMENT_RECHARGE_OR_TRANSFER, quote=DEPOSIT),
    ]
    return Bundle(
        views=(
            View(step=0, state=0, title="首页", lines=(LANDING, *more_lines)),
            View(
                step=1,
                state=1,
                title="钱包",
                lines=(DEPOSIT,),
                controls=(Control(element_id="e4", role="button", name="充值"),),
            ),
            View(step=2, state=0, title="首页", lines=(LANDING, *more_lines)),
        ),
        ledger=(
            LedgerEntry(
                step=0, action=ActionKind.CLICK, element_id="e1", role="link", name="钱包", status=ActionStatus.EXECUTED
            ),
        ),
        report=JudgedReport(
            environment_status=EnvironmentStatus.COMPLETE,
            decision=Decision.VIOLATION,
            primary_violation_type=ViolationType.INVESTMENT_FINANCIAL_FRAUD,
            citations=tuple(cited),
            risk_reason=reason,
            evidence_sufficiency="SUFFICIENT",
        ),
        images={1: PICTURE},
    )


def question(
    kind: ClaimKind = ClaimKind.SHOWN, place: str = "evidence.1", step: int | None = 1, **more: Any
) -> Question:
    return Question(
        key=f"{kind}.{place}", kind=kind, claim=more.pop("claim", "View 1 shows it."), place=place, step=step, **more
    )


def says(answer: str = "yes", why: str = "It is there.") -> Say:
    return say_json({"answer": answer, "why": why})


@contextmanager
def scripted(script: Script, **settings: Any) -> Iterator[tuple[ModelClient, FakeEndpoint]]:
    """Yield a client of a scripted endpoint that never waits."""
    cache = settings.pop("cache", None)
    takes_images = settings.pop("takes_images", True)
    with FakeEndpoint(script, images=takes_images) as endpoint:
        asked = ModelSettings(**{"base_url": endpoint.base_url, "model": "scripted", "timeout": 30, **settings})
        with ModelClient(asked, api_key="test", cache=cache, sleep=lambda _: None) as client:
            yield client, endpoint


def blocks(prompt: str) -> dict[str, Any]:
    """Return the data of a prompt by block, read as strictly as its fences allow."""
    found: dict[str, Any] = {}
    lines = iter(prompt.split("\n"))
    codes = set()
    for line in lines:
        if not line.startswith("<<<open "):
            assert "<<<" not in line, line
            continue
        *name, code = line.removeprefix("<<<open ").removesuffix(">>>").split(" ")
        codes.add(code)
        end = f"<<<close {' '.join(name)} {code}>>>"
        data = "\n".join(iter(lambda: next(lines), end))
        found[" ".join(name)] = json.loads(data)
    assert len(codes) == 1
    return found


def outside(prompt: str) -> str:
    """Return what of a prompt stands outside its fences."""
    return re.sub(r"(?ms)^<<<open ([^>\n]*)>>>$.*?^<<<close \1>>>$", "", prompt)
