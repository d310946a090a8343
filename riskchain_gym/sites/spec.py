"""The archetype spec: what a folder below ``sites/archetypes/`` may say.

An archetype ``extends`` a family (``sites/families/NAME.yaml``): a partial spec that its violating, benign and
insufficient members share, the landing page above all. Mappings are merged key by key, the archetype's word wins.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, ViolationType, canonical_type
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AnyBlock, Name

Scalar = str | int | float | bool
_Number = Annotated[int, Field(ge=-(10**12), le=10**12)]
_Days = Annotated[int, Field(ge=-36_500, le=36_500)]
Presentation = Literal[
    "portal",
    "shop",
    "mobile",
    "dashboard",
    "forum",
    "download",
    "chat",
    "video",
    "magazine",
    "corporate",
    "directory",
    "desk",
    "blog",
    "kiosk",
    "wiki",
    "board",
]


Lang = Literal["zh-CN", "zh-TW", "en", "mixed"]
"""Languages of a site; ``mixed`` is Simplified Chinese inside English filler pages, gates and footers."""

_SOURCES = ("bank", "join", "choice", "number", "date", "code", "expr")


class LabelSpec(Frozen):
    """The label the atoms must bear out."""

    decision: Decision
    type: ViolationType
    secondary: tuple[ViolationType, ...] = ()

    @model_validator(mode="after")
    def _canonical(self) -> Self:
        if canonical_type(self.decision, self.type) is not self.type:
            raise ValueError(f"type: {self.decision} goes with {PSEUDO_TYPES[self.decision]}, not {self.type}")
        if self.decision is Decision.VIOLATION and self.type not in CONCRETE_TYPES:
            raise ValueError(f"type: VIOLATION needs a concrete type, not {self.type}")
        return self


class FactSpec(Frozen):
    """How one fact is drawn from the site's seed; exactly one of the sources.

    Attributes:
        bank: One entry of a phrase bank (``sites/banks/NAME.yaml``).
        join: One entry of each of these banks, written one after the other: a stem and an ending give many names.
        choice: One of these; at least one.
        number: An integer in ``[low, high]``, a multiple of ``step`` away from ``low``; both within ±10¹².
        date: A date that many days from the frozen clock, ``[earliest, latest]``, written as ``2026-05-03``; both
            within ±36,500 days.
        code: A code: ``#`` becomes a digit, ``@`` an upper-case letter, other characters stay.
        expr: An expression over earlier facts, e.g. ``price * 3``.
    """

    bank: str | None = None
    join: Annotated[tuple[str, ...], Field(min_length=2)] | None = None
    choice: Annotated[tuple[Scalar, ...], Field(min_length=1)] | None = None
    number: tuple[_Number, _Number] | None = None
    step: Annotated[int, Field(ge=1)] = 1
    date: tuple[_Days, _Days] | None = None
    code: Annotated[str, Field(max_length=200)] | None = None
    expr: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = [name for name in _SOURCES if getattr(self, name) is not None]
        if len(sources) != 1:
            raise ValueError(f"a fact needs exactly one of {', '.join(_SOURCES)}; got {sources or 'none'}")
        return self


class CheckSpec(Frozen):
    """One server-side check of a submitted form, made in order; the first that fails answers with its error.

    Attributes:
        field: Field it looks at.
        rule: Regular expression the whole value must match.
        equals: Template the value must equal.
        checked: The box must be checked.
        error: What the page says otherwise.
    """

    field: Name
    rule: str | None = None
    equals: str | None = None
    checked: bool = False
    error: str


class ActionSpec(Frozen):
    """What a form or a button does.

    Attributes:
        checks: Checks of the submitted fields; on failure the form's page shows the error and nothing changes.
        set: State variables to set; strings are templates over state and ``form.FIELD``, and a string that is one
            ``{{ expr }}`` keeps the expression's type.
        go: Page shown afterwards (by redirect); ``None`` stays on the page.
        otherwise: Pages tried in order instead of ``go`` when their condition holds.
    """

    checks: tuple[CheckSpec, ...] = ()
    set: dict[Name, Scalar] = Field(default_factory=dict)
    go: Name | None = None
    otherwise: tuple[Detour, ...] = ()


class Detour(Frozen):
    """A page to show instead, when an expression over the state holds."""

    when: str
    go: Name


ActionSpec.model_rebuild()


class PageSpec(Frozen):
    """One page.

    Attributes:
        title: Document title.
        nav: Its label in the site's navigation; ``None`` leaves it out.
        blocks: Content between header and footer.
        gate: ``any`` lets the sampler put a gate before it (or none), a list restricts the choice, ``None`` keeps it
            open. Which gate is drawn never depends on the label.
        detours: Redirects away from the page, tried in order (a login wall, an order that does not exist).
        status: HTTP status it is served with.
    """

    title: str
    nav: str | None = None
    blocks: tuple[AnyBlock, ...]
    gate: Literal["any"] | tuple[Name, ...] | None = None
    detours: tuple[Detour, ...] = ()
    status: Literal[200, 403, 404, 500, 503] = 200


class ArchetypeSpec(Frozen):
    """A whole archetype, family merged in.

    Attributes:
        name: Folder name.
        family: Family it extends.
        summary: One English sentence for people: what the site is and what decides it.
        label: The label the atoms must bear out.
        track: Click replay or stateful.
        presentations: Presentation forms it fits.
        lang: Language of the content; given by the file it stands in (``site.en.yaml``), never written out.
        host: Facts of the host family, drawn first and the same on every site of one operator: its name, slogan and the
            phrases it repeats.
        facts: Drawn in order from the site's seed.
        state: Initial state variables.
        pages: By name; ``home`` is the landing page.
        actions: By name.
        fillers: How many shared filler pages to add, ``[fewest, most]``.
    """

    schema_version: Literal["riskchain-archetype/v1"] = "riskchain-archetype/v1"
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    family: Name
    summary: str
    label: LabelSpec
    track: Literal["L2_OBSERVATION", "L3_STATEFUL"]
    presentations: Annotated[tuple[Presentation, ...], Field(min_length=1)]
    lang: Lang = "zh-CN"
    host: dict[Name, FactSpec] = Field(default_factory=dict)
    facts: dict[Name, FactSpec] = Field(default_factory=dict)
    state: dict[Name, Scalar] = Field(default_factory=dict)
    pages: dict[Name, PageSpec]
    actions: dict[Name, ActionSpec] = Field(default_factory=dict)
    fillers: tuple[int, int] = (2, 4)

    @model_validator(mode="after")
    def _has_home(self) -> Self:
        if "home" not in self.pages:
            raise ValueError("pages: the landing page 'home' is missing")
        return self
