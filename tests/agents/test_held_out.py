"""No table of the baselines holds wording that only held-out splits have; fitted ones are as they were fitted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import held_out
import pytest

from riskchain_gym.agents.explore import words as explorer_words
from riskchain_gym.agents.read.folding import DATA as READ_DATA
from riskchain_gym.agents.read.lexicon import LEXICON, read_lexicon
from riskchain_gym.agents.restore.ngram import START, model_file, read_counts
from riskchain_gym.agents.restore.rules_lm import MODEL
from riskchain_gym.fitting.words import DATA as RESTORE_DATA
from riskchain_gym.sites.yamlfile import read_yaml

EXPLORER_WORDS = Path(explorer_words.__file__).parent / "data" / "words.yaml"
WORDLESS = {"drawn_alike.txt", "forms.txt", "glyphs.txt", "intent_weights.txt", "lookalikes.txt", "splits.txt"}
"""Tables of the restorer that hold characters or numbers."""

FIRST_IS_NO_WORD = {"intent_cues.txt", "train_words.txt", "words.txt"}
"""Tables whose rows begin with a group or a count."""

FITTED = Path(__file__).parent / "data" / "fitted.sha256"


def phrases_of(path: Path) -> list[str]:
    return list(read_lexicon(path).phrases)


def groups_of(path: Path) -> dict[str, list[str]]:
    return {group: [str(word) for word in words] for group, words in read_yaml(path).items()}


def explorer_strings(path: Path) -> list[str]:
    return [word.removeprefix("=") for words in groups_of(path).values() for word in words]


def folded_strings(path: Path) -> list[str]:
    return [text for pair in read_yaml(path)["words"].items() for text in pair]


def rows_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    for row in path.read_text("utf-8").splitlines():
        if row and not row.startswith("# "):
            words = [word.replace("_", " ") for word in row.split()]
            yield (words[0], words[1:]) if path.name in FIRST_IS_NO_WORD else ("", words)


def table_strings(path: Path) -> list[str]:
    return [word for _, words in rows_of(path) for word in words]


def trigram_strings(path: Path) -> list[str]:
    return ["".join(words).replace(START, "") for words in read_counts(path)]


WORD_TABLES = sorted(path for path in RESTORE_DATA.glob("*.txt") if path.name not in WORDLESS)
READERS = {
    LEXICON: phrases_of,
    READ_DATA / "folding.yaml": folded_strings,
    EXPLORER_WORDS: explorer_strings,
    model_file(MODEL): trigram_strings,
    **dict.fromkeys(WORD_TABLES, table_strings),
}


def giving_away(strings: Iterable[str], of: Path) -> list[str]:
    fingerprints = held_out.read_fingerprints(of)
    return sorted({text for text in strings if held_out.gives_away(text, fingerprints)})


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.name)
def test_no_table_holds_a_string_that_only_held_out_splits_have(path: Path) -> None:
    strings = READERS[path](path)
    assert len(strings) > 10
    assert giving_away(strings, held_out.ANYWHERE) == []


@pytest.mark.parametrize("path", WORD_TABLES, ids=lambda path: path.name)
def test_no_table_of_the_restorer_holds_a_string_that_only_held_out_messages_have(path: Path) -> None:
    assert giving_away(table_strings(path), held_out.IN_MESSAGES) == []


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("phrases.tsv", "has lost any capital\taction +2"),
        ("phrases.tsv", "client lists the games\tclaim +2"),
        ("words.yaml", "more: [has lost any capital]"),
        ("words.yaml", "more: [client lists the games]"),
        ("intent_cues.txt", "doubt boss_of_my"),
        ("intent_cues.txt", "doubt hung_up"),
        ("intent_cues.txt", "staff front_desk"),
        ("words.txt", "100 快递单号"),
    ],
)
def test_a_row_with_wording_of_held_out_splits_would_be_found(tmp_path: Path, name: str, row: str) -> None:
    path = next(path for path in READERS if path.name == name)
    planted = tmp_path / name
    planted.write_text(f"{path.read_text('utf-8')}\n{row}\n", encoding="utf-8")
    more = set(READERS[path](planted)).difference(READERS[path](path))
    bounds = [held_out.ANYWHERE, held_out.IN_MESSAGES] if path in WORD_TABLES else [held_out.ANYWHERE]
    assert len(more) == 1
    assert any(giving_away(more, of) for of in bounds)


def test_fitted_tables_are_as_they_were_fitted() -> None:
    """After fitting: ``sha256sum FILE ... > tests/agents/data/fitted.sha256``, in the root, with the files it names."""
    root = Path(__file__).parents[2]
    rows = [row.split("  ") for row in FITTED.read_text("utf-8").splitlines()]
    assert {root / name for _, name in rows} >= {LEXICON, model_file(MODEL), RESTORE_DATA / "train_words.txt"}
    assert [name for digest, name in rows if hashlib.sha256((root / name).read_bytes()).hexdigest() != digest] == []


def test_no_word_is_listed_twice() -> None:
    words = [
        (path.name, word)
        for path in WORD_TABLES
        if path.name not in {"choices.txt", "intent_cues.txt"}
        for word in table_strings(path)
    ]
    words += [(group, word) for group, listed in rows_of(RESTORE_DATA / "intent_cues.txt") for word in listed]
    words += [(group, word) for group, listed in groups_of(EXPLORER_WORDS).items() for word in listed]
    assert [word for word, times in Counter(words).items() if times > 1] == []


def test_no_word_of_the_explorer_is_covered_by_a_shorter_one() -> None:
    for group, words in groups_of(EXPLORER_WORDS).items():
        loose = [word for word in words if not word.startswith("=") and not word.isascii()]
        assert [(group, word) for word in words for part in loose if part != word and part in word] == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_fingerprints_are_those_of_the_splits() -> None:
    assert held_out.main(["--check"]) == 0
