"""Small hand-made chains, as values and as a split folder, for tests that must not depend on real content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.splits import GOLD, MANIFEST, PUBLIC, SplitManifest
from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, EnvironmentStatus, Intent, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, MessageGold, SiteGold
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.report import Citation, Report
from riskchain_gym.sites.compiled import CompiledSite

VARIANTS = ("v000", "v001", "v002")
RECIPES = ("primary", "phonetic", "layout")
CLAIM = "充值返利三倍，当天到账"
ACTION = "请先转账 500 元"


def entry_of(ordinal: int) -> str:
    return f"akw00{ordinal}.pw.test"


def make_chain(ordinal: int = 0) -> tuple[PublicChain, GoldChain]:
    """A fraud site (even ordinals) or a harmless one (odd), behind a message in three disguises."""
    chain_id = f"chain{'abcdefghij'[ordinal]}"
    fraud = ordinal % 2 == 0
    message = {
        name: Message(
            platform=Platform.WEIBO,
            surface=Surface.COMMENT,
            messages=(
                ChatMessage(message_id="m001", content=f"加\u3000威[doge]信 ακω00{ordinal}，pw.te{i}️⃣st\n看看🎁"),
            ),
        )
        for i, name in enumerate(VARIANTS)
    }
    public = PublicChain(
        chain_id=chain_id,
        variants=message,
        recipes=dict(zip(VARIANTS, RECIPES, strict=True)),
        site=make_site(ordinal, CLAIM if fraud else "本站公示活动规则"),
    )
    decision = Decision.VIOLATION if fraud else Decision.NON_VIOLATION
    kind = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT if fraud else ViolationType.NONE
    anchor = AnchorType.VISIBLE_TEXT_OR_CLAIM
    atoms = (
        (
            EvidenceAtom(
                atom_id="a1", component=Component.CLAIM, violation_type=kind, anchor=anchor, path="/offer", text=CLAIM
            ),
            EvidenceAtom(
                atom_id="a2", component=Component.ACTION, violation_type=kind, anchor=anchor, path="/done", text=ACTION
            ),
        )
        if fraud
        else (
            EvidenceAtom(
                atom_id="a1", component=Component.BENIGN, anchor=anchor, path="/offer", text="本站公示活动规则"
            ),
        )
    )
    gold = GoldChain(
        chain_id=chain_id,
        message=MessageGold(
            entry=entry_of(ordinal),
            messages=(RestoredMessage(message_id="m001", text=f"加微信 {entry_of(ordinal)} 看看"),),
            intent=Intent.OPEN_SITE,
            platform=Platform.WEIBO,
            skeleton="plain",
            topic="gift",
        ),
        site=SiteGold(
            site_id=public.site.site_id,
            archetype="hand-made",
            family="hand_made",
            decision=decision,
            violation_type=kind,
            atoms=atoms,
            path=(),
            depth="D2",
            track="L3_STATEFUL",
        ),
    )
    return public, gold


def make_site(ordinal: int, claim: str) -> CompiledSite:
    """Landing page, an offer with a form, what comes after it, and a page with a file."""
    return CompiledSite.model_validate(
        {
            "site_id": f"site{ordinal}",
            "operator": f"示例站{ordinal}",
            "slogan": "随便看看",
            "lang": "zh-CN",
            "look": {"presentation": "portal", "theme": "bold", "hue": 200, "art_seed": 7},
            "nav": [{"text": "首页", "to": "/"}, {"text": "活动", "to": "/offer"}],
            "state": {"joined": False, "round": 0},
            "pages": {
                "/": {
                    "title": "首页",
                    "blocks": [
                        {"kind": "heading", "text": "欢迎"},
                        {
                            "kind": "links",
                            "items": [{"text": "进入活动", "to": "offer"}, {"text": "文件", "to": "files"}],
                        },
                        {"kind": "button", "text": "刷新回合", "do": "turn"},
                        {"kind": "text", "text": "第 {{ round }} 回合"},
                    ],
                },
                "/offer": {
                    "title": "活动",
                    "blocks": [
                        {"kind": "text", "text": claim},
                        {
                            "kind": "form",
                            "title": "报名",
                            "fields": [
                                {"name": "phone", "label": "手机号", "type": "tel", "placeholder": "11 位"},
                                {"name": "city", "label": "城市", "type": "select", "options": ["", "甲城", "乙城"]},
                                {"name": "level", "label": "意愿", "type": "range"},
                                {"name": "agree", "label": "同意条款", "type": "checkbox"},
                            ],
                            "submit": "提交",
                            "do": "join",
                        },
                    ],
                },
                "/done": {"title": "结果", "blocks": [{"kind": "text", "text": ACTION}]},
                "/files": {
                    "title": "文件",
                    "blocks": [{"kind": "download", "text": "下载说明", "file": "readme.txt"}],
                },
            },
            "actions": {
                "/join": {
                    "checks": [
                        {"field": "phone", "rule": "1[0-9]{10}", "error": "请填写手机号"},
                        {"field": "agree", "checked": True, "error": "请先同意条款"},
                    ],
                    "set": {"joined": True},
                    "go": "/done",
                },
                "/turn": {"set": {"round": "{{ round + 1 }}"}},
            },
        }
    )


def write_split(folder: Path, count: int = 4) -> str:
    """Write a split folder and return the name that ``split=`` takes."""
    chains = [make_chain(i) for i in range(count)]
    files = {
        PUBLIC: "".join(f"{canonical_json(public)}\n" for public, _ in chains),
        GOLD: "".join(f"{canonical_json(gold)}\n" for _, gold in chains),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    manifest = SplitManifest(
        split=folder.name,
        origin="open",
        seed=1,
        chains=count,
        decisions={},
        archetypes={},
        versions={},
        sha256={name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(), encoding="utf-8")
    return str(folder)


def commit_text(entry: str, message_id: str = "m001") -> str:
    commit = Commit(
        reconstructed_messages=(RestoredMessage(message_id=message_id, text="加微信"),),
        intent=Intent.OPEN_SITE,
        platform=Platform.WEIBO,
        entry_candidates=(EntryCandidate(rank=1, value=entry),),
    )
    return commit.model_dump_json()


def action_text(action: str, element_id: str | None = None, **more: object) -> str:
    given = {"action": action, **({"element_id": element_id} if element_id else {}), **more}
    return json.dumps(given)


def stop_text() -> str:
    return action_text("stop", stop_status="COMPLETE")


def report_text(decision: Decision, quote: str, step: int = 0, **more: object) -> str:
    kind = {
        Decision.VIOLATION: ViolationType.FRAUD_DECEPTIVE_INDUCEMENT,
        Decision.NON_VIOLATION: ViolationType.NONE,
        Decision.INSUFFICIENT_EVIDENCE: ViolationType.UNKNOWN,
    }[decision]
    insufficient = decision is Decision.INSUFFICIENT_EVIDENCE
    report = Report(
        environment_status=EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=kind,
        evidence=(Citation(step=step, anchor_type=AnchorType.VISIBLE_TEXT_OR_CLAIM, quote=quote, **more),),
        risk_reason="因为看到了这些内容",
        confidence=4,
        evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
    )
    return report.model_dump_json()
