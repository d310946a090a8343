"""Intervals of message figures against plain resampling with Python's own generator, and what has no interval."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_messages import ENTRY, OTHER, commit, gold_row

from riskchain_gym.scoring.message_intervals import MessageResamples, Unit
from riskchain_gym.scoring.message_scores import summarize_messages
from riskchain_gym.scoring.messages import ScoredMessage, score_commits

REPLICATES = 60
FIGURES = [
    name for name in type(summarize_messages(score_commits([gold_row("a")], {}))).model_fields
    if name not in {"messages", "sessions", "missing", "with_entry", "without_entry", "untouched", "several_variants"}
]  # fmt: skip


def made(cases: Sequence[tuple[int, int, bool, int | None]]) -> tuple[ScoredMessage, ...]:
    """Return scored messages: number of the session, of its skeleton, whether it has an entry, what was restored."""
    rows, commits = [], {}
    seen: dict[int, tuple[int, bool, int]] = {}
    for session, skeleton, has_entry, answer in cases:
        skeleton, has_entry, variant = seen.get(session, (skeleton, has_entry, 0))
        seen[session] = skeleton, has_entry, variant + 1
        row = gold_row(
            f"s{session}", f"v{variant:03d}", skeleton=f"k{skeleton}", entry=ENTRY if has_entry else None,
            edits={} if variant == 1 else {"m001": gold_row("x").trace.stages["m001"]},
        )  # fmt: skip
        rows.append(row)
        if answer is not None:
            named = [[], [ENTRY], [OTHER, ENTRY], [OTHER]][answer]
            commits[row.sample_id] = commit(*named, text="0123456789"[: 10 - answer])
    return score_commits(rows, commits)


def plain(
    scored: Sequence[ScoredMessage], cluster: Callable[[ScoredMessage], str], seed: int
) -> dict[str, tuple[float, float]]:
    """Return the intervals as the definitions have them: draw, put the messages together, score them anew."""
    clusters: dict[str, list[ScoredMessage]] = {}
    for each in scored:
        clusters.setdefault(cluster(each), []).append(each)
    names = sorted(clusters)
    rng = random.Random(seed)
    drawn: list[dict[str, Any]] = []
    for _ in range(REPLICATES):
        sample: list[ScoredMessage] = []
        for again in range(len(names)):
            for each in clusters[names[rng.randrange(len(names))]]:
                row = each.row.model_copy(update={"session_id": f"{each.row.session_id}/{again}"})
                sample.append(each._replace(row=row))
        drawn.append(summarize_messages(sample).model_dump())
    ends: dict[str, tuple[float, float]] = {}
    for name in FIGURES:
        known = sorted(figures[name] for figures in drawn if figures[name] is not None)
        if len(known) >= 0.95 * REPLICATES:
            places = [(len(known) - 1) * share for share in (0.025, 0.975)]
            low, high = (
                known[int(p)] + (known[min(int(p) + 1, len(known) - 1)] - known[int(p)]) * (p % 1) for p in places
            )
            ends[name] = low, high
    return ends


@given(
    cases=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 5), st.booleans(), st.sampled_from([None, 0, 1, 2, 3])),
        min_size=4,
        max_size=24,
    ),
    seed=st.integers(0, 2**40),
    unit=st.sampled_from(["session", "skeleton"]),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_intervals_are_those_of_sets_drawn_and_scored_one_by_one(
    cases: list[tuple[int, int, bool, int | None]], seed: int, unit: Unit
) -> None:
    scored = made(cases)
    found = MessageResamples(scored, unit, seed=seed, replicates=REPLICATES).intervals(scored)
    by = (lambda each: each.row.session_id) if unit == "session" else (lambda each: each.row.skeleton)
    expected = plain(scored, by, seed)
    assert found.clusters == len({by(each) for each in scored})
    if found.clusters == 1:
        assert found.ends == {}
        return
    assert found.ends.keys() == expected.keys()
    for name, ends in found.ends.items():
        assert ends == pytest.approx(expected[name], abs=1e-12)


def test_intervals_by_skeleton_hold_sessions_of_one_wording_together() -> None:
    cases = [(session, session // 10, True, 1 if session // 10 % 2 else 3) for session in range(100)]
    scored = made(cases)
    widths = {}
    for unit in ("session", "skeleton"):
        low, high = MessageResamples(scored, unit).intervals(scored).ends["entry_top1"]
        assert low < 0.5 < high
        widths[unit] = high - low
    assert widths["skeleton"] > 2 * widths["session"]


def test_figures_of_too_few_units_have_no_interval() -> None:
    cases = [(session, session, session > 1, 1) for session in range(40)]
    scored = made(cases)
    resamples = MessageResamples(scored, "skeleton", replicates=500)
    whole = resamples.intervals(scored)
    assert summarize_messages(scored).false_entry == 1
    assert "false_entry" not in whole.ends  # two sessions of forty: one sample in eight has neither
    assert "entry_top1" in whole.ends
    assert resamples.intervals(scored[5:6]).ends == {}
    assert MessageResamples(scored[5:6], "session").intervals(scored[5:6]).ends == {}


def test_messages_without_a_skeleton_stand_for_themselves() -> None:
    scored = score_commits([gold_row(f"s{i}", skeleton="") for i in range(8)], {})
    mixed = score_commits([gold_row(f"s{i}", skeleton="k" if i < 4 else "") for i in range(8)], {})
    assert MessageResamples(mixed, "skeleton", replicates=2).clusters == 5
    found = MessageResamples(scored, "skeleton", replicates=20).intervals(scored)
    assert (found.unit, found.clusters) == ("session", 8)


def test_a_paired_difference_leaves_out_what_both_have_in_common() -> None:
    # The second model fails where the first does and in two messages more: alone their intervals are far wider.
    first = made([(i, i, True, 1 if i % 2 else 3) for i in range(40)])
    second = made([(i, i, True, 1 if i % 2 and i > 4 else 3) for i in range(40)])
    resamples = MessageResamples(first, "session")
    difference = resamples.differences(first, second)["entry_top1"]
    assert (difference.first, difference.second) == (20 / 40, 18 / 40)
    assert difference.difference == pytest.approx(2 / 40)
    assert difference.low is not None
    assert difference.high is not None
    assert 0 <= difference.low < difference.difference < difference.high < 0.15
    other_way = resamples.differences(second, first)["entry_top1"]
    assert (other_way.low, other_way.high) == pytest.approx((-difference.high, -difference.low))
    assert all(each.low == each.high == 0 for each in resamples.differences(first, first).values())
    with pytest.raises(ValueError, match="the same messages in the same order"):
        resamples.differences(first, second[1:])
