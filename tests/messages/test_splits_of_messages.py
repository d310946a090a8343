"""Message splits: each is what its plan says, for ever the same, and none shares anything with another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations, islice

import pytest

from riskchain_gym.messages import compose
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.drafts import Unit, draft_unit, unique_drafts
from riskchain_gym.messages.entries import EntryStyle, entry_prior
from riskchain_gym.messages.lexicon import TABLES
from riskchain_gym.messages.menu import CARRIERS
from riskchain_gym.messages.plan import Draft
from riskchain_gym.messages.plans import PAPER_PLATFORMS, PLANS, get_plan
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES, get_recipe
from riskchain_gym.messages.session import SURFACES, Session
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.splits import iter_sessions, session_of, sessions_with, write_unit
from riskchain_gym.messages.techniques.base import Phase, Technique
from riskchain_gym.messages.techniques.published import TECHNIQUES as PUBLISHED
from riskchain_gym.messages.techniques.registry import get_technique
from riskchain_gym.messages.tokens import held_out_codes
from riskchain_gym.messages.trace import reverse
from riskchain_gym.messages.turns import in_turn
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Platform, Surface

KEY = key_from_seed(2026)
WRITTEN = 120
PAPER = {technique.name for technique in PUBLISHED}


@pytest.fixture(scope="module")
def drafts() -> dict[str, list[Draft]]:
    """Every draft of a build with 600 training sessions."""
    counts = {name: plan.sessions for name, plan in PLANS.items()} | {"train": 600}
    return {name: [d for unit in units for d in unit] for name, units in unique_drafts(KEY, counts).items()}


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Session]]:
    """The first so many sessions of every split."""
    return {name: list(islice(iter_sessions(name, KEY), WRITTEN)) for name in PLANS}


def units(split: str, count: int) -> Iterator[tuple[Unit, tuple[Session, ...]]]:
    plan = get_plan(split)
    for number in range(count):
        unit = draft_unit(plan, KEY, number)
        yield unit, write_unit(plan, KEY, unit)


def techniques_of(found: Iterable[Session]) -> set[Technique]:
    names = {recipe for session in found for recipe in session.recipes.values() if "@" in recipe}
    return {get_technique(step.split("@")[0]) for name in names for step in name.split("+")}


def codes_of(found: Iterable[Session]) -> set[str]:
    stages = (s for session in found for t in session.gold.traces.values() for m in t.stages.values() for s in m)
    return {edit.after for stage in stages for edit in stage.edits if edit.rule.startswith("token:")}


def test_test_is_the_published_kind(drafts: dict[str, list[Draft]], sessions: dict[str, list[Session]]) -> None:
    found = drafts["test"]
    assert Counter(d.plain.platform for d in found) == dict.fromkeys(PAPER_PLATFORMS, 100)
    assert Counter(d.plain.surface for d in found) == dict.fromkeys(SURFACES, 150)
    assert all(d.plain.skeleton.is_parity and d.plain.skeleton.pool is Pool.TEST for d in found)
    assert {d.recipes for d in found} == {PAPER_RECIPES}
    assert all(len(s.variants) == 6 and set(s.gold.ceilings.values()) == {1.0} for s in sessions["test"])
    assert sum(len(s.variants) for s in sessions["test"]) * 600 / WRITTEN == 3600


def test_hard_is_beyond_the_paper_severe_and_restorable(
    drafts: dict[str, list[Draft]], sessions: dict[str, list[Session]]
) -> None:
    found = drafts["hard"]
    assert len(found) == 600
    assert sum(d.plain.skeleton.language == "en" for d in found) >= 60
    assert sum(d.plain.skeleton.form is not Form.SINGLE for d in found) >= 100
    assert {d.plain.skeleton.form for d in found} == set(Form) - {Form.NO_ENTRY}
    assert Counter(d.plain.platform for d in found) == dict.fromkeys(Platform, 75)
    assert Counter(d.plain.surface for d in found) == dict.fromkeys(Surface, 120)
    for session in sessions["hard"]:
        (name,) = session.recipes.values()
        assert list(session.variants) == ["v000"]
        assert session.gold.ceilings["v000"] >= 0.9
        steps = [step.split("@") for step in name.split("+")]
        assert all(int(severity) >= 2 for _, severity in steps)
        chosen = [get_technique(technique) for technique, _ in steps]
        assert any(t.phase is Phase.ENTRY and t.name not in PAPER for t in chosen)
        stages = {s.name for m in session.gold.traces["v000"].stages.values() for s in m}
        assert stages == set(get_recipe(name).labels)
    assert {t.held_out for t in techniques_of(sessions["hard"])} == {True, False}


def test_train_goes_on_for_ever_and_shows_all_there_is_to_learn(sessions: dict[str, list[Session]]) -> None:
    far = [session_of("train", KEY, index) for index in range(10**12, 10**12 + WRITTEN)]
    assert not {s.gold.entry for s in far} & {s.gold.entry for s in sessions["train"]} - {None}
    for found in (sessions["train"], far):
        assert {s.gold.form for s in found} == set(Form)
        assert {s.gold.language for s in found} == {"zh", "en"}
        assert Surface.LIVE_CHAT in {m.surface for s in found for m in s.variants.values()}
        recipes = [name for s in found for name in s.recipes.values()]
        assert CLEAN in recipes
        assert set(recipes) & set(PAPER_RECIPES)
        assert {get_recipe(name).severity for name in recipes} == {None, 0, 1, 2, 3}


def test_what_is_held_out_is_in_ood_and_never_in_training(sessions: dict[str, list[Session]]) -> None:
    seen = [*sessions["train"], *sessions["dev"]]
    held_out = held_out_codes(load_bank().profiles)
    assert codes_of(sessions["ood"])
    assert codes_of(sessions["ood"]) <= held_out
    assert not codes_of(seen) & held_out
    assert not any(t.held_out for t in techniques_of(seen))
    for session in sessions["ood"]:
        chosen = techniques_of([session])
        assert any(t.held_out for t in chosen)
        assert {t.name for t in chosen if not t.held_out} <= CARRIERS
    assert not set(PAPER_RECIPES) & {name for s in sessions["ood"] for name in s.recipes.values()}


def test_three_of_ten_dev_sessions_have_a_published_recipe(drafts: dict[str, list[Draft]]) -> None:
    published = [d for d in drafts["dev"] if set(d.recipes) & set(PAPER_RECIPES)]
    assert len(drafts["dev"]) == 600
    assert 0.26 < len(published) / 600 < 0.34
    assert {d.recipes for d in published} == {(name,) for name in PAPER_RECIPES}


def test_an_entry_is_of_the_published_style_only_under_a_published_recipe(drafts: dict[str, list[Draft]]) -> None:
    for draft in (d for found in drafts.values() for d in found if d.plain.entry is not None):
        is_published = bool(set(draft.recipes) & set(PAPER_RECIPES))
        assert draft.plain.style is (EntryStyle.PAPER if is_published else EntryStyle.OPEN)
        assert entry_prior(draft.plain.entry or "", draft.plain.style) > 0


def test_controls_are_clean_or_lead_nowhere(sessions: dict[str, list[Session]]) -> None:
    for session in sessions["clean"]:
        (message,) = session.variants.values()
        assert [m.content for m in message.messages] == [m.text for m in session.gold.messages]
    assert {s.gold.entry is None for s in sessions["clean"]} == {True, False}
    for session in sessions["no_entry"]:
        (message,) = session.variants.values()
        assert session.gold.entry is None
        assert [m.content for m in message.messages] != [m.text for m in session.gold.messages]


def test_every_drawn_recipe_has_left_its_marks_and_every_trace_leads_back(sessions: dict[str, list[Session]]) -> None:
    for split, found in sessions.items():
        for session in found:
            for variant, trace in session.gold.traces.items():
                shown = {m.message_id: m.content for m in session.variants[variant].messages}
                assert {i: reverse(c, trace, i) for i, c in shown.items()} == {
                    m.message_id: m.text for m in session.gold.messages
                }
                recipe = get_recipe(trace.recipe)
                marks = {s.name for m in trace.stages.values() for s in m}
                if "@" in trace.recipe:
                    assert marks == set(recipe.labels) if split != "train" else marks or recipe.ambiguous


def test_the_halves_of_a_pair_differ_in_their_attribute_only() -> None:
    attributes: Counter[str] = Counter()
    for (one, two), (first, second) in units("contrast", 80):
        assert one.pair == two.pair
        assert one.attribute == two.attribute
        attributes[one.attribute] += 1
        assert (one.plain.platform, one.plain.surface) == (two.plain.platform, two.plain.surface)
        same_recipe = first.recipes == second.recipes
        assert same_recipe == (one.attribute != "disguise")
        assert min(*first.gold.ceilings.values(), *second.gold.ceilings.values()) >= 0.9
        texts = [[m.text for m in s.gold.messages] for s in (first, second)]
        if one.attribute == "disguise":
            assert first.recipes["v000"] == CLEAN
            assert one.plain == two.plain
            assert first.variants != second.variants
        elif one.attribute == "letter":
            differing = [
                pair for a, b in zip(*texts, strict=True) for pair in zip(a, b, strict=True) if len({*pair}) > 1
            ]
            assert [set(pair) for pair in differing] in ([{"0", "o"}], [{"1", "l"}])
            assert first.variants != second.variants
            assert one.plain.skeleton == two.plain.skeleton
        else:
            assert one.addresses == two.addresses
            assert one.plain.skeleton != two.plain.skeleton
            assert one.plain.skeleton.pair == two.plain.skeleton.pair
            assert first.gold.model_dump(include={"intent", "topic"}) == second.gold.model_dump(
                include={"intent", "topic"}
            ) or one.attribute in ("intent", "topic")
    assert attributes.total() >= 40
    assert set(attributes) == {"meant", "intent", "topic", "polarity", "language", "form", "disguise", "letter"}


def test_splits_share_neither_skeletons_nor_addresses(drafts: dict[str, list[Draft]]) -> None:
    skeletons = {name: {d.plain.skeleton.name for d in found} for name, found in drafts.items()}
    addresses = {name: {a for d in found for a in d.addresses} for name, found in drafts.items()}
    for one, two in combinations(PLANS, 2):
        assert not skeletons[one] & skeletons[two]
        assert not addresses[one] & addresses[two]
    for name, found in drafts.items():
        per_pair = {(d.pair or str(place), address) for place, d in enumerate(found) for address in d.addresses}
        assert len({address for _, address in per_pair}) == len(per_pair), name


def test_pools_share_no_word_pair(sessions: dict[str, list[Session]]) -> None:
    tables = {table.removesuffix("s") for table in TABLES}
    pairs: dict[Pool, set[tuple[str, str]]] = defaultdict(set)
    for name, found in sessions.items():
        pool = get_plan(name).pool
        for trace in (trace for session in found for trace in session.gold.traces.values()):
            for edit in (e for m in trace.stages.values() for stage in m for e in stage.edits if e.rule in tables):
                pairs[pool].add((edit.before, edit.after))
    assert set(pairs) == set(Pool)
    for one, two in combinations(pairs, 2):
        assert not pairs[one] & pairs[two]


def test_every_skeleton_comes_before_any_comes_again(drafts: dict[str, list[Draft]]) -> None:
    for name, plan in PLANS.items():
        if plan.unit > 1:
            continue
        for stratum in plan.strata:
            members = {skeleton.name for skeleton in plan.skeletons(stratum)}
            taken = [d.plain.skeleton.name for d in drafts[name] if stratum.takes(d.plain.skeleton)]
            assert len(taken) == len(drafts[name]) * stratum.parts / sum(s.parts for s in plan.strata)
            for start in range(0, len(taken), len(members)):
                turn = taken[start : start + len(members)]
                assert len(set(turn)) == len(turn)
            assert set(taken) == members or len(taken) < len(members)


def test_turns_hold_everything_once_in_an_order_of_their_own() -> None:
    items = tuple("abcdefghijkl")
    turns = ["".join(in_turn(KEY, "x", items, 12 * turn + place) for place in range(12)) for turn in range(50)]
    assert all("".join(sorted(turn)) == "abcdefghijkl" for turn in turns)
    assert len(set(turns)) > 25
    assert {turn[0] for turn in turns} == set(items)


def test_one_session_is_the_same_alone_as_among_others(sessions: dict[str, list[Session]]) -> None:
    for name, found in sessions.items():
        assert session_of(name, KEY, 7) == found[7]
    assert session_of("train", key_from_seed(1), 7) != sessions["train"][7]


def test_a_taken_address_is_drawn_again_whichever_splits_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = compose.new_entry

    def crowded(*arguments: object, **keywords: object) -> str:
        entry = draw(*arguments, **keywords)  # type: ignore[arg-type]
        return f"{entry[0]}{entry[1]}{entry[2]}aa.bc.test"

    monkeypatch.setattr(compose, "new_entry", crowded)
    counts = {"test": 600, "hard": 600, "train": 60}
    together = unique_drafts(KEY, counts)
    entries = [a for found in together.values() for unit in found for d in unit for a in d.addresses]
    assert len(set(entries)) == len(entries)
    assert any("redraw 1" in unit[0].label for unit in together["hard"])
    assert unique_drafts(KEY, {"hard": 600})["hard"] == together["hard"]
    assert unique_drafts(KEY, {"train": 20})["train"] == together["train"][:20]


def test_splits_end_where_their_plan_says_but_for_the_endless_one() -> None:
    ends = {
        name: sum(1 for _ in iter_sessions(name, KEY, plan.sessions - 2))
        for name, plan in PLANS.items()
        if not plan.endless
    }
    assert ends == dict.fromkeys(PLANS.keys() - {"train"}, 2)
    assert next(iter_sessions("train", KEY, 10**9)) == session_of("train", KEY, 10**9)


def test_a_recipe_of_ones_own_is_written_on_the_sessions_that_it_suits() -> None:
    own = [s.gold for s in islice(sessions_with("train", KEY, "full_pinyin@2+zero_width@1"), 60)]
    drawn = [s.gold for s in islice(iter_sessions("train", KEY), 80) if s.gold.language == "zh"]
    assert [gold.messages for gold in own] == [gold.messages for gold in drawn[:60]]
    assert {gold.traces["v000"].recipe for gold in own} == {"full_pinyin@2+zero_width@1"}
    assert len(list(sessions_with("contrast", KEY, "zero_width@3"))) == 160
    with pytest.raises(ConfigError, match="Recipe 'leet@2' works on en, split 'test' is written in zh: choose another"):
        next(sessions_with("test", KEY, "leet@2"))


def test_an_unknown_split_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"no message split 'hrad'. Did you mean 'hard'"):
        session_of("hrad", KEY, 0)


def test_a_bank_that_lacks_a_stratum_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskchain_gym.messages.plan._skeletons", lambda pool, stratum: ())
    with pytest.raises(
        ConfigError, match=r"Split 'dev' needs skeletons for its part '[a-z]+', but pool 'dev' has none"
    ):
        session_of("dev", KEY, 0)
