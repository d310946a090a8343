"""Restored messages by what they are."""

from __future__ import annotations

from scored_messages import ENTRY, commit, gold_row

from riskchain_gym.protocol.message import Platform
from riskchain_gym.scoring.message_groups import GROUPINGS, group_messages
from riskchain_gym.scoring.message_scores import summarize_messages
from riskchain_gym.scoring.messages import score_commits


def test_a_message_counts_for_every_technique_of_its_recipe() -> None:
    rows = [
        gold_row("a", recipe="homophones@1+zero_width@3", severity=3),
        gold_row("b", recipe="zero_width@2"),
        gold_row("c", recipe="primary", severity=None, topic="", form="split", platform=Platform.WEIBO),
    ]
    scored = score_commits(rows, {"a--v000": commit(ENTRY)})
    groups = {by: {name: len(group) for name, group in group_messages(by, scored).items()} for by in GROUPINGS}
    assert groups == {
        "technique": {"homophones": 1, "primary": 1, "zero_width": 2},
        "family": {"PHONETIC": 1, "UNICODE_VISUAL": 2, "published": 1},
        "recipe": {"homophones@1+zero_width@3": 1, "primary": 1, "zero_width@2": 1},
        "variant": {"v000": 3},
        "severity": {"2": 1, "3": 1, "none": 1},
        "form": {"single": 2, "split": 1},
        "topic": {"betting": 2, "none": 1},
        "language": {"zh": 3},
        "platform": {"qq": 2, "weibo": 1},
    }
    assert summarize_messages(group_messages("technique", scored)["zero_width"]).entry_top1 == 1 / 2


def test_a_message_is_once_in_a_family_and_unknown_techniques_have_one_of_their_own() -> None:
    rows = [
        gold_row("a", recipe="zero_width@1+full_width@2"),
        gold_row("b", recipe="clean"),
        gold_row("c", recipe="imported"),
        gold_row("d", recipe="of_my_own@1"),
    ]
    groups = group_messages("family", score_commits(rows, {}))
    named = {name: [each.row.session_id for each in group] for name, group in groups.items()}
    assert named == {"UNICODE_VISUAL": ["a"], "clean": ["b"], "imported": ["c"], "other": ["d"]}
