"""What the tests of the official formats share: a text of odd characters, files of rows, a commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.message import Platform

CONTENT = "请看 κab，cd.test　。\u2028第二行\n0️⃣"

COMMIT = Commit(
    reconstructed_messages=(RestoredMessage(message_id="m001", text="请看 kab.cd.test。"),),
    intent=Intent.OPEN_SITE,
    platform=Platform.QQ,
    entry_candidates=(EntryCandidate(rank=1, value="kab.cd.test", confidence=0.9),),
    uncertainties=("点的位置不明",),
)


def half_pair(row: Any) -> bool:
    """Whether UTF-8 cannot hold the row as it is, so that it must be written with escapes."""
    return any("\ud800" <= character <= "\udfff" for character in json.dumps(row, ensure_ascii=False))


def write(path: Path, *rows: Any) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=half_pair(row)) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
