"""The reader's lexicon: its file, its spelling, and that it holds nothing but what ``train`` shows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.agents.explore import words
from riskchain_gym.agents.read.folding import DATA, default_folding
from riskchain_gym.agents.read.lexicon import LEXICON, default_lexicon, read_lexicon, write_lexicon
from riskchain_gym.agents.read.phrases import phrases, pieces
from riskchain_gym.fitting.gold_lines import spelling
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.yamlfile import read_yaml

SITES = content_dir("sites")
EXPLORER_WORDS = Path(words.__file__).parent / "data" / "words.yaml"
LONG = 4
"""Characters from which on a string may not come from what is held out."""

NEVER_SHOWN = "summary"
"""Key of a text for authors."""

_SLOT = re.compile(r"\[\[(.*?)\]\]")
_QUOTED = re.compile(r"'([^']*)'")


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from () if key == NEVER_SHOWN else strings_in(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from strings_in(inside)
    elif value is not None:
        yield str(value)


def wordings(text: str) -> Iterator[str]:
    """Yield a text with each of the alternatives that its slots name, a number where they name none."""
    slots = [_QUOTED.findall(slot) or ["0"] for slot in _SLOT.findall(text)]
    parts = _SLOT.split(text)[::2]
    first = [slot[0] for slot in slots]
    for place in range(max(1, len(slots))):
        for alternative in slots[place] if slots else [""]:
            filled = [alternative if i == place else each for i, each in enumerate(first)]
            yield "".join(part + fill for part, fill in zip(parts, [*filled, ""], strict=True))


def spelled(files: list[Path], banks: dict[str, list[str]]) -> str:
    texts = [text for file in files for text in strings_in(read_yaml(file))]
    texts += [text for bank in banks.values() for text in strings_in(bank)]
    return "\n".join(sorted({spelling(wording) for text in texts for wording in wordings(text)}))


@pytest.fixture(scope="module")
def content() -> tuple[str, str]:
    """What the sites of train can show, and what only sites that are held out can."""
    held_out = tomllib.loads((SITES / "pool.toml").read_text(encoding="utf-8"))["held_out"]
    family_of = {file: file.name.split(".")[0] for file in sorted((SITES / "families").glob("*.yaml"))}
    for file in sorted((SITES / "archetypes").glob("*/site*.yaml")):
        family_of[file] = read_yaml(file.parent / "site.yaml")["extends"]
    held = [file for file, family in family_of.items() if family in held_out["families"]]
    gates = sorted((SITES / "gates").glob("*/*.yaml"))
    held += [file for file in gates if file.stem in held_out["gates"]]
    known = [file for file in family_of if file not in held]
    known += [file for file in gates if file not in held] + sorted((SITES / "fillers").glob("*/*.yaml"))
    banks: dict[str, list[str]] = {}
    for file in sorted((SITES / "banks").glob("*.yaml")):
        banks |= read_yaml(file)
    used = {name: set(re.findall(r"\w+", "\n".join(f.read_text("utf-8") for f in files))) for name, files in
            (("held", held), ("known", known))}  # fmt: skip
    of_held = {name: bank for name, bank in banks.items() if name in used["held"] - used["known"]}
    of_known = {name: bank for name, bank in banks.items() if name not in of_held}
    assert len(held) > 20
    assert of_held
    return spelled(known, of_known), spelled(held, of_held)


def lexicon_strings() -> dict[str, str]:
    """Return every string of the data files that a reader or an explorer knows words from, by where it stands."""
    found = {f"{LEXICON.name}: {phrase}": phrase for phrase in default_lexicon().phrases}
    for word in strings_in([list(pair) for pair in read_yaml(DATA / "folding.yaml")["words"].items()]):
        found[f"folding.yaml: {word}"] = spelling(word)
    for word in strings_in(read_yaml(EXPLORER_WORDS)):
        found[f"{EXPLORER_WORDS.name}: {word}"] = spelling(word.removeprefix("="))
    return found


def only_held_out(strings: dict[str, str], known: str, held: str) -> list[str]:
    return [where for where, text in strings.items() if len(text) >= LONG and text in held and text not in known]


def test_no_long_string_comes_from_families_or_gates_that_train_never_shows(content: tuple[str, str]) -> None:
    assert only_held_out(lexicon_strings(), *content) == []


def test_a_string_that_only_a_held_out_family_has_would_be_found(content: tuple[str, str]) -> None:
    known, held = content
    line = next(line for line in held.split("\n") if len(line) > 12 and line not in known)
    assert only_held_out({"planted": line}, known, held) == ["planted"]


def test_file_and_lexicon_are_the_same() -> None:
    raw = LEXICON.read_text(encoding="utf-8")
    comments = [row.removeprefix("# ") for row in raw.splitlines() if row.startswith("# ")]
    lexicon = default_lexicon()
    rows = {**lexicon.phrases, "(line)": lexicon.any_line, "(phrase)": lexicon.any_phrase}
    assert write_lexicon(rows, comments) == raw


@pytest.mark.parametrize("row", ["保证金 action +2", "保证金\taction", "保证金\taction +0.5", "保证金\tacting +2"])
def test_a_malformed_row_is_named(tmp_path: Path, row: str) -> None:
    file = tmp_path / "phrases.tsv"
    file.write_text(f"# head\n返佣\tclaim +3\n{row}\n", encoding="utf-8")
    with pytest.raises(InputFileError, match="line 3"):
        read_lexicon(file)


def test_phrases_are_runs_of_characters_words_and_numbers() -> None:
    assert pieces("转 98.5 元 to my account，") == ["转", "#", "元", "to", "my", "account", "，"]
    assert [phrase for phrase in phrases("转 5 元 to my") if "to" in phrase] == [
        "转#元to",
        "#元to",
        "#元to my",
        "元to",
        "元to my",
        "to",
        "to my",
    ]


def test_spellings_of_regions_fold_into_one() -> None:
    assert default_folding().fold("請先登入並儲值") == "请先登录并充值"
