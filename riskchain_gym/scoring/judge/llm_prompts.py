"""The prompts of the model judges: files beside the code, known by their hash."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib import resources
from string import Template

from riskchain_gym.protocol.codebook import MINIMUM_EVIDENCE, ViolationType
from riskchain_gym.scoring.judge.questions import ClaimKind

_FILES = ("judge_question.txt", "judge_system.txt", "pairwise_question.txt", "pairwise_system.txt", "words.toml")


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt file.

    Args:
        name: File name inside ``prompts/``.
    """
    return resources.files(__package__).joinpath("prompts", name).read_text(encoding="utf-8")


def filled(name: str, **values: str) -> str:
    """Return a prompt file with its ``$names`` filled in; what is filled in is not looked at again."""
    return Template(prompt(name)).substitute(values)


def guidance(kind: ClaimKind) -> str:
    """Return how a claim of a kind is to be checked."""
    return _words()["guidance"][kind.value]


def rule(violation_type: ViolationType) -> str:
    """Return what the codebook asks before a type may be reported."""
    return MINIMUM_EVIDENCE.get(violation_type) or _words()["rule"][violation_type.value]


def prompts_hash(*settings: object) -> str:
    """Return the SHA-256 of all prompts and of whatever else makes one judge another.

    Args:
        settings: Versions and switches; their text counts.
    """
    parts = [*(prompt(name) for name in _FILES), *(str(setting) for setting in settings)]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads(prompt("words.toml"))
