"""A content folder with families made for tests, and a small pool's plan."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from riskchain_gym.protocol.codebook import CONCRETE_TYPES
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.library import Library

SEED = 5
HELD_OUT = ("away", "beyond")
CORE = ("core0", "core1", "core2", "core3", "core4")
TYPES = CONCRETE_TYPES[:3]
GATES = ("retry", "steps")

PLAN: dict[str, Any] = {
    "sites": 150,
    "hosts": {"sizes": [4, 3, 2, 1]},
    "held_out": {"share": 0.3, "families": list(HELD_OUT), "gates": list(GATES)},
    "languages": {"zh-CN": 3, "mixed": 1},
    "decisions": {"VIOLATION": 45, "NON_VIOLATION": 35, "INSUFFICIENT_EVIDENCE": 20},
    "selection": {
        "sites": 20,
        "hosts": 12,
        "per_host": 3,
        "click_replay": 20,
        "stateful": 11,
        "decisions": {"VIOLATION": 11, "NON_VIOLATION": 7, "INSUFFICIENT_EVIDENCE": 2},
        "of_each_type": 1,
        "tolerance": {"depth": 60, "difficulty": 60, "stratum": 30, "alone": 20, "archetype": 5},
    },
    "splits": {
        "train": {"VIOLATION": 10, "NON_VIOLATION": 8, "INSUFFICIENT_EVIDENCE": 3},
        "dev": {"VIOLATION": 9, "NON_VIOLATION": 4, "INSUFFICIENT_EVIDENCE": 2},
        "ood": {"VIOLATION": 6, "NON_VIOLATION": 5, "INSUFFICIENT_EVIDENCE": 2},
        "mini": {"VIOLATION": 4, "NON_VIOLATION": 2, "INSUFFICIENT_EVIDENCE": 1},
    },
    "strata": {name: f"sector{i % 3}" for i, name in enumerate((*CORE, *HELD_OUT))},
}


def _family(stateful: bool) -> dict[str, Any]:
    return {
        "presentations": ["portal", "shop", "mobile"],
        "track": "L3_STATEFUL" if stateful else "L2_OBSERVATION",
        "fillers": [1, 2],
        "host": {"operator": {"join": ["stems", "ends"]}, "slogan": {"choice": ["慢慢来", "每天都在"]}},
        "facts": {"price": {"number": [30, 90]}},
        "pages": {
            "home": {
                "title": "[[ operator ]]",
                "nav": "首页",
                "blocks": [
                    {"kind": "hero", "title": "[[ slogan ]]"},
                    {"kind": "links", "items": [{"text": "查看规则", "to": "inner"}]},
                ],
            },
            "inner": {
                "title": "规则",
                "nav": "规则",
                "gate": "any",
                "blocks": [
                    {"kind": "heading", "text": "规则"},
                    {"kind": "text", "line": "first"},
                    {"kind": "text", "line": "second"},
                ],
            },
        },
    }


_LINES: dict[str, tuple[tuple[str, str | None, str], ...]] = {
    "VIOLATION": (
        ("甲说法", "claim", "VISIBLE_TEXT_OR_CLAIM"),
        ("乙要求", "action", "PAYMENT_RECHARGE_OR_TRANSFER"),
    ),
    "NON_VIOLATION": (
        ("丙服务", "benign", "BENIGN_SERVICE_CONSISTENCY"),
        ("丁说明", "counter", "COUNTEREVIDENCE_OR_DISCLAIMER"),
    ),
    "INSUFFICIENT_EVIDENCE": (("戊维护", "limitation", "ENVIRONMENT_LIMITATION"), ("己文字", None, "")),
}


def _member(family: str, decision: str, kind: str) -> dict[str, Any]:
    lines: dict[str, Any] = {}
    for name, (text, component, anchor) in zip(("first", "second"), _LINES[decision], strict=True):
        atom = {"atom": {"component": component, "anchor": anchor}} if component else {}
        lines[name] = {"text": f"{text} [[ price ]]", **atom}
    return {
        "extends": family,
        "summary": "A site for tests.",
        "label": {"decision": decision, "type": kind},
        "lines": lines,
    }


def pool_content(root: Path) -> Library:
    """Write the content folder, without its plan."""
    for folder in ("gates", "fillers", "themes", "components"):
        shutil.copytree(content_dir("sites") / folder, root / folder, dirs_exist_ok=True)
    for theme in sorted((root / "themes").glob("*.css"))[3:]:
        theme.unlink()
    stems = [f"{first}{second}" for first in "云山河海星月" for second in "安宁远明春秋"]
    banks: dict[str, Any] = {"stems": stems, "ends": ["社", "坊", "馆", "站", "庄", "阁"]}
    (root / "banks").mkdir(exist_ok=True)
    shutil.copy(content_dir("sites") / "banks" / "common.yaml", root / "banks")
    _dump(root / "banks" / "names.yaml", banks)
    for i, name in enumerate((*CORE, *HELD_OUT)):
        _dump(root / "families" / f"{name}.yaml", _family(stateful=i % 2 == 0))
        kind = TYPES[i % len(TYPES)]
        for suffix, decision, type_ in (
            ("v", "VIOLATION", kind),
            ("n", "NON_VIOLATION", "NONE"),
            ("u", "INSUFFICIENT_EVIDENCE", "UNKNOWN"),
        ):
            _dump(root / "archetypes" / f"{name}-{suffix}" / "site.yaml", _member(name, decision, str(type_)))
    return Library(root)


def _dump(file: Path, data: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")


def write_plan(root: Path, plan: dict[str, Any]) -> None:
    """Write a plan as TOML."""
    lines: list[str] = []

    def table(name: str, values: dict[str, Any]) -> None:
        if name:
            lines.append(f"[{name}]")
        lines.extend(f"{k} = {_toml(v)}" for k, v in values.items() if not isinstance(v, dict))
        for key, value in values.items():
            if isinstance(value, dict):
                table(f"{name}.{key}" if name else key, value)

    table("", plan)
    (root / "pool.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)
