"""Getting through the gate without knowing the entry: one commit opens one gate, by the policy that is written down."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence

import pytest
from arena import Arena, Played
from hackers import ConstantRestorer
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate
from riskchain_gym.protocol.outcome import GateResult
from riskchain_gym.scoring.gate import gate

ENTRY, OTHER = "alpha.beta.test", "gamma.delta.test"

ALL, NONE = (True, True, True), (False, False, False)
HISTORICAL = (True, False, False)


def opened(result: GateResult) -> tuple[bool, bool, bool]:
    """Return what the historical, the handoff and the strict policy say; the first is g."""
    return result.passed, result.handoff, result.strict


def commit(*ranked: tuple[int, str], abstain: bool = False) -> Commit:
    return Commit(
        entry_candidates=tuple(EntryCandidate(rank=rank, value=value) for rank, value in ranked), abstain=abstain
    )


TRICKS: dict[str, tuple[str, tuple[bool, bool, bool]]] = {
    # name: (what is committed at rank 1, which policies open)
    "the entry itself": (ENTRY, ALL),
    # Spellings of the same address: whoever writes them has found it.
    "upper case": ("ALPHA.Beta.TEST", (True, True, False)),
    "trailing slash": (f"{ENTRY}/", (True, True, False)),
    "trailing dot": (f"{ENTRY}.", HISTORICAL),
    "default port": (f"{ENTRY}:443", HISTORICAL),
    "https": (f"https://{ENTRY}/", HISTORICAL),
    "empty query": (f"{ENTRY}?", HISTORICAL),
    "long s folds to s": ("alpha.beta.te\u017ft", HISTORICAL),
    # Addresses of another place that hold the entry, or look like it.
    "userinfo before it": (f"evil.at.test@{ENTRY}", NONE),
    "userinfo is it": (f"{ENTRY}@evil.at.test", NONE),
    "password": (f"a:b@{ENTRY}", NONE),
    "empty userinfo": (f"@{ENTRY}", NONE),
    "redirect": (f"evil.at.test/?to={ENTRY}", NONE),
    "redirect as path": (f"https://evil.at.test/https://{ENTRY}", NONE),
    "fragment": (f"{ENTRY}#evil.at.test", NONE),
    "query": (f"{ENTRY}?evil.at.test", NONE),
    "path": (f"{ENTRY}/evil", NONE),
    "another port": (f"{ENTRY}:8443", NONE),
    "port of http": (f"{ENTRY}:80", NONE),
    "no port at all": (f"{ENTRY}:99999", NONE),
    "http": (f"http://{ENTRY}", NONE),
    "another scheme": (f"ftp://{ENTRY}", NONE),
    "two trailing dots": (f"{ENTRY}..", NONE),
    "leading dot": (f".{ENTRY}", NONE),
    "subdomain": (f"www.{ENTRY}", NONE),
    "suffix": (f"{ENTRY}.evil.test", NONE),
    "backslash": (f"{ENTRY}\\evil.at.test", NONE),
    "backslash before @": (f"evil.at.test\\@{ENTRY}", NONE),
    "wildcard": ("*.beta.test", NONE),
    "wildcard of all": ("*", NONE),
    "pattern": (r".*\.test", NONE),
    "empty": ("", NONE),
    "blank": (" \u3000", NONE),
    "masked": ("[MASKED_SITE_1]", NONE),
    # Letters that only look like it.
    "full width": ("ａlpha.beta.test", NONE),
    "full stop, ideographic": ("alpha。beta。test", NONE),
    "full stop, full width": ("alpha．beta．test", NONE),
    "greek": ("αlpha.beta.test", NONE),
    "cyrillic": ("аlpha.beta.test", NONE),
    "circled": ("ⓐlpha.beta.test", NONE),
    "punycode": ("xn--lpha-5od.beta.test", NONE),
    "percent": ("%61lpha.beta.test", NONE),
    "zero width": ("al\u200bpha.beta.test", NONE),
    "soft hyphen": ("al\u00adpha.beta.test", NONE),
    "bidi": (f"\u202e{ENTRY}", NONE),
    "combining": ("a\u0301lpha.beta.test", NONE),
    # Several in one.
    "comma": (f"{OTHER},{ENTRY}", NONE),
    "blank between": (f"{OTHER} {ENTRY}", NONE),
    "line feed between": (f"{OTHER}\n{ENTRY}", NONE),
    "line feed within": ("alpha.\nbeta.test", NONE),
    "tab within": ("alpha.be\tta.test", NONE),
    "null at the end": (f"{ENTRY}\x00", NONE),
    "JSON": (f'["{OTHER}","{ENTRY}"]', NONE),
    "or": (f"{OTHER}|{ENTRY}", NONE),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_an_address_opens_what_the_policy_says_and_nothing_else(trick: str) -> None:
    value, expected = TRICKS[trick]
    assert opened(gate(commit((1, value)), ENTRY)) == expected


@pytest.mark.parametrize("place", range(2, MAX_CANDIDATES + 1))
def test_a_right_entry_at_a_lower_rank_opens_nothing(place: int) -> None:
    ranked = [(rank, ENTRY if rank == place else f"wrong{rank}.at.test") for rank in range(1, MAX_CANDIDATES + 1)]
    assert opened(gate(commit(*ranked), ENTRY)) == NONE


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([ENTRY, OTHER, f"{ENTRY}/", f"{OTHER}.", f"{ENTRY}@{OTHER}", f"https://{OTHER.upper()}"]),
            st.text(alphabet=st.sampled_from("alphbetgmdABſK./:@?#\\ \n0"), max_size=24),
        ),
        max_size=MAX_CANDIDATES,
    ),
    st.permutations(range(1, MAX_CANDIDATES + 1)),
    st.booleans(),
)
def test_no_commit_opens_two_gates_of_one_policy(values: list[str], ranks: list[int], abstain: bool) -> None:
    sent = commit(*zip(ranks, values, strict=False), abstain=abstain)
    for first, second in zip(opened(gate(sent, ENTRY)), opened(gate(sent, OTHER)), strict=True):
        assert not (first and second)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(st.text(max_size=20), st.integers(0, len(ENTRY)))
def test_what_is_added_to_an_entry_opens_it_only_as_a_spelling_of_it(added: str, at: int) -> None:
    value = ENTRY[:at] + added + ENTRY[at:]
    if gate(commit((1, value)), ENTRY).passed and added:
        bare = unicodedata.normalize("NFC", value).strip().casefold().removeprefix("https://")
        assert bare.rstrip("/?#").removesuffix(":443").removesuffix(":").rstrip(".") == ENTRY


ABSTAINING: dict[str, tuple[Commit, tuple[bool, bool, bool], tuple[bool, bool, bool]]] = {
    # name: (commit, where there is an entry, where the message leads nowhere)
    "names it": (commit((1, ENTRY)), ALL, NONE),
    "names it and abstains": (commit((1, ENTRY), abstain=True), (True, False, True), NONE),
    "abstains": (commit(abstain=True), NONE, ALL),
    "says nothing": (commit(), NONE, ALL),
    "names an empty entry": (commit((1, "")), NONE, NONE),
    "names an empty entry and abstains": (commit((1, ""), abstain=True), NONE, NONE),
    "names it second, nothing first": (commit((1, ""), (2, ENTRY)), NONE, NONE),
    "starts at rank two": (commit((2, ENTRY)), (True, True, False), NONE),
    "lists it first and ranks it second": (commit((2, ENTRY), (1, OTHER)), (False, True, False), NONE),
}


@pytest.mark.parametrize("trick", ABSTAINING)
def test_abstaining_wins_only_where_there_is_nothing_to_find(trick: str) -> None:
    sent, with_entry, without = ABSTAINING[trick]
    assert opened(gate(sent, ENTRY)) == with_entry
    assert opened(gate(sent, None)) == without


# -- the same where rewards are paid ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def restoring() -> Arena:
    return Arena("RiskChainRestore-v0")


ENUMERATIONS: dict[str, Callable[[list[str]], list[str]]] = {
    "five entries of the split": lambda entries: entries[1:6],
    "all in one value": lambda entries: [" ".join(entries)[:2000]],
    "the wildcard": lambda entries: ["*.*.test"],
    "one entry five times": lambda entries: [entries[1]] * MAX_CANDIDATES,
}


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_enumerating_pays_what_its_first_guess_does(restoring: Arena, name: str) -> None:
    entries = [gold.message.entry or "" for gold in restoring.gold.values()]
    values = ENUMERATIONS[name](entries)
    control = sum(entry == values[0] for entry in entries)
    sent = ConstantRestorer(*values).restore
    played = [restoring.send(chain, [sent(None).model_dump_json()]) for chain in restoring.gold]  # type: ignore[arg-type]
    assert sum(one.paid for one in played) == control <= 1


def test_more_candidates_than_five_are_a_strike(restoring: Arena) -> None:
    entries = [gold.message.entry for gold in restoring.gold.values()][:6]
    ranked = [{"rank": rank, "value": value} for rank, value in enumerate(entries, 1)]
    for candidates in (ranked, [{**each, "rank": 1} for each in ranked[:2]]):
        action = Commit().model_dump(mode="json") | {"entry_candidates": candidates}
        played = restoring.send(next(iter(restoring.gold)), [json.dumps(action)] * 3)
        assert played.paid == 0
        assert played.info["action_result"] == "invalid"
        assert not played.outcome["gate.passed"], "what strikes freeze names nothing, and opens nothing"


def test_never_naming_an_entry_is_paid_only_for_messages_without_one() -> None:
    """The control is what the rules earn on the same mix of messages, of which some lead nowhere."""
    import gymnasium as gym

    from riskchain_gym.agents.registry import load_restorer
    from riskchain_gym.protocol.message import Message

    env = gym.make("riskchain_gym:RiskChainRestore-v0", split="messages/train", order="sequential")
    rules, episodes = load_restorer("rules"), 60
    paid = {"abstains": 0.0, "rules": 0.0}
    for name in paid:
        observation, _ = env.reset(seed=0)
        for _ in range(episodes):
            message = Message.model_validate_json(observation["text"])
            sent = rules.restore(message) if name == "rules" else commit(abstain=True)
            paid[name] += float(env.step(sent.model_dump_json())[1])
            observation, _ = env.reset()
    assert 0 < paid["abstains"] < 0.25 * episodes
    assert paid["rules"] > 2 * paid["abstains"]


def test_strikes_in_place_of_a_commit_open_no_gate_even_where_nothing_is_to_be_found() -> None:
    import gymnasium as gym

    env = gym.make("riskchain_gym:RiskChainRestore-v0", split="messages/no_entry", order="sequential")
    env.reset(seed=0)
    assert env.step(commit(abstain=True).model_dump_json())[1] == 1, "the control: it looked, and said so"
    env.reset(seed=0)
    assert [env.step("{")[1] for _ in range(3)] == [0, 0, 0]


def test_the_gate_is_the_same_after_the_site_was_seen(arena: Arena, honest: Sequence[Played]) -> None:
    """A commit is sent once: what is sent in its place later is no browse action and no report."""
    one = honest[0]
    late = commit((1, arena.gold[one.trajectory.chain_id].message.entry or "")).model_dump_json()
    wrong = commit((1, "nowhere.at.test")).model_dump_json()
    played = arena.send(one.trajectory.chain_id, [wrong, late, *one.actions[1:-1], late, one.actions[-1]])
    assert not played.outcome["gate.passed"]
    assert played.outcome["end_to_end_correct"] == 0
