"""The gold bundle of a chain: read by scoring, injected into oracles, never given to an environment that pays none."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.codebook import (
    FIRST_CODEBOOK,
    AnchorType,
    Component,
    Decision,
    EnvironmentStatus,
    Intent,
    ViolationType,
)
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import Frozen, without_unsaid

LabelSource = Literal["constructed", "human", "human+adjudicated"]
"""Where a label comes from: built to be so, agreed by people, or settled by one of them where others differed."""

Depth = Literal["D0", "D1", "D2", "D3"]
"""How far what decides lies from the landing page, as ``DEPTHS`` of the codebook words it."""


class EvidenceAtom(Frozen):
    """A page element that carries a deciding fact.

    Attributes:
        atom_id: Unique within its site.
        component: The part it plays in the codebook's rule.
        violation_type: The type of a claim or an action; ``NONE`` for the other components.
        anchor: The anchor type a citation of it should carry.
        path: Path of the page that shows it.
        text: The line that shows it, exactly as rendered.
        picture: Opaque key of the picture that the line is drawn in, ``""`` for a line of the page's text.
    """

    atom_id: str
    component: Component
    violation_type: ViolationType = ViolationType.NONE
    anchor: AnchorType
    path: str
    text: str
    picture: str = ""


class PathStep(Frozen):
    """One step of a certificate's path; the target is named as the inventory names it.

    Attributes:
        action: The action, with ``element_id`` left to whoever walks the path (a placeholder here).
        role: Accessible role of the target, or ``""``.
        name: Accessible name of the target, or ``""``.
        nth: Which of the elements with that role and name, from 0.
    """

    action: BrowserAction
    role: str = ""
    name: str = ""
    nth: int = 0


class SiteGold(Frozen):
    """Label, atoms and certificate of one site.

    Attributes:
        archetype: Name of the archetype the site was made from.
        family: Its archetype family.
        decision: The label.
        violation_type: The label's type, canonical.
        secondary_types: Further concrete types the site also shows.
        label_source: Where the label comes from.
        codebook_version: The codebook that the label follows; left out of JSON where it is the first one.
        environment_status: How much of the site could be looked at, as people said who labelled it; ``None``, and left
            out of JSON, where nobody did.
        atoms: All evidence atoms, in document order.
        path: A documented way through: actions after which every deciding atom has been seen.
        gates: Gate kinds that stand on the site, in page order.
        gate_pages: Path of the page that each of them stands before or changes.
        gate_entries: Path of the page that each of them sends visitors to; ``""`` for one that only changes its page.
        depth: D0 to D3, as the certificate's path has it.
        track: Click replay or stateful.
        host_family: Opaque id of the invented operator; sites of one operator share its name, look and phrases.
        lang: Language of the site.
        click_replay: Whether following some link of the landing page leads to another page.
        difficulty: Engineering difficulty, from the number of gates on the way and the length of the path.
    """

    site_id: str
    archetype: str
    family: str
    decision: Decision
    violation_type: ViolationType
    secondary_types: tuple[ViolationType, ...] = ()
    label_source: LabelSource = "constructed"
    codebook_version: str = FIRST_CODEBOOK
    environment_status: EnvironmentStatus | None = None
    atoms: tuple[EvidenceAtom, ...]
    path: tuple[PathStep, ...]
    gates: tuple[str, ...] = ()
    gate_pages: tuple[str, ...] = ()
    gate_entries: tuple[str, ...] = ()
    depth: Depth
    track: Literal["L2_OBSERVATION", "L3_STATEFUL"]
    host_family: str = ""
    lang: Literal["zh-CN", "zh-TW", "en", "mixed"] = "zh-CN"
    click_replay: bool = True
    difficulty: Literal["easy", "medium", "hard"] = "easy"

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), codebook_version=FIRST_CODEBOOK, environment_status=None)

    def deciding_atoms(self) -> tuple[EvidenceAtom, ...]:
        """Return the atoms that decide the label: claims and actions of its type, benign ones, or limitations."""
        match self.decision:
            case Decision.VIOLATION:
                parts = {Component.CLAIM, Component.ACTION}
                return tuple(a for a in self.atoms if a.component in parts and a.violation_type is self.violation_type)
            case Decision.NON_VIOLATION:
                return tuple(a for a in self.atoms if a.component is Component.BENIGN)
            case Decision.INSUFFICIENT_EVIDENCE:
                return tuple(a for a in self.atoms if a.component is Component.LIMITATION)


class Edit(Frozen):
    """One reversible edit: ``before`` at ``start`` became ``after``.

    Attributes:
        start: Offset into the stage's input text, in code points.
        before: Text replaced (may be empty).
        after: Text put there (may be empty).
        rule: Rule that made it, e.g. ``homophone`` or ``token:weibo``.
    """

    start: int
    before: str
    after: str
    rule: str


class Stage(Frozen):
    """The edits of one recipe stage, left to right, all with offsets into the stage's input."""

    name: str
    edits: tuple[Edit, ...]


class Trace(Frozen):
    """How the canonical text became the disguised one, stage by stage, per message id."""

    recipe: str
    stages: dict[str, tuple[Stage, ...]]


class MessageGold(Frozen):
    """The canonical session, its intent and its entry.

    Attributes:
        entry: The canonical scheme-free entry, ``label.label.test``; ``None`` for a session that leads nowhere.
        messages: The canonical texts. An entry that the session splits over two messages stands in neither of them.
        skeleton: Name of the message skeleton it was written from.
        topic: Topic of the wording (independent of the site's label).
        language: Language of the wording.
        form: How the session is built, e.g. ``single`` or ``correction``.
        decoys: Other addresses that the session names and does not mean.
        traces: Edit trace per variant, as written by the recipe that made it.
        ceilings: Per variant, how sure of the entry an ideal reader can be who knows the recipe, 0 to 1; ``None`` where
            nobody has computed it.
    """

    entry: str | None
    messages: tuple[RestoredMessage, ...]
    intent: Intent
    platform: Platform
    skeleton: str
    topic: str
    language: Literal["zh", "en"] = "zh"
    form: str = "single"
    decoys: tuple[str, ...] = ()
    traces: dict[str, Trace] = Field(default_factory=dict)
    ceilings: dict[str, float | None] = Field(default_factory=dict)


class GoldChain(Frozen):
    """Gold of one chain: what the message says, where it leads and what the site is."""

    schema_version: Literal["riskchain-gold/v1"] = "riskchain-gold/v1"
    chain_id: str
    message: MessageGold
    site: SiteGold

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.message.entry is None:
            raise ValueError("message.entry: a chain needs a message with an entry, got none")
        return self

    @property
    def entry(self) -> str:
        """The canonical entry that leads to the site."""
        assert self.message.entry is not None, "checked when the chain was made"
        return self.message.entry
