"""Fitting the reader's lexicon: what becomes a phrase, what gets a weight, and that the file is what train gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.agents.read.lexicon import LEXICON, read_lexicon
from riskchain_gym.benchmark.splits import load_gold, split_dir
from riskchain_gym.fitting.gold_lines import GoldLine, gold_lines, read_sites, spelling
from riskchain_gym.fitting.hinge import fit
from riskchain_gym.fitting.odds import log_odds
from riskchain_gym.fitting.phrases import LEAST_LINES, fitted_lexicon, known_phrases, main
from riskchain_gym.protocol.codebook import AnchorType, Component, ViolationType

FRAUD, GAMBLING = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT, ViolationType.GAMBLING_BETTING_PROMOTION
PAYMENT, CLAIM = AnchorType.PAYMENT_RECHARGE_OR_TRANSFER, AnchorType.VISIBLE_TEXT_OR_CLAIM


def lines() -> list[GoldLine]:
    goods = "伞杯书灯笔"
    return sorted(
        [
            *(GoldLine(f"先交保证金再领{each}", Component.ACTION, FRAUD, PAYMENT) for each in goods),
            *(GoldLine(f"充值下注赢{each}", Component.ACTION, GAMBLING, PAYMENT) for each in goods),
            *(GoldLine(f"做单返佣送{each}", Component.CLAIM, FRAUD, CLAIM) for each in goods),
            *(GoldLine(f"本店的{each}今天到货") for each in goods),
            *(GoldLine(f"再领一份{each}的目录") for each in goods),
        ],
        key=lambda line: line.text,
    )


def test_weights_say_which_part_and_which_type(tmp_path: object) -> None:
    file = tmp_path / "phrases.tsv"  # type: ignore[operator]
    file.write_text(fitted_lexicon(lines()), encoding="utf-8")
    lexicon = read_lexicon(file)
    action, claim = lexicon.weigh("先交保证金，不另通知"), lexicon.weigh("做单返佣，不另通知")
    assert max(action.parts, key=action.parts.__getitem__) is Component.ACTION
    assert max(claim.parts, key=claim.parts.__getitem__) is Component.CLAIM
    assert action.types[FRAUD] > action.types[GAMBLING]
    assert lexicon.weigh("充值下注").types[GAMBLING] > lexicon.weigh("充值下注").types[FRAUD]
    assert max(lexicon.weigh("本店的货到了").parts.values()) < 0


def test_fitting_again_gives_the_same_bytes() -> None:
    assert fitted_lexicon(lines()) == fitted_lexicon(lines())


def test_a_phrase_stands_in_enough_lines_and_is_the_shortest_of_its_kind() -> None:
    known = known_phrases(["先交保证金", "先交保证金吗", "要保证金", "要吗"])
    assert known == {"保": [0, 1, 2]}
    assert LEAST_LINES == 3


@given(st.lists(st.text("保证金返佣赔率", min_size=1, max_size=6), max_size=12))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_phrases_name_the_lines_that_hold_them_and_no_two_the_same(texts: list[str]) -> None:
    known = known_phrases(texts)
    assert len({tuple(places) for places in known.values()}) == len(known)
    for phrase, places in known.items():
        assert places == [i for i, text in enumerate(texts) if phrase in text]


def test_the_classifier_takes_what_separates_and_leaves_the_rest() -> None:
    positive = [i < 20 for i in range(60)]
    telling, noise = [i for i in range(60) if i < 20], [i for i in range(60) if i % 3 == 0]
    fitted = fit([telling, noise], positive, 0.3)
    assert fitted.weights[0] > 1
    assert fitted.weights[1] == 0
    assert fitted.bias < 0 < fitted.bias + fitted.weights[0]


def test_a_small_cost_takes_nothing() -> None:
    assert fit([[0, 1]], [True, True, False, False], 0.01).weights == (0.0,)


def test_odds_are_for_the_classes_that_a_phrase_was_met_in() -> None:
    odds = log_odds([[0, 1], [2, 3], [0, 2]], ["a", "a", "b", "b"])
    assert set(odds.by_phrase[0]) == {"a"}
    assert odds.by_phrase[0]["a"] > odds.by_phrase[2]["a"] > 0
    assert odds.by_phrase[2]["a"] == pytest.approx(odds.by_phrase[2]["b"])
    assert max(odds.by_class.values()) == 0


def test_lines_of_a_built_split_carry_what_its_gold_says() -> None:
    found = gold_lines(read_sites(split_dir("mini")))
    parts = {line.text: line for line in found if line.part}
    atoms = [atom for chain in load_gold("mini").values() for atom in chain.site.atoms]
    assert {spelling(atom.text) for atom in atoms} == set(parts)
    assert len(found) > 3 * len(parts)
    for line in parts.values():
        assert bool(line.violation_type) == (line.part in {Component.CLAIM, Component.ACTION})


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_lexicon_that_ships_is_what_train_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0
    assert f"{LEXICON} is up to date." in capsys.readouterr().err
