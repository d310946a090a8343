"""Sessions: exact traces, codes of one platform only, one canonical entry, the same bytes everywhere."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.entries import ENTRY_PATTERN, new_entry
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.recipes import PAPER_RECIPES, get_recipe
from riskchain_gym.messages.session import SURFACES, Session, build_session
from riskchain_gym.messages.stages.entry import KEYCAP
from riskchain_gym.messages.techniques.registry import get_technique, register
from riskchain_gym.messages.trace import alignment, reverse
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import sha256_of

KEY = key_from_seed(2026)
SESSIONS = st.builds(
    lambda seed, index, platform: build_session(key_from_seed(seed), index, platform=platform),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(Platform),
)


def content(session: Session, variant: str) -> str:
    return session.variants[variant].messages[0].content


def edit_counts(session: Session, variant: str) -> Counter[str]:
    return Counter({s.name: len(s.edits) for s in session.gold.traces[variant].stages["m001"]})


@given(SESSIONS)
@settings(deadline=None)
def test_every_variant_reverses_and_aligns_exactly(session: Session) -> None:
    canonical = session.gold.messages[0].text
    assert list(session.variants) == list(session.gold.traces) == ["v000", "v001", "v002", "v003", "v004", "v005"]
    for variant, trace in session.gold.traces.items():
        disguised = content(session, variant)
        assert disguised != canonical
        assert reverse(disguised, trace) == canonical
        aligned = alignment(canonical, trace.stages["m001"])
        assert "".join(a.character for a in aligned) == disguised
        assert "".join(a.target for a in aligned) == canonical


@given(SESSIONS)
@settings(deadline=None)
def test_canonical_text_holds_its_entry_once_and_nothing_disguised(session: Session) -> None:
    text, entry = session.gold.messages[0].text, session.gold.entry
    assert ENTRY_PATTERN.findall(text) == [entry]
    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z]{2}\.test", entry)
    before, after = text.split(entry)
    assert re.search(r"(^|[^ ] )$", before)
    assert re.match(r"[，。！？：、；]| [^ ]", after)
    assert re.fullmatch(r"[\u4e00-\u9fff，。！？：、； ]+", before + after)


@given(SESSIONS)
@settings(deadline=None)
def test_codes_come_from_the_own_platform_never_adjacent_never_last(session: Session) -> None:
    profiles = load_bank().profiles
    own = profiles[session.gold.platform]
    foreign = {c for p in profiles.values() for c in p.codes} - set(own.codes)
    for variant, trace in session.gold.traces.items():
        disguised = content(session, variant)
        spans = own.find(disguised)
        tokens = [e.after for s in trace.stages["m001"] if s.name == "token" for e in s.edits]
        assert [disguised[a:b] for a, b in spans] == tokens
        assert all(end < start for (_, end), (start, _) in pairwise(spans))
        assert disguised[-1] in "。！？"
        assert not any(code in disguised for code in foreign if not any(code in c for c in own.codes))


@given(SESSIONS)
@settings(deadline=None)
def test_recipes_write_the_counts_and_layouts_of_the_paper(session: Session) -> None:
    def plain(variant: str) -> str:
        codes = load_bank().profiles[session.gold.platform]
        return re.sub("|".join(map(re.escape, codes.codes)), "", content(session, variant))

    counts = {variant: edit_counts(session, variant) for variant in session.variants}
    assert [counts[v]["token"] for v in ("v001", "v002", "v004", "v005")] == [0, 0, 12, 14]
    assert counts["v000"]["token"] in (7, 8)
    assert counts["v003"]["token"] in (8, 10)
    assert [counts[v]["confusable"] for v in ("v001", "v002", "v003", "v004", "v005")] == [1, 2, 1, 1, 2]
    assert [content(session, v).count("\n") for v in ("v001", "v002", "v004", "v005")] == [0, 0, 2, 13]
    first, second, _ = session.gold.entry.split(".")
    assert len(plain("v004").split("\n")[0].rpartition(" ")[2]) == len(first)
    assert len(plain("v004").split("\n")[1]) == len(second)
    assert re.match("[点，。．]test", plain("v004").split("\n")[2])
    lines = plain("v005").replace(KEYCAP, "0").split("\n")
    assert [len(line) for line in lines[1:-1]] == [1] * 5 + [0] + [1] * 6
    assert lines[6] == ""
    assert lines[9] in "点，。．"


def test_text_outside_the_entry_stays_plain_where_only_the_entry_is_encoded() -> None:
    for index in range(42):
        session = build_session(KEY, index, platform=Platform.WEIBO)
        undone = content(session, "v002").translate(str.maketrans("ακω", "akw"))
        first, rest = session.gold.entry.split(".", 1)
        assert undone.replace(f"{first}，{rest}", session.gold.entry) == session.gold.messages[0].text


def test_successive_sessions_take_all_skeletons_and_surfaces_in_turn() -> None:
    bank = load_bank(pool=Pool.DEV)
    turn = len(bank.parity_skeletons)
    sessions = [build_session(KEY, i, platform=Platform.QQ, recipes=["phonetic"], bank=bank) for i in range(2 * turn)]
    skeletons = [s.gold.skeleton for s in sessions]
    assert len(set(skeletons[:turn])) == len(set(skeletons[turn:])) == turn
    assert skeletons[:turn] != skeletons[turn:]
    surfaces = [s.variants["v000"].surface for s in sessions]
    assert all(sorted(surfaces[i : i + 4]) == sorted(SURFACES) for i in range(0, 2 * turn - 3, 4))
    assert len({tuple(surfaces[i : i + 4]) for i in range(0, 2 * turn - 3, 4)}) > 4


def test_entries_are_unique_keyed_and_offer_letters_to_replace() -> None:
    entries = [new_entry(KEY, "message", str(i)) for i in range(3600)]
    assert len(set(entries)) == 3600
    assert not set(entries) & {new_entry(key_from_seed(1), "message", str(i)) for i in range(3600)}
    assert all(sum(c in "akw" for c in e.removesuffix(".test")) >= 2 for e in entries)
    assert 0.6 < sum("0" in e for e in entries) / 3600 < 0.9
    assert {e[0] for e in entries} == set("akw")


_HASH_PROGRAM = """
from riskchain_gym.messages.session import build_session
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import sha256_of
print(sha256_of([build_session(key_from_seed(5), i, platform=p).model_dump(mode="json")
                 for i, p in enumerate(Platform)]))
