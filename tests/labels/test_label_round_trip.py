"""What is exported is read back as it was, whatever people have said and written."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from frozen_cases import says
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.exporting import export_labels
from riskchain_gym.benchmark.labels.importing import import_labels
from riskchain_gym.benchmark.labels.item_state import ItemState
from riskchain_gym.benchmark.labels.log import unsealed
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Task, Worker
from riskchain_gym.benchmark.labels.sources import ItemSites, item_sites
from riskchain_gym.benchmark.labels.state import states
from riskchain_gym.protocol.codebook import (
    CONCRETE_TYPES,
    PSEUDO_TYPES,
    AnchorType,
    Decision,
    EnvironmentStatus,
    ViolationType,
)
from riskchain_gym.protocol.report import Citation, Region


@pytest.fixture(scope="module")
def sites() -> ItemSites:
    return item_sites(["mini"])


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
STATUSES = st.sampled_from(EnvironmentStatus)
CITATIONS = st.builds(
    Citation,
    step=st.integers(0, 9),
    anchor_type=st.sampled_from(AnchorType),
    quote=TEXTS.map(lambda text: f"q{text}"),
    region=st.none() | st.just(Region(x=1.5, y=0, width=2, height=3.25)),
    observation=TEXTS,
)


@st.composite
def site_answers(draw: st.DrawFn) -> SiteAnswer:
    decision = draw(st.sampled_from(Decision))
    kind = PSEUDO_TYPES.get(decision) or draw(st.sampled_from(CONCRETE_TYPES))
    others = [other for other in CONCRETE_TYPES if other is not kind]
    second = draw(st.lists(st.sampled_from(others), unique=True, max_size=3)) if decision is Decision.VIOLATION else ()
    evidence = tuple(draw(st.lists(CITATIONS, max_size=2)))
    kinds = {citation.anchor_type for citation in evidence} or draw(st.sets(st.sampled_from(AnchorType), max_size=3))
    return SiteAnswer(
        environment_status=draw(STATUSES),
        decision=decision,
        primary_violation_type=kind,
        secondary_violation_types=tuple(second),
        evidence_anchor_types=tuple(anchor for anchor in AnchorType if anchor in kinds),
        confidence=draw(st.integers(1, 5)),
        note=draw(TEXTS) + ("names the policy" if kind is ViolationType.OTHER_PROHIBITED_ACTIVITY else ""),
        evidence=evidence,
        counterevidence=tuple(draw(st.lists(CITATIONS, max_size=1))),
    )


LABELLED: tuple[tuple[Layer, str], ...] = (
    ("pass", "ann"),
    ("pass", "bob"),
    ("repeat", "ann"),
    ("review", "rex"),
    ("adjudication", "kim"),
)
SECONDS = st.none() | st.floats(0, 1e6)
GIVEN = st.lists(st.fixed_dictionaries({who: st.none() | st.tuples(site_answers(), SECONDS) for who in LABELLED}))


def said(states: Mapping[str, ItemState]) -> dict[str, object]:
    """What the states of items come to, without places in logs and hashes."""
    told: dict[str, object] = {}
    for item, state in states.items():
        found = [*state.passes.values(), *state.repeats.values(), state.review, state.adjudication]
        events = {(event.layer, event.worker): (event.answer, event.seconds) for event in found if event is not None}
        told[item] = (events, state.settled, state.provenance, state.disagrees)
    return {item: each for item, each in told.items() if each[0]}  # type: ignore[index]


@settings(derandomize=True, deadline=None, max_examples=40)
@given(answered=GIVEN.filter(lambda rows: len(rows) <= 4), suffix=st.sampled_from([".csv", ".jsonl"]))
def test_what_is_exported_is_read_back_as_it_was(
    sites: ItemSites,
    tmp_path_factory: pytest.TempPathFactory,
    answered: list[dict[tuple[Layer, str], tuple[SiteAnswer, float | None] | None]],
    suffix: str,
) -> None:
    items = sorted(sites)[: len(answered) + 1]
    plain = (says(), None)
    everybody = [{("pass", "ann"): plain, ("pass", "bob"): plain}, *answered]
    tasks = [
        Task(task_id=f"{i}-{who}-{layer}", item_id=item, layer=layer, worker=who)
        for i, item in enumerate(items)
        for layer, who in LABELLED
    ]
    plan = Plan(
        subject="sites",
        source=sites.source,
        source_sha256=sites.sha256,
        seed=1,
        passes=2,
        workers=[Worker(name=who, role="annotator") for _, who in LABELLED if _ != "repeat"],
        items=items,
        tasks=tasks,
    )
    events = []
    for task in tasks:
        found = everybody[items.index(task.item_id)].get((task.layer, task.worker))
        # A repeat needs the pass that it repeats.
        if found and (task.layer != "repeat" or everybody[items.index(task.item_id)].get(("pass", task.worker))):
            events.append(unsealed(plan, task, found[0], at="2026-01-01T00:00:00Z", seconds=found[1]))
    folder = tmp_path_factory.mktemp("trip")
    (folder / f"out{suffix}").write_bytes(export_labels(folder / f"out{suffix}", plan, events)[0])
    made = import_labels(folder / f"out{suffix}", sites, folder / "project", partial=True)
    assert said(made.project.states()) == said(states(plan, events))
    assert {event.at for event in made.project.events()} == {"2026-01-01T00:00:00Z"}
    again = export_labels(folder / f"out{suffix}", made.project.plan, made.project.events())[0]
    assert again == (folder / f"out{suffix}").read_bytes()
