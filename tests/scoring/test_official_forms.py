"""The published normal form of texts and the hash of rows, by value."""

from __future__ import annotations

import pytest

from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.scoring.text import normalize_text


def test_hash_of_a_row() -> None:
    """T071: sorted keys, compact separators, non-ASCII kept, UTF-8."""
    row = {
        "schema_version": "x",
        "sample_id": "demo--v000",
        "messages": [{"message_id": "m001", "role": "sender", "content": "打开 a.b.test。"}],
    }
    assert sha256_of(row) == "9c78ac57f24ba3291f644b2971dc00775d7bca3a06d05fcc311d4718a38cc3e0"


@pytest.mark.parametrize(("text", "normal"), [(" a　b ", "a　b"), ("Ａ1", "Ａ1")])
def test_normal_form(text: str, normal: str) -> None:
    """T074 and T075."""
    assert normalize_text(text) == normal
