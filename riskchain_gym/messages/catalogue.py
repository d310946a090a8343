"""The catalogue page: every recipe with its family, reversibility, ceiling and an example, and the registry's map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from riskchain_gym.messages.bank import MessageBank, load_bank
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.plain import PlainSession
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.published_types import FORM_TYPES, covered_by, published_types
from riskchain_gym.messages.recipes import PAPER_RECIPES, get_recipe
from riskchain_gym.messages.session import Session, write_session
from riskchain_gym.messages.skeletons import Form, Skeleton
from riskchain_gym.messages.techniques.base import SEVERITIES, Family, Phase, Technique
from riskchain_gym.messages.techniques.registry import SHIPPED
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Platform, Surface

_KEY = key_from_seed(2026)
_CEILING_SESSIONS = 60
_TITLES = {
    Family.PHONETIC: "Sound",
    Family.LEXICAL_GLYPH_ZH: "Characters and words",
    Family.UNICODE_VISUAL: "Unicode",
    Family.LAYOUT_NOISE: "Layout and noise",
    Family.ENTRY_ENCODING: "Entry",
    Family.PLATFORM_MULTIMODAL: "Platform",
}
_VISIBLE = {"\n": "⏎", "\u3000": "␣", "`": "ˋ", "|": "\\|"}


def catalogue() -> str:
    """Return the page as Markdown; the same text for the same package, everywhere."""
    lines = [*_head(), *_published()]
    for family, title in _TITLES.items():
        if members := [technique for technique in SHIPPED if technique.family is family]:
            lines += ["", f"## {title}", "", *_table(members)]
    return "\n".join([*lines, *_forms(), *_map()]) + "\n"


def _head() -> list[str]:
    kinds = SHIPPED
    return [
        "# Recipes",
        "",
        "This page is generated: `riskchain messages catalogue --out docs/recipes.md`.",
        "",
        "A **technique** is one way of disguise with a severity from 0 (clean) to 3. A **recipe** is one of the six",
        "published ones, `clean`, or techniques at a severity joined by `+`, e.g. `full_pinyin@2+zero_width@1`; it",
        "goes wherever a recipe is named, e.g. `build_session(…, recipes=[…])`. Whatever the order a recipe names its",
        "techniques in, wording comes first, then the addresses, lines, noise and emoji codes. There are",
        f"{len(kinds)} techniques; {sum(t.held_out for t in kinds)} of them, marked **ood**, never occur in `train`",
        "and `dev`.",
        "",
        "*Reversibility* is the published vocabulary: EXACT (one source), AMBIGUOUS (several; context and prior",
        "decide), SEMANTIC (only the meaning leads back). *Ceiling* is the mean probability, in per cent at severity",
        "1 / 2 / 3, of the likeliest entry for a reader who knows the recipe; what changes the wording alone has 100.",
        "In examples ⏎ is a line break, ␣ an ideographic space and `⟨XXXX⟩` an invisible character by its code point.",
    ]


def _published() -> Iterator[str]:
    yield from ("", "## The six published recipes", "", "| variant | recipe | what it does | example |")
    yield "|---|---|---|---|"
    plain = _plain(load_bank(pool=Pool.TRAIN).parity_skeletons[8], EntryStyle.PAPER)
    session = _written(plain, PAPER_RECIPES)
    for variant, name in session.recipes.items():
        yield f"| {variant} | `{name}` | {get_recipe(name).description} | {_shown(_content(session, variant))} |"
    yield ""
    yield f"The plain message: {_shown(plain.messages[0].text)}"


def _table(members: Sequence[Technique]) -> Iterator[str]:
    yield "| technique | what it does | types | reversibility | ceiling | example (severity 2) |"
    yield "|---|---|---|---|---|---|"
    for technique in members:
        name = f"`{technique.name}`" + (" **ood**" if technique.held_out else "")
        if technique.languages == {"en"}:
            name += " (English)"
        types = ", ".join(technique.types)
        cells = (name, technique.summary, types, technique.reversibility, _ceilings(technique), _example(technique))
        yield f"| {' | '.join(cells)} |"


def _ceilings(technique: Technique) -> str:
    if technique.phase is not Phase.ENTRY:
        return "100"
    bank = load_bank()
    skeleton = _skeletons(technique)[0]
    means = []
    for severity in SEVERITIES:
        recipe = f"{technique.name}@{severity}"
        total = 0.0
        for index in range(_CEILING_SESSIONS):
            plain = _plain(skeleton, EntryStyle.OPEN, str(index))
            total += write_session(plain, _KEY, "catalogue", str(index), recipes=[recipe], bank=bank).gold.ceilings[
                "v000"
            ]
        means.append(f"{100 * total / _CEILING_SESSIONS:.0f}")
    return " / ".join(means)


def _example(technique: Technique) -> str:
    for index, skeleton in enumerate(_skeletons(technique)):
        plain = _plain(skeleton, EntryStyle.OPEN, str(index))
        session = _written(plain, [f"{technique.name}@2"])
        if _content(session, "v000") != plain.messages[0].text:
            return _shown(_content(session, "v000"))
    return _shown(plain.messages[0].text)


def _forms() -> Iterator[str]:
    yield from ("", "## Session forms", "", "Beyond one message with one entry; never in `test`.", "")
    yield from ("| form | types | example |", "|---|---|---|")
    for form, types in FORM_TYPES.items():
        skeleton = next(s for s in load_bank(pool=Pool.TRAIN).skeletons if s.form is form and s.language == "zh")
        plain = _plain(skeleton, EntryStyle.OPEN)
        said = " / ".join(f"{message.role}: {_shown(message.text)}" for message in plain.messages)
        yield f"| `{form}` | {', '.join(types)} | {said} → {plain.entry} |"
    example = next(s for s in load_bank(pool=Pool.TRAIN).skeletons if s.form is Form.NO_ENTRY)
    yield f"| `{Form.NO_ENTRY}` | | {_shown(_plain(example, EntryStyle.OPEN).messages[0].text)} → none |"


def _map() -> Iterator[str]:
    types = published_types()
    covered = sum(bool(covered_by(kind.id)) for kind in types)
    yield from ("", "## Map of the published registry", "")
    yield f"{covered} of its {len(types)} types are covered; the others are open for the reason given."
    yield from ("", "| type | reversibility | covered by |", "|---|---|---|")
    for kind in types:
        yield f"| {kind.id} | {kind.reversibility} | {', '.join(covered_by(kind.id)) or f'open: {kind.open}'} |"


def _skeletons(technique: Technique) -> list[Skeleton]:
    bank = load_bank(pool=Pool.TRAIN)
    if "zh" in technique.languages:
        return list(bank.parity_skeletons)
    return [s for s in bank.skeletons if s.language == "en" and s.form is Form.SINGLE]


def _plain(skeleton: Skeleton, style: EntryStyle, *label: str) -> PlainSession:
    return plain_session(
        _KEY,
        "catalogue",
        *label,
        skeleton=skeleton,
        platform=Platform.WEIBO,
        surface=Surface.COMMENT,
        style=style,
    )


def _written(plain: PlainSession, recipes: Sequence[str]) -> Session:
    bank: MessageBank = load_bank()
    return write_session(plain, _KEY, "catalogue", recipes=recipes, bank=bank)


def _content(session: Session, variant: str) -> str:
    return session.variants[variant].messages[0].content


def _shown(text: str) -> str:
    """Return a text as a table cell: breaks and invisible characters made visible."""
    return "".join(_VISIBLE.get(c, c if c.isprintable() else f"⟨{ord(c):04X}⟩") for c in text)
