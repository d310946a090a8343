"""Traces are exact: what a stage wrote can be taken back and aligned, and nothing else passes for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskchain_gym.messages.trace import Aligned, Operation, TraceError, alignment, apply, reverse, undo
from riskchain_gym.protocol.gold import Edit, Stage, Trace

SHORT = st.text("ab联系.κ\n\ufe0f", max_size=3)


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, tuple[Stage, ...]]:
    canonical = draw(st.text("ab联系.κ\n", min_size=1, max_size=12))
    text, stages = canonical, []
    for number in range(draw(st.integers(0, 4))):
        edits, at = [], 0
        while at <= len(text) and draw(st.booleans()):
            start = draw(st.integers(at, len(text)))
            before = text[start : draw(st.integers(start, min(len(text), start + 3)))]
            edits.append(Edit(start=start, before=before, after=draw(SHORT), rule="any"))
            at = start + len(before)
        stage = Stage(name=f"s{number}", edits=tuple(edits))
        if not apply(text, stage):
            break
        stages.append(stage)
        text = apply(text, stage)
    return canonical, tuple(stages)


@given(chains())
def test_reverse_gives_the_canonical_text_back(chain: tuple[str, tuple[Stage, ...]]) -> None:
    canonical, stages = chain
    text = canonical
    for stage in stages:
        assert undo(apply(text, stage), stage) == text
        text = apply(text, stage)
    assert reverse(text, Trace(recipe="any", stages={"m001": stages})) == canonical


@given(chains())
def test_alignment_spells_both_texts(chain: tuple[str, tuple[Stage, ...]]) -> None:
    canonical, stages = chain
    text = canonical
    for stage in stages:
        text = apply(text, stage)
    aligned = alignment(canonical, stages)
    assert "".join(a.character for a in aligned) == text
    assert "".join(a.target for a in aligned) == canonical
    for a in aligned:
        assert (a.operation is Operation.DROP) == (a.target == "")
        assert (a.operation is Operation.KEEP) == (a.target == a.character)


def test_alignment_of_words_splits_codes_and_lost_dots() -> None:
    stages = (
        Stage(name="homophone", edits=(Edit(start=0, before="联系", after="莲系", rule="homophone"),)),
        Stage(name="split", edits=(Edit(start=2, before="打", after="扌丁", rule="split"),)),
        Stage(
            name="token",
            edits=(
                Edit(start=3, before="", after="[汗]", rule="token:weibo"),
                Edit(start=4, before=".", after="", rule="layout"),
            ),
        ),
    )
    assert alignment("联系打.a", stages) == (
        Aligned("莲", Operation.MAP, "联"),
        Aligned("系", Operation.KEEP, "系"),
        Aligned("扌", Operation.MAP, "打"),
        Aligned("[", Operation.DROP, ""),
        Aligned("汗", Operation.DROP, ""),
        Aligned("]", Operation.DROP, ""),
        Aligned("丁", Operation.DROP, ""),
        Aligned("a", Operation.MAP, ".a"),
    )


@pytest.mark.parametrize(
    "edits",
    [
        (Edit(start=0, before="x", after="y", rule="r"),),
        (Edit(start=9, before="", after="y", rule="r"),),
        (Edit(start=0, before="ab", after="y", rule="r"), Edit(start=1, before="b", after="z", rule="r")),
    ],
    ids=["wrong text", "past the end", "overlap"],
)
def test_apply_refuses_a_stage_of_another_text(edits: tuple[Edit, ...]) -> None:
    with pytest.raises(TraceError, match="Stage 's' does not fit"):
        apply("abc", Stage(name="s", edits=edits))


def test_reverse_refuses_a_changed_text_and_an_unknown_message() -> None:
    stage = Stage(name="glyph", edits=(Edit(start=0, before="己", after="已", rule="glyph"),))
    trace = Trace(recipe="r", stages={"m001": (stage,)})
    assert reverse("已", trace) == "己"
    with pytest.raises(TraceError, match=r"'glyph' cannot be taken back: no '已' at offset 0"):
        reverse("己", trace)
    with pytest.raises(TraceError, match="no message 'm002': choose one of m001"):
        reverse("已", trace, "m002")
