"""The blocks a page is written in.

Every string may hold two kinds of placeholder: ``[[ name ]]`` is filled once, when a site is built, from its facts
and phrase banks; ``{{ expr }}`` is filled each time a page is shown, from the site's state. ``when`` is a bare
expression over the state (``joined and balance > 0``); a block whose ``when`` is false is not on the page.

The same models serve the author's spec and the compiled site; a compiled site carries no ``atom``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.protocol.codebook import AnchorType, Component, ViolationType
from riskchain_gym.protocol.model import Frozen

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Art = Literal[
    "goods", "person", "chart", "map", "logo", "parcel", "book", "game", "device", "document", "food", "scene"
]


class AtomSpec(Frozen):
    """Marks the line it stands on as an evidence atom.

    Attributes:
        component: Part in the codebook's rule.
        type: Concrete type; required for ``claim`` and ``action``, forbidden for the others.
        anchor: Anchor type a citation of the line should carry.
    """

    component: Component
    type: ViolationType | None = None
    anchor: AnchorType


class Item(Frozen):
    """One line inside a block; a plain string is read as ``{text: …}``. A line with an atom may use facts only."""

    text: str
    when: str | None = None
    atom: AtomSpec | None = None


Line = Item | str


class Block(Frozen):
    """What all blocks share."""

    when: str | None = None


class TextBlock(Block):
    """One line of text: a heading, a paragraph, a notice, a quotation, a price or small print."""

    kind: Literal["heading", "text", "notice", "quote", "price", "badge", "small"]
    text: str
    level: Annotated[int, Field(ge=1, le=4)] = 2
    tone: Literal["plain", "info", "good", "warn", "bad"] = "plain"
    atom: AtomSpec | None = None


class HeroBlock(Block):
    """The opening of a page: a big title, a subtitle, and perhaps a picture."""

    kind: Literal["hero"]
    title: str
    subtitle: str = ""
    art: Art | None = None


class ListBlock(Block):
    """A bulleted or numbered list."""

    kind: Literal["bullets", "steps"]
    items: Annotated[tuple[Line, ...], Field(min_length=1)]


class DetailRow(Frozen):
    """A label and its value; an atom marks the value."""

    label: str
    value: str
    when: str | None = None
    atom: AtomSpec | None = None


class DetailsBlock(Block):
    """Labelled values: an order summary, opening hours, a statistics strip."""

    kind: Literal["details", "stats"]
    rows: Annotated[tuple[DetailRow, ...], Field(min_length=1)]


class TableBlock(Block):
    """A table; every cell is a line."""

    kind: Literal["table"]
    head: tuple[str, ...] = ()
    rows: Annotated[tuple[tuple[Line, ...], ...], Field(min_length=1)]


class CardSpec(Frozen):
    """One card: picture, title, text, price and a link."""

    title: str
    text: str = ""
    price: str = ""
    art: Art | None = None
    to: Name | None = None
    link: str = ""
    when: str | None = None
    atom: AtomSpec | None = None


class CardsBlock(Block):
    """A grid of cards; an atom marks a card's ``text``."""

    kind: Literal["cards"]
    items: Annotated[tuple[CardSpec, ...], Field(min_length=1)]


class LinkSpec(Frozen):
    """A link to a page of the site, by page name."""

    text: str
    to: Name
    when: str | None = None


class LinksBlock(Block):
    """Links side by side (``row``), one below the other (``list``) or drawn as buttons."""

    kind: Literal["links"]
    items: Annotated[tuple[LinkSpec, ...], Field(min_length=1)]
    style: Literal["row", "list", "buttons"] = "list"


class ButtonBlock(Block):
    """A button that performs an action (a POST)."""

    kind: Literal["button"]
    text: str
    do: Name
    atom: AtomSpec | None = None


class FieldSpec(Frozen):
    """One field of a form.

    Attributes:
        name: Name the action sees as ``form.NAME``.
        label: Visible label and accessible name; an atom marks it.
        fixture: What the environment types: a template over facts and state. A code printed elsewhere on the site is
            known to the environment only once that page was seen: ``{{ visited.PAGE and '[[ code ]]' or '000000' }}``.
            Empty means the generic value of the field's type.
    """

    name: Name
    label: str
    type: Literal["text", "tel", "number", "email", "password", "textarea", "checkbox", "select", "range", "search"] = (
        "text"
    )
    placeholder: str = ""
    options: tuple[str, ...] = ()
    value: str = ""
    fixture: str = ""
    atom: AtomSpec | None = None


class FormBlock(Block):
    """A form with server-side validation (see :class:`ActionSpec`)."""

    kind: Literal["form"]
    title: str = ""
    fields: tuple[FieldSpec, ...]
    submit: str
    do: Name
    atom: AtomSpec | None = None


class ImageBlock(Block):
    """A drawn picture with a caption below it."""

    kind: Literal["image"]
    art: Art
    alt: str
    caption: str = ""


class PanelSpec(Frozen):
    """One tab or one fold."""

    title: str
    blocks: tuple[AnyBlock, ...]


class PanelsBlock(Block):
    """Tabs (the first is open) or an accordion (all closed); which is open is server state."""

    kind: Literal["tabs", "accordion"]
    name: Name
    items: Annotated[tuple[PanelSpec, ...], Field(min_length=1)]


class ChatLine(Frozen):
    """One line of a conversation."""

    who: Literal["me", "them"] = "them"
    text: str
    when: str | None = None
    atom: AtomSpec | None = None


class ChatBlock(Block):
    """A chat with fixed replies."""

    kind: Literal["chat"]
    lines: Annotated[tuple[ChatLine, ...], Field(min_length=1)]


class DownloadBlock(Block):
    """A link that downloads an inert text file; ``name`` is a state variable that is true once it was fetched."""

    kind: Literal["download"]
    text: str
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    name: Name | None = None
    atom: AtomSpec | None = None


class QrBlock(Block):
    """A QR code that holds the path of a page of the site; following its link is scanning it.

    Attributes:
        text: Accessible name of the link.
        to: The page.
    """

    kind: Literal["qr"]
    text: str
    to: Name


class PictureLine(Frozen):
    """One line drawn inside a picture, in the look of the block of that kind (``item`` and ``step`` as in lists)."""

    kind: Literal["text", "notice", "quote", "price", "small", "item", "step"] = "text"
    text: str
    atom: AtomSpec | None = None


class PictureBlock(Block):
    """Lines of text inside a picture: they can be read by eye and stand in no text of the page."""

    kind: Literal["picture"]
    drawn: Annotated[tuple[PictureLine, ...], Field(min_length=1)]


AnyBlock = Annotated[
    TextBlock
    | HeroBlock
    | ListBlock
    | DetailsBlock
    | TableBlock
    | CardsBlock
    | LinksBlock
    | ButtonBlock
    | FormBlock
    | ImageBlock
    | PanelsBlock
    | ChatBlock
    | DownloadBlock
    | QrBlock
    | PictureBlock,
    Field(discriminator="kind"),
]

PanelSpec.model_rebuild()
