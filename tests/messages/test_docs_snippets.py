"""The Python in the page on messages runs as it stands there, one block after the other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from riskchain_gym.messages.build import build_messages, write_messages
from riskchain_gym.protocol.keyed import key_from_seed

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"


def test_every_snippet_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 6
    folder = tmp_path / "runs" / "messages"
    write_messages(folder, build_messages(key_from_seed(2026), splits=["dev"]), seed=2026)
    # In a process of its own: one block registers a technique.
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    dev, zero_width = (float(line.split()[-1].rstrip("%")) for line in printed[-3:-1])
    assert 0 < dev < 60 < zero_width, done.stdout
    assert "〔" in printed[-1]
    assert printed[-1].endswith(" 3")
