"""Bundles for judges: the small site written by hand, with whatever lines and citations a test needs."""

from __future__ import annotations

from collections.abc import Mapping

from scored_episodes import trajectory

from riskchain_gym.protocol.codebook import PSEUDO_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Citation, Region, Report
from riskchain_gym.protocol.trajectory import Step, Trajectory
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.episode import judged
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import Ruling
from riskchain_gym.scoring.judge.rules import RuleJudge

PAYMENT, CLAIM = AnchorType.PAYMENT_RECHARGE_OR_TRANSFER, AnchorType.VISIBLE_TEXT_OR_CLAIM
PROMISE = "刷单返利任务：做完一单当天连本带佣返还，人人稳赚不赔"
DEPOSIT = "请先转入保证金 498 元到派单员账户，未转入不能结算"
FEE = "专属客服另收手续费 36 元，付款以后当天到账"
OPENING = "窗口时间 8:30—12:00，更新于 2026-06-15"
HOME, RULES, MINE = ("欢迎来到派单站", OPENING), ("结算规则", PROMISE, FEE), ("我的任务", DEPOSIT)


def seen(path: str, *lines: str, title: str = "", pictures: tuple[ObservedPicture, ...] = ()) -> ObservedPage:
    """Return a page whose lines stand 30 pixels apart, with one link of each line's name."""
    return ObservedPage(
        path=path,
        title=title or lines[0],
        height=2000,
        lines=tuple(
            ObservedLine(text=text, box=Region(x=20, y=30.0 * i, width=300, height=20)) for i, text in enumerate(lines)
        ),
        elements=(
            ObservedElement(element_id=f"e{path}", role="link", name=lines[-1], capabilities=Capabilities(click=True)),
        ),
        pictures=pictures,
    )


def cited(step: int, quote: str = "", anchor: AnchorType = CLAIM, **more: object) -> Citation:
    return Citation.model_validate({"step": step, "quote": quote, "anchor_type": anchor, **more})


GOOD = (cited(1, PROMISE), cited(2, DEPOSIT, PAYMENT))


def reported(
    *evidence: Citation,
    against: tuple[Citation, ...] = (),
    decision: Decision = Decision.VIOLATION,
    kind: ViolationType = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
    **more: object,
) -> Report:
    given = {
        "environment_status": EnvironmentStatus.COMPLETE,
        "decision": decision,
        "primary_violation_type": PSEUDO_TYPES.get(decision, kind),
        "evidence": evidence,
        "counterevidence": against,
        "risk_reason": "The citations add up.",
        "confidence": 3,
        "evidence_sufficiency": "INSUFFICIENT" if decision is Decision.INSUFFICIENT_EVIDENCE else "SUFFICIENT",
    }
    return Report.model_validate(given | more)


def episode(report: Report | None, pages: Mapping[int, ObservedPage] | None = None) -> Trajectory:
    """Return an episode of three views, 0 to 2, with other pages than the default ones where given."""
    views = {0: seen("/", *HOME), 1: seen("/rules", *RULES), 2: seen("/mine", *MINE)} | dict(pages or {})
    keys = {step: view.state_hash() for step, view in views.items()}

    def moved(step: Step) -> Step:
        return step if step.browse_step is None else step.model_copy(update={"page": keys[step.browse_step]})

    plain = trajectory(report)
    return plain.model_copy(
        update={
            "landing": keys[0],
            "steps": tuple(map(moved, plain.steps)),
            "pages": {keys[step]: view for step, view in views.items()},
        }
    )


def bundle_of(report: Report, pages: Mapping[int, ObservedPage] | None = None) -> Bundle:
    bundle = present(episode(report, pages))
    assert bundle is not None
    return bundle


def rulings_of(report: Report, pages: Mapping[int, ObservedPage] | None = None) -> dict[str, Ruling]:
    """Return what the rule judge says to every question, by its key."""
    return {ruling.key: ruling for ruling in judged(bundle_of(report, pages), RuleJudge())[2]}


def adverse(report: Report, pages: Mapping[int, ObservedPage] | None = None) -> tuple[str, ...]:
    """Return the points that the rule judge settles against a report."""
    return judged(bundle_of(report, pages), RuleJudge())[0].adverse
