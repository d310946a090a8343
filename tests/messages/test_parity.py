"""Parity: our published-kind messages have the distributions that were observed on the published inputs.

The numbers are protocol A.4 (59 sessions, 354 rows of the public input file; ``official_tables.json`` →
``task1_paper_variant_counts_59_sessions`` and ``task1_token_placement_observed``). A share of ours may differ from an
observed one by 3.3 standard errors of the difference; a mean by half a code, since no spread was recorded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

import pytest

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.session import SURFACES, Session, build_session
from riskchain_gym.messages.stages.entry import KEYCAP
from riskchain_gym.messages.stages.insertions import NOISE_SYMBOLS
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import derive_key, key_from_seed
from riskchain_gym.protocol.message import Platform

OBSERVED_SESSIONS = 59
COUNTS: Mapping[str, Mapping[str, Mapping[int, int]]] = {
    "v000": {
        "codes": {8: 58, 7: 1},
        "line breaks": {0: 51, 1: 8},
        "greek": {1: 51, 2: 7, 3: 1},
        "noise": {0: 13, 1: 18, 2: 15, 3: 10, 4: 2, 5: 1},
        "keycaps": {0: 59},
    },
    "v001": {"codes": {0: 59}, "line breaks": {0: 59}, "greek": {1: 59}, "noise": {0: 59}, "keycaps": {0: 59}},
    "v002": {"codes": {0: 59}, "line breaks": {0: 59}, "greek": {2: 59}, "noise": {0: 59}, "keycaps": {0: 59}},
    "v003": {
        "codes": {10: 58, 8: 1},
        "line breaks": {0: 35, 1: 22, 2: 2},
        "greek": {1: 59},
        "noise": {0: 59},
        "keycaps": {0: 59},
    },
    "v004": {"codes": {12: 59}, "line breaks": {2: 59}, "greek": {1: 59}, "noise": {0: 59}, "keycaps": {0: 59}},
    "v005": {
        "codes": {14: 59},
        "line breaks": {13: 59},
        "greek": {2: 59},
        "noise": {0: 59},
        "keycaps": {0: 31, 1: 28},
    },
}
DOTS: Mapping[str, Mapping[str, int]] = {
    "v000": {"，": 43, ".": 16},
    "v004": {"点": 19, "，": 19, "。": 12, "．": 9},
    "v005": {"。": 19, "．": 17, "点": 13, "，": 10},
}
HOMOPHONE_ROWS = {"v001": 19, "v004": 8}
GREEK_ONLY_ROWS = {"v001": 40}
LONE_CODE_ON_THE_BLANK_LINE = 17
OPENED_BY_A_CODE = {"v000": 23, "v003": 23, "v004": 23, "v005": 23}
CODES_INSIDE_THE_ENTRY = {"v000": 2.9, "v003": 3.7, "v004": 4.6, "v005": 7.5}


@pytest.fixture(scope="module")
def sessions() -> list[Session]:
    key = derive_key(key_from_seed(2026), "parity")
    bank = load_bank(pool=Pool.TEST)
    return [build_session(key, i, platform=PAPER_PLATFORMS[i % 6], bank=bank) for i in range(600)]


def content(session: Session, variant: str) -> str:
    return session.variants[variant].messages[0].content


def edits(session: Session, variant: str, stage: str) -> tuple[Edit, ...]:
    return next((s.edits for s in session.gold.traces[variant].stages["m001"] if s.name == stage), ())


def without_codes(session: Session, variant: str) -> str:
    codes = load_bank().profiles[session.gold.platform].codes
    return re.sub("|".join(re.escape(c) for c in sorted(codes, key=len, reverse=True)), "", content(session, variant))


def inside_entry(session: Session, variant: str) -> int:
    """Codes inside the entry or directly at one of its ends, counted on the text before the codes were put in."""
    text = without_codes(session, variant)
    match = list(re.finditer(r"[a-z0-9ακω\ufe0f\u20e3，．。点.\n]*t\n?e\n?s\n?t", text))[-1]
    return sum(match.start() <= e.start <= match.end() for e in edits(session, variant, "token"))


def agrees(ours: int, total: int, observed: int, observed_total: int = OBSERVED_SESSIONS) -> bool:
    pooled = (ours + observed) / (total + observed_total)
    error = math.sqrt(max(pooled * (1 - pooled), 1e-9) * (1 / total + 1 / observed_total))
    return abs(ours / total - observed / observed_total) <= 3.3 * error + 1e-9


def assert_agrees(ours: Mapping[object, int], observed: Mapping[object, int]) -> None:
    total, seen = sum(ours.values()), sum(observed.values())
    wrong = {
        value: (ours.get(value, 0) / total, observed.get(value, 0) / seen)
        for value in {*ours, *observed}
        if not agrees(ours.get(value, 0), total, observed.get(value, 0), seen)
    }
    assert not wrong, f"shares ours / observed: {wrong}"


def measure(session: Session, variant: str) -> dict[str, int]:
    shown = content(session, variant)
    bare = without_codes(session, variant)
    return {
        "codes": len(edits(session, variant, "token")),
        "line breaks": shown.count("\n"),
        "greek": sum(c in "ακω" for c in shown),
        "noise": sum(c in NOISE_SYMBOLS for c in bare),
        "keycaps": shown.count(KEYCAP),
    }


@pytest.mark.parametrize("variant", COUNTS)
def test_counts_per_message_agree(sessions: list[Session], variant: str) -> None:
    rows = [measure(session, variant) for session in sessions]
    for what, observed in COUNTS[variant].items():
        assert_agrees(Counter(row[what] for row in rows), observed)


@pytest.mark.parametrize("variant", DOTS)
def test_dot_surrogates_agree(sessions: list[Session], variant: str) -> None:
    shown = [next((e.after for e in edits(s, variant, "dot")), ".") for s in sessions]
    assert_agrees(Counter(shown), DOTS[variant])


@pytest.mark.parametrize("variant", HOMOPHONE_ROWS)
def test_rows_with_a_sound_alike_agree(sessions: list[Session], variant: str) -> None:
    rows = sum(bool(edits(session, variant, "homophone")) for session in sessions)
    assert agrees(rows, len(sessions), HOMOPHONE_ROWS[variant]), rows / len(sessions)


def test_kinds_of_substitution_are_those_of_each_variant(sessions: list[Session]) -> None:
    def kinds(variant: str) -> set[str]:
        return {s.name for session in sessions for s in session.gold.traces[variant].stages["m001"]}

    words = {"homophone", "glyph", "split"}
    assert kinds("v001") & words == {"homophone"}
    assert kinds("v002") & words == set()
    assert kinds("v004") & words == {"homophone"}
    assert kinds("v000") & words == kinds("v003") & words == kinds("v005") & words == words


def test_most_phonetic_rows_differ_by_one_greek_letter_only(sessions: list[Session]) -> None:
    rows = sum(len(s.gold.traces["v001"].stages["m001"]) == 1 for s in sessions)
    assert agrees(rows, len(sessions), GREEK_ONLY_ROWS["v001"]), rows / len(sessions)


def test_the_wording_of_entry_encoding_is_canonical(sessions: list[Session]) -> None:
    for session in sessions:
        undone = content(session, "v002").translate(str.maketrans("ακω", "akw"))
        first, rest = str(session.gold.entry).split(".", 1)
        assert undone.replace(f"{first}，{rest}", str(session.gold.entry)) == session.gold.messages[0].text


@pytest.mark.parametrize("variant", OPENED_BY_A_CODE)
def test_codes_are_placed_as_observed(sessions: list[Session], variant: str) -> None:
    opened = sum(edits(s, variant, "token")[0].start == 0 for s in sessions)
    assert agrees(opened, len(sessions), OPENED_BY_A_CODE[variant]), opened / len(sessions)
    inside = sum(inside_entry(session, variant) for session in sessions) / len(sessions)
    assert inside == pytest.approx(CODES_INSIDE_THE_ENTRY[variant], abs=0.5)


def test_the_blank_line_holds_a_lone_code_as_often(sessions: list[Session]) -> None:
    lone = 0
    for session in sessions:
        lines = content(session, "v005").split("\n")
        bare = without_codes(session, "v005").split("\n")
        blank = next(i for i, line in enumerate(bare) if not line)
        lone += bool(lines[blank])
    assert agrees(lone, len(sessions), LONE_CODE_ON_THE_BLANK_LINE), lone / len(sessions)


def test_every_code_is_seen_and_only_of_the_own_platform(sessions: list[Session]) -> None:
    seen: dict[Platform, set[str]] = {platform: set() for platform in PAPER_PLATFORMS}
    for session in sessions:
        for variant in session.variants:
            seen[session.gold.platform] |= {e.after for e in edits(session, variant, "token")}
    assert {p: set(load_bank().profiles[p].codes) for p in PAPER_PLATFORMS} == seen


def test_platforms_and_surfaces_are_even(sessions: list[Session]) -> None:
    assert set(Counter(s.gold.platform for s in sessions).values()) == {100}
    assert Counter(s.variants["v000"].surface for s in sessions) == dict.fromkeys(SURFACES, 150)
