"""On any data the scorers say what the plain definitions say: points and interval ends within 1e-12."""

from __future__ import annotations

from typing import Any

import plain
from hypothesis import given, settings
from hypothesis import strategies as st
from official_rows import close, evaluator, paired, prediction

from riskchain_gym.scoring.official import score_task1, score_task2

MANY = settings(max_examples=200, derandomize=True, deadline=None)
SEEDS = st.integers(-(2**40), 2**40)
TEXTS = st.text("ab1 \n\t　é。，请看Ａ", max_size=6)
ENTRIES = (
    "a.b.test",
    "A.B.TEST",
    " a.b.test",
    "a.b.test.",
    "a.b.test/",
    "https://a.b.test:443",
    "http://a.b.test",
    "a[.]b.test",
    "https://[a",
    "x.b.test",
    "",
)
GOLD = [("VIOLATION", "A"), ("VIOLATION", "B"), ("VIOLATION", "C"), ("NON_VIOLATION", "NONE")]
GOLD += [("INSUFFICIENT_EVIDENCE", "UNKNOWN"), ("INSUFFICIENT_EVIDENCE", "NONE")]
SAID = [*GOLD, ("__BOTTOM__", "__BOTTOM__"), ("VIOLATION", "NONE"), ("VIOLATION", "D"), ("NON_VIOLATION", "A")]


@st.composite
def paired_rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    golds = draw(st.lists(st.sampled_from(GOLD), min_size=1, max_size=12))
    models = draw(st.lists(st.sampled_from(["b", "A", "c 2", "Z"]), min_size=1, max_size=3, unique=True))
    rows = [
        paired(ordinal, gold, draw(st.sampled_from(SAID)), draw(st.booleans()), model)
        for model in models
        for ordinal, gold in enumerate(golds, 1)
    ]
    return draw(st.permutations(rows))


@given(paired_rows(), st.integers(1, 40), SEEDS)
@MANY
def test_task2_equals_the_plain_definitions(rows: list[dict[str, Any]], replicates: int, seed: int) -> None:
    scored = score_task2(rows, replicates=replicates, seed=seed)

    wanted = plain.task2(rows, replicates=replicates, seed=seed)
    assert list(scored["models"]) == list(wanted)
    for name, (point, ends) in wanted.items():
        model = scored["models"][name]
        close(model["point"] | model["beyond_published"]["point"], point)
        close(model["ci95"] | model["beyond_published"]["ci95"], ends)
        if not scored["type_labels"]:
            assert model["point"]["web_violation_type_macro_f1"] is None
            assert model["ci95"]["gated_violation_type_macro_f1"] is None


@st.composite
def restored(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    golds, said = [], []
    for session in range(draw(st.integers(1, 5))):
        for variant in range(draw(st.integers(1, 3))):
            sample_id = f"s{9 - session}--v{variant:03d}"
            texts = draw(st.lists(TEXTS, min_size=1, max_size=3))
            flags = tuple(draw(st.booleans()) for _ in texts)
            platforms = st.sampled_from(["qq", "weibo"])
            intents = st.sampled_from(["OPEN_SITE", "UNKNOWN"])
            golds.append(
                evaluator(
                    sample_id,
                    *texts,
                    flags=flags,
                    entry=draw(st.sampled_from(ENTRIES[:-1])),
                    platform=draw(platforms),
                    intent=draw(intents),
                )
            )
            if not said or draw(st.integers(0, 6)):
                answers = [draw(st.sampled_from([text, text, draw(TEXTS)])) for text in texts]
                entries = draw(st.lists(st.sampled_from(ENTRIES), max_size=4))
                ranks = draw(st.lists(st.integers(1, 10), min_size=len(entries), max_size=len(entries), unique=True))
                said.append(
                    prediction(
                        sample_id,
                        *answers[: draw(st.integers(0, 3))],
                        entries=tuple(entries),
                        ranks=tuple(ranks) if entries else None,
                        platform=draw(platforms),
                        intent=draw(st.sampled_from(["OPEN_SITE", " open_site ", "ＵＮＫＮＯＷＮ", ""])),
                        abstain=draw(st.booleans()),
                    )
                )
    return golds, draw(st.permutations(said))


@given(restored(), st.integers(1, 40), SEEDS, st.integers(1, 10))
@MANY
def test_task1_equals_the_plain_definitions(
    rows: tuple[list[dict[str, Any]], list[dict[str, Any]]], replicates: int, seed: int, top_k: int
) -> None:
    scored = score_task1(*rows, replicates=replicates, seed=seed, top_k=top_k, allow_missing=True)

    points, ends = plain.task1(*rows, replicates=replicates, seed=seed, top_k=top_k)
    close(scored["aggregate"], points)
    close(scored["aggregate_bootstrap"]["ci95"], ends)
    assert scored["missing_prediction_count"] == len(rows[0]) - len(rows[1])
