"""Gold separation: no field of a model-visible row may say what only an evaluator may know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_GOLD_KEYS = re.compile(
    "alignment|answer|apikey|attribute|authorization|canonical|ceiling|decoy|decoys|edits|entries|entry|"
    "entrycandidates|entryvalue|evaluator|evaluatoronly|form|generation|gold|goldreconstruction|intent|label|"
    "localmirrorref|messagetransformations|obfuscationtypes|operations|pair|plain|plaintext|pool|recipe|"
    "recordseedsha256|recordsha256|resolver|risktype|ruleid|rulesource|secret|seed|severity|sitegold|siteid|"
    "skeleton|sourceprovenance|sourcesession|stages|target|targets|textgeneration|token|topic|trace|traces|"
    "transform|variantrecipeid|violationtype"
)
"""Names of gold fields, in lower case and without separators: ours, the published ones, and their like."""


def is_gold_key(key: str) -> bool:
    """Say whether a key names a gold field, however it is spelled (``goldReconstruction``, ``Gold-Reconstruction``)."""
    return bool(_GOLD_KEYS.fullmatch("".join(c for c in key.casefold() if c.isalnum())))


def gold_keys(value: Any, path: str = "") -> Iterator[str]:
    """Yield the dotted path of every gold field in a JSON value, at any depth; what lies within one is left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            where = f"{path}.{key}".lstrip(".")
            if is_gold_key(key):
                yield where
            else:
                yield from gold_keys(inner, where)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from gold_keys(inner, f"{path}.{place}".lstrip("."))


def without_gold_keys(value: Any) -> Any:
    """Return a JSON value without its gold fields."""
    if isinstance(value, dict):
        return {key: without_gold_keys(inner) for key, inner in value.items() if not is_gold_key(key)}
    if isinstance(value, list):
        return [without_gold_keys(inner) for inner in value]
    return value


def strings(value: Any) -> list[str]:
    """Return every text in a JSON value once, keys too, at any depth; hashes are left out."""
    found: dict[str, None] = {}
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str):
            found[inner] = None
        elif isinstance(inner, dict):
            found |= dict.fromkeys(inner)
            waiting += [each for key, each in inner.items() if not key.endswith("_sha256")]
        elif isinstance(inner, list):
            waiting += inner
    return list(found)
