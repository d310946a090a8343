"""Credentials and private paths: none stands in any text of inputs, gold or alignment."""

from __future__ import annotations

import re
from typing import Any

from riskchain_gym.messages.audit.folder import AuditedFolder, Line
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.audit.separation import gold_keys, strings

_NOT_IN_A_WORD = r"(?<![A-Za-z0-9_-])"
PRIVATE = {
    "a service key": rf"{_NOT_IN_A_WORD}(?:sk|pk|rk)-(?:[a-z]+-)*[A-Za-z0-9_]{{16,}}",
    "a repository token": rf"{_NOT_IN_A_WORD}(?:gh[opsur]_[A-Za-z0-9]{{20,}}|github_pat_\w{{20,}}|glpat-[\w-]{{16,}})",
    "a cloud key": rf"{_NOT_IN_A_WORD}(?:A(?:KI|SI)A[0-9A-Z]{{16}}|AIza[\w-]{{30,}}|LTAI[A-Za-z0-9]{{12,}})",
    "a hub token": rf"{_NOT_IN_A_WORD}(?:hf_[A-Za-z0-9]{{20,}}|xox[abeoprs]-[A-Za-z0-9-]{{10,}})",
    "a bearer token": r"(?i)\bbearer\s+[a-z0-9._~+/-]{16,}",
    "a signed token": rf"{_NOT_IN_A_WORD}eyJ[\w-]{{8,}}\.eyJ[\w-]{{8,}}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a named secret": r"(?i)\b(?:api[_-]?key|secret|access[_-]?token|passwd|password)\s*[:=]\s*['\"]?[a-z0-9_./+-]{8,}",
    "a private path": r"(?<![\w.])(?:/(?:home|root|Users)/[\w.-]+|[A-Za-z]:\\Users\\)",
}
"""What is looked for, by what it is called."""

_PATTERNS = {name: re.compile(pattern) for name, pattern in PRIVATE.items()}


def check_private(folder: AuditedFolder) -> Findings:
    """No text has the shape of a credential or names a private path."""
    found = Findings("rows")
    for split in folder.splits:
        lines: tuple[Line[Any], ...] = (*split.inputs, *(split.gold or ()), *(split.alignment or ()))
        for line in lines:
            found.count += 1
            text = "\n".join(strings(line.raw))
            for name, pattern in _PATTERNS.items():
                if match := pattern.search(text):
                    found.add(f"{split.name} {line.name}", f"holds {name}: {match.group()[:12]}…")
    return found


def check_separation(folder: AuditedFolder) -> Findings:
    """No field of an input, at any depth, has the name of a gold field."""
    found = Findings("inputs")
    for split in folder.splits:
        for line in split.inputs:
            found.count += 1
            for path in gold_keys(line.raw):
                found.add(f"{split.name} {line.name}", f"holds the gold field '{path}'")
    return found
