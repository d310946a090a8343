"""What the oracle files is what a good reporter would: observations in its own words, and what speaks against it."""

from __future__ import annotations

import pytest

from riskchain_gym.evaluation.oracle_reports import oracle_reports
from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.report import holds_address
from riskchain_gym.protocol.trajectory import Trajectory

Pair = tuple[Trajectory, GoldChain]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return oracle_reports("mini")


def test_evidence_is_exactly_the_deciding_lines(pairs: list[Pair]) -> None:
    """Without screenshots a line that is drawn in a picture is never shown."""
    for trajectory, gold in pairs:
        assert trajectory.report is not None
        quotes = [cited.quote for cited in trajectory.report.evidence]
        assert quotes == [atom.text for atom in gold.site.deciding_atoms() if not atom.picture]


def test_every_citation_is_observed_in_own_words_with_a_fragment_of_the_line(pairs: list[Pair]) -> None:
    for trajectory, _ in pairs:
        assert trajectory.report is not None
        for cited in (*trajectory.report.evidence, *trajectory.report.counterevidence):
            before, _, fragment = cited.observation.partition("“")
            assert before.startswith("The page ")
            assert cited.quote.startswith(fragment.removesuffix("”."))
            assert len(fragment) <= 30
            assert not holds_address(cited.observation)


def test_counterevidence_is_what_was_shown_against_it_and_nothing_else(pairs: list[Pair]) -> None:
    filed = 0
    for trajectory, gold in pairs:
        assert trajectory.report is not None
        pages = trajectory.browse_steps()
        against = [atom for atom in gold.site.atoms if atom.component is Component.COUNTER and not atom.picture]
        shown = [
            atom.text
            for atom in against
            if any(p.path.partition("?")[0] == atom.path and atom.text in p.text.split("\n") for p in pages.values())
        ]
        assert [cited.quote for cited in trajectory.report.counterevidence] == shown
        filed += len(shown)
    assert filed


def test_a_limit_gives_the_first_chains_and_progress_is_told(pairs: list[Pair]) -> None:
    told: list[int] = []
    few = oracle_reports("mini", 2, told.append)
    assert few == pairs[:2]
    assert told == [1, 2]
