"""A small site written by hand, and episodes on it."""

from __future__ import annotations

from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, EnvironmentStatus, Intent, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, MessageGold, SiteGold
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedLine, ObservedPage
from riskchain_gym.protocol.report import Citation, Region, Report
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Step, Trajectory

FRAUD = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT
CLAIM_TEXT, ACTION_TEXT, COUNTER_TEXT = "先垫付后返利，稳赚不赔", "请先转入保证金", "平台不收取押金"


def atom(name: str, component: Component, path: str, text: str) -> EvidenceAtom:
    kind = FRAUD if component in (Component.CLAIM, Component.ACTION) else ViolationType.NONE
    return EvidenceAtom(
        atom_id=name,
        component=component,
        violation_type=kind,
        anchor=AnchorType.VISIBLE_TEXT_OR_CLAIM,
        path=path,
        text=text,
    )


GOLD = GoldChain(
    chain_id="c1",
    message=MessageGold(
        entry="alpha.beta.test",
        messages=(RestoredMessage(message_id="m001", text="打开 alpha.beta.test"),),
        intent=Intent.OPEN_SITE,
        platform=Platform.QQ,
        skeleton="s",
        topic="benign",
    ),
    site=SiteGold(
        site_id="s1",
        archetype="a",
        family="f",
        decision=Decision.VIOLATION,
        violation_type=FRAUD,
        atoms=(
            atom("claim", Component.CLAIM, "/rules", CLAIM_TEXT),
            atom("action", Component.ACTION, "/mine", ACTION_TEXT),
            atom("counter", Component.COUNTER, "/rules", COUNTER_TEXT),
        ),
        path=(),
        depth="D2",
        track="L3_STATEFUL",
    ),
)


def page(path: str, *lines: str, names: tuple[str, ...] = ()) -> ObservedPage:
    box = Region(x=0, y=0, width=100, height=20)
    return ObservedPage(
        height=900,
        path=path,
        title="t",
        lines=tuple(ObservedLine(text=t, box=box.model_copy(update={"y": 30.0 * i})) for i, t in enumerate(lines)),
        elements=tuple(
            ObservedElement(element_id=f"e{i}", role="link", name=n, capabilities=Capabilities(click=True))
            for i, n in enumerate(names)
        ),
    )


PAGES = {
    0: page("/", "首页", names=("规则",)),
    1: page("/rules", CLAIM_TEXT, COUNTER_TEXT),
    2: page("/mine", ACTION_TEXT),
}


def cite(step: int, quote: str = "", **more: object) -> Citation:
    return Citation.model_validate({"step": step, "quote": quote, "anchor_type": "VISIBLE_TEXT_OR_CLAIM", **more})


def report(*evidence: Citation, decision: Decision = Decision.VIOLATION) -> Report:
    kind = {Decision.VIOLATION: FRAUD, Decision.NON_VIOLATION: ViolationType.NONE}.get(decision, ViolationType.UNKNOWN)
    return Report(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=kind,
        evidence=evidence,
        risk_reason="r",
        confidence=4,
        evidence_sufficiency="INSUFFICIENT" if decision is Decision.INSUFFICIENT_EVIDENCE else "SUFFICIENT",
    )


def trajectory(
    final: Report | None, *, entry: str = "alpha.beta.test", status: EpisodeStatus | None = None
) -> Trajectory:
    hashes = {k: p.state_hash() for k, p in PAGES.items()}
    commit = Commit(entry_candidates=(EntryCandidate(rank=1, value=entry),))
    sent: list[tuple[Phase, str, int | None]] = [
        (Phase.RESTORE, commit.model_dump_json(), None),
        (Phase.BROWSE, '{"action": "click", "element_id": "e0"}', 1),
        (Phase.BROWSE, '{"action": "reload"}', 2),
        (Phase.BROWSE, '{"action": "stop", "stop_status": "COMPLETE"}', None),
    ]
    if final:
        sent.append((Phase.REPORT, final.model_dump_json(), None))
    steps: list[Step] = []
    for phase, action, k in sent:
        steps.append(
            Step(
                index=len(steps),
                phase=phase,
                browse_step=k,
                action=action,
                result=ActionResult(status=ActionStatus.EXECUTED),
                feedback="",
                page=None if k is None else hashes[k],
                previous=steps[-1].hash if steps else GENESIS,
            ).sealed()
        )
    return Trajectory(
        chain_id="c1",
        variant="v000",
        protocol="test",
        landing=hashes[0],
        commit=commit,
        steps=tuple(steps),
        pages={hashes[k]: p for k, p in PAGES.items()},
        report=final,
        status=status or (EpisodeStatus.REPORTED if final else EpisodeStatus.MISSING_REPORT),
    )


def resealed(good: Trajectory, index: int, **change: object) -> Trajectory:
    """Change one step and mend the chain of hashes behind it."""
    steps = [step.model_copy(update=change if i == index else {}) for i, step in enumerate(good.steps)]
    for i, step in enumerate(steps):
        steps[i] = step.model_copy(update={"previous": steps[i - 1].hash if i else GENESIS}).sealed()
    return good.model_copy(update={"steps": tuple(steps)})


BOTH = (cite(1, CLAIM_TEXT), cite(2, ACTION_TEXT))
