"""The page on environments of arrays: its Python runs, and it names every feature."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from riskchain_gym.agents.restore.proposal_features import CONTEXT_NAMES, FEATURE_NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "arrays.md").read_text(encoding="utf-8")


def test_every_snippet_of_arrays_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 2
    code = "\n".join(blocks).replace("pool=512", "pool=16")
    check = "\nprint(env.reset(seed=1)[0]['action_mask'].sum())"
    done = subprocess.run(
        [sys.executable, "-c", code + check], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) >= 1


def test_every_feature_is_in_the_docs() -> None:
    named = set(re.findall(r"`([a-z_0-9…]+)`", PAGE))
    for name in (*FEATURE_NAMES, *CONTEXT_NAMES):
        stem = re.sub(r"_\d+$", "_0", name)
        opening, _, rest = name.partition("_")
        assert {stem, name, f"{opening}_…"} & named, name
        if opening in ("from", "rank", "undone"):
            assert rest in named, name
