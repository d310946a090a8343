"""The codebook as people read it, in English and in Chinese; the names that are stored are the codebook's own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.codebook import (
    CODEBOOK_VERSION,
    CONCRETE_TYPES,
    DECISION_RULES,
    ENVIRONMENT_STATUSES,
    MIN_OTHER_NOTE,
    MINIMUM_EVIDENCE,
    PSEUDO_TYPES,
    AnchorType,
    Decision,
    EnvironmentStatus,
)
from riskchain_gym.scoring.judge.llm_prompts import guidance, rule
from riskchain_gym.scoring.judge.questions import ClaimKind


@cache
def codebook() -> Mapping[str, Any]:
    """Return the codebook as the workbench's page reads it: JSON, every text in both languages."""
    words = tomllib.loads(Path(__file__).with_name("wording.toml").read_text(encoding="utf-8"))
    untyped = tuple(PSEUDO_TYPES.values())
    return {
        "version": CODEBOOK_VERSION,
        "decisions": _named(Decision, words["decisions"]),
        "types": _named(CONCRETE_TYPES, words["types"], minimum_en=MINIMUM_EVIDENCE),
        "untyped": _named(untyped, words["untyped"], minimum_en={name: rule(name) for name in untyped}),
        "anchors": _named(AnchorType, words["anchors"]),
        "statuses": _named(EnvironmentStatus, words["statuses"], means_en=ENVIRONMENT_STATUSES),
        "claims": _named(ClaimKind, words["claims"], guidance_en={kind: guidance(kind) for kind in ClaimKind}),
        "rules_en": list(DECISION_RULES),
        "rules_zh": words["rules_zh"],
        "min_other_note": MIN_OTHER_NOTE,
    }


def _named(
    names: Iterable[StrEnum], words: Mapping[str, Mapping[str, str]], **english: Mapping[Any, str]
) -> list[dict[str, str]]:
    return [
        {"name": name.value, **words[name], **{field: texts[name] for field, texts in english.items()}}
        for name in names
    ]
