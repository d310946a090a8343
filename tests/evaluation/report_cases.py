"""Reports of runs made by hand, read as a browser reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from riskchain_gym.evaluation.store import MEDIA, RunFolder

HOSTILE = (
    "</script><style>*{display:none!important}</style><img src=x onerror=alert(1)>{{ 7*7 }}\u202e<!--<script>\u2028'\""
)


def index_of(page: Path) -> dict[str, Any]:
    """Return the JSON in the index, read as a browser does: up to the first end tag."""
    text = page.read_text("utf-8")
    start = text.index(">", text.index('<script type="application/json" id="index"')) + 1
    return dict(json.loads(text[start : text.index("</script", start)]))


def rows_of(page: Path) -> list[dict[str, Any]]:
    """Return the episodes of the index, each with what is said of its chain."""
    index = index_of(page)
    chains = [dict(zip(index["chains"]["fields"], row, strict=True)) for row in index["chains"]["rows"]]
    rows = [dict(zip(index["episodes"]["fields"], row, strict=True)) for row in index["episodes"]["rows"]]
    return [
        {**row, **chains[row["chain"]], "agent": index["runs"][row["run"]]["label"], "file": row["file"]}
        for row in rows
    ]


def episodes_of(page: Path) -> list[dict[str, Any]]:
    """Return the data of the episodes that the index names, each with the name of its agent."""
    return [{**loaded(page.parent / "episodes" / row["file"]), "agent": row["agent"]} for row in rows_of(page)]


def loaded(file: Path) -> dict[str, Any]:
    """Return what a data file calls the viewer with."""
    text = file.read_text("utf-8")
    assert text.startswith("riskchainEpisode(")
    assert text.endswith(");\n")
    return dict(json.loads(text[len("riskchainEpisode(") : -3]))


def images_of(run: RunFolder, media: dict[str, str]) -> dict[int, bytes]:
    """Return the bytes of an episode's screenshots by step."""
    return {int(step): (run.path / MEDIA / name).read_bytes() for step, name in media.items()}
