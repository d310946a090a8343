"""Chains by what they are, and the figures of each group."""

from __future__ import annotations

import pytest

from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation import strata as module
from riskchain_gym.evaluation.score import clusters, load_scores
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.strata import DIMENSIONS, by_stratum, in_order, strata_of
from riskchain_gym.protocol.codebook import Decision


def test_every_chain_has_its_strata_in_every_dimension_that_is_known() -> None:
    gold = load_gold("mini")
    found = strata_of("mini")
    # All messages of mini are disguised as published, and those recipes have no severity.
    assert list(found) == [name for name in DIMENSIONS if name != "severity"]
    for strata in found.values():
        assert strata.keys() == gold.keys()
    for chain, bundle in gold.items():
        assert found["recipe"][chain] == ("primary",)
        assert set(found["gate"][chain]) == (set(bundle.site.gates) or {"none"})
        assert len(found["type"][chain]) == (bundle.site.decision is Decision.VIOLATION)


def test_strata_stand_in_their_own_order_and_none_comes_last() -> None:
    assert in_order(["D3", "none", "D0", "D2"]) == ["D0", "D2", "D3", "none"]
    assert in_order(["slider", "none", "chat"]) == ["chat", "slider", "none"]
    assert in_order(["3", "none", "0", "2"]) == ["0", "2", "3", "none"]
    assert in_order(["hard", "easy", "medium"]) == ["easy", "medium", "hard"]
    assert in_order(["zero_width@1", "vertical", "clean", "braille@2", "primary"]) == [
        *("primary", "vertical", "clean", "braille@2", "zero_width@1")
    ]


def test_what_nobody_knows_of_imported_sites_is_no_dimension(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = {
        chain: bundle.model_copy(update={"site": bundle.site.model_copy(update={"archetype": "imported", "gates": ()})})
        for chain, bundle in load_gold("mini").items()
    }
    monkeypatch.setattr(module, "load_gold", lambda _: gold)
    found = strata_of("mini")
    assert {"gate", "archetype", "difficulty"}.isdisjoint(found)
    assert {"recipe", "depth", "decision"} <= found.keys()


def test_the_figures_of_strata_add_up_to_those_of_the_whole(frozen: dict[str, RunFolder]) -> None:
    run = frozen["rules+explorer"]
    scores = load_scores(run)
    found = by_stratum(scores.outcomes, strata_of("mini")["decision"])
    assert list(found) == list(Decision)
    assert sum(each.chains for each in found.values()) == len(scores.outcomes)
    right = sum((each.web_accuracy or 0) * each.chains for each in found.values())
    assert right == pytest.approx((scores.summary.web_accuracy or 0) * scores.summary.chains)
    assert by_stratum(scores.outcomes, {}) == {}


def test_intervals_of_strata_are_drawn_over_their_own_websites(frozen: dict[str, RunFolder]) -> None:
    websites = clusters(load_gold("mini"))["website"]
    outcomes = load_scores(frozen["oracle"]).outcomes
    (alone,) = by_stratum(outcomes, {each.chain_id: ["all"] for each in outcomes}, websites).values()
    assert alone.intervals == load_scores(frozen["oracle"]).summary.intervals[:1]