"""


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_same_key_and_index_give_the_same_bytes_in_any_process(hash_seed: str) -> None:
    here = [build_session(key_from_seed(5), i, platform=p).model_dump(mode="json") for i, p in enumerate(Platform)]
    run = subprocess.run(
        [sys.executable, "-c", _HASH_PROGRAM],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == sha256_of(here)


def test_a_recipe_writes_the_same_whichever_others_are_asked_for() -> None:
    alone = build_session(KEY, 3, platform=Platform.DOUYIN, recipes=["vertical"])
    among = build_session(KEY, 3, platform=Platform.DOUYIN)
    assert list(alone.variants) == ["v000"]
    assert alone.variants["v000"] == among.variants["v005"]
    assert alone.recipes == {"v000": "vertical"}
    assert tuple(among.recipes.values()) == PAPER_RECIPES


def test_the_model_visible_message_names_neither_gold_nor_index() -> None:
    session = build_session(KEY, 3, platform=Platform.DOUYIN)
    assert set(session.variants["v000"].model_dump()) == {
        "schema_version",
        "platform",
        "surface",
        "input_view",
        "messages",
    }
    assert session.variants["v000"].messages[0].message_id == "m001"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("primry", "No recipe is named 'primry': did you mean primary"),
        ("homophones", "gives 'homophones' no severity: write 'homophones@1' to 'homophones@3'"),
        ("homophone@2", "No technique is named 'homophone': did you mean homophones"),
        ("homophones@4", "asks for homophones@4: severities go from 0"),
        ("vertical@1+vertical@2", "names 'vertical' twice"),
    ],
)
def test_a_wrong_recipe_is_refused_with_near_names(name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        build_session(KEY, 0, platform=Platform.QQ, recipes=[name])


def test_techniques_compose_in_the_order_of_their_phases() -> None:
    recipe = get_recipe("platform_codes@2+vertical@1+greek_letters@1+homophones@3+noise_symbols@0")
    assert recipe.labels == ("homophones", "greek_letters", "vertical", "platform_codes")
    assert recipe.severity == 3
    session = build_session(KEY, 0, platform=Platform.QQ, recipes=["clean", recipe.name])
    assert list(session.variants) == ["v000", "v001"]
    assert content(session, "v000") == session.gold.messages[0].text
    assert reverse(content(session, "v001"), session.gold.traces["v001"]) == session.gold.messages[0].text


def test_a_technique_name_is_registered_once() -> None:
    with pytest.raises(ConfigError, match="'vertical' is registered already"):
        register(get_technique("vertical"))


def test_manifest_versions_name_pypinyin() -> None:
    assert set(versions()) == {"pypinyin"}
