"""The gate under the three published policies (protocol B.6 and the published expectations T036-T047)."""

import pytest
from entry_policies import PUBLISHED

from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.scoring.gate import gate

ENTRY = "alpha.beta.test"


def commit(*values: str, ranks: tuple[int, ...] | None = None, abstain: bool = False) -> Commit:
    ranks = ranks or tuple(range(1, len(values) + 1))
    return Commit(
        entry_candidates=tuple(EntryCandidate(rank=r, value=v) for r, v in zip(ranks, values, strict=True)),
        abstain=abstain,
    )


@pytest.mark.parametrize(
    ("value", "historical", "handoff", "strict"),
    [
        *PUBLISHED,
        ("user@alpha.beta.test", False, False, False),
        ("[MASKED_SITE_1]", False, False, False),
        ("https://[alpha", False, False, False),
        ("", False, False, False),
    ],
)
def test_policies_agree_with_the_published_table(value: str, historical: bool, handoff: bool, strict: bool) -> None:
    result = gate(commit(value), ENTRY)
    assert (result.passed, result.handoff, result.strict) == (historical, handoff, strict)


def test_a_lower_rank_never_repairs_the_gate() -> None:
    result = gate(commit("wrong.beta.test", ENTRY), ENTRY)
    assert (result.passed, result.handoff, result.strict) == (False, False, False)
    assert result.candidate == "wrong.beta.test"


def test_the_lowest_rank_counts_even_if_it_is_not_one() -> None:
    result = gate(commit(ENTRY, ranks=(2,)), ENTRY)
    assert (result.passed, result.strict) == (True, False)


def test_the_order_of_the_list_matters_only_to_the_handoff() -> None:
    result = gate(commit("wrong.beta.test", ENTRY, ranks=(2, 1)), ENTRY)
    assert (result.passed, result.handoff, result.strict) == (True, False, True)


def test_abstaining_closes_the_gate_only_for_the_handoff() -> None:
    result = gate(commit(ENTRY, abstain=True), ENTRY)
    assert (result.passed, result.handoff, result.strict) == (True, False, True)


def test_no_candidate_closes_it_everywhere() -> None:
    result = gate(Commit(), ENTRY)
    assert (result.passed, result.handoff, result.strict, result.candidate) == (False, False, False, None)


def test_a_malformed_canonical_entry_is_an_error() -> None:
    with pytest.raises(ValueError, match="three-label"):
        gate(commit(ENTRY), "not a three-label .test name")


@pytest.mark.parametrize("abstain", [False, True])
def test_without_an_entry_the_gate_is_open_to_who_names_none(abstain: bool) -> None:
    result = gate(commit(abstain=abstain), None)
    assert (result.passed, result.handoff, result.strict, result.candidate) == (True, True, True, None)


@pytest.mark.parametrize("abstain", [False, True])
def test_without_an_entry_any_candidate_closes_the_gate(abstain: bool) -> None:
    result = gate(commit("wrong.beta.test", ENTRY, ranks=(3, 2), abstain=abstain), None)
    assert (result.passed, result.handoff, result.strict, result.candidate) == (False, False, False, ENTRY)
