"""A split of one imported site whose label is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from riskchain_gym.benchmark.imported import build_imported, write_imported
from riskchain_gym.sites.replay.importer import Imported
from riskchain_gym.sites.replay.store import write_import


def write_split(made: Imported, source: Path, labels: Mapping[str, str], folder: Path) -> str:
    """Write an import and a split of it below a folder; return the split.

    Args:
        made: The import.
        source: What it was made from.
        labels: Values of the label file, by name.
        folder: Where to write.
    """
    write_import(folder / "site", made, source)
    label = folder / "site" / "label.toml"
    text = label.read_text(encoding="utf-8")
    for name, value in labels.items():
        text = text.replace(f'\n{name} = ""', f'\n{name} = "{value}"')
    label.write_text(text, encoding="utf-8")
    write_imported(build_imported([folder / "site"], "split", 1), "split", 1, folder / "split")
    return str(folder / "split")
