"""The catalogue page: every recipe with its family, reversibility, ceiling and an example, and the registry's map."""

from __future__ import annotations

import re
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
from riskchain_gym.messages.techniques.registry import SHIPPED, get_technique
from riskchain_gym.messages.visible import show_invisible
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import GATE_VARIANT, Platform, Surface

_KEY = key_from_seed(2026)
_CEILING_SESSIONS = 60
_SHOWN_SEVERITY = 2
_TITLES = {
    Family.PHONETIC: "Sound",
    Family.LEXICAL_GLYPH_ZH: "Characters and words",
    Family.UNICODE_VISUAL: "Unicode",
    Family.LAYOUT_NOISE: "Layout and noise",
    Family.ENTRY_ENCODING: "Entry",
    Family.PLATFORM_MULTIMODAL: "Platform",
}
_MARKS = str.maketrans({"\n": "⏎", "\u3000": "␣"})
_BACKTICKS = re.compile("`+")


def catalogue() -> str:
    """Return the page as Markdown; the same text for the same package, everywhere."""
    lines = [*_head(), *_published()]
    for family, title in _TITLES.items():
        if members := [technique for technique in SHIPPED if technique.family is family]:
            lines += ["", f"## {title}", "", *_table(members)]
    return "\n".join([*lines, *_forms(), *_map()]) + "\n"


def describe_technique(name: str) -> str:
    """Return what is known of one technique, with an example at every severity, as lines of plain text.

    Args:
        name: Name of a technique, shipped or registered.

    Raises:
        ConfigError: No technique has that name.
    """
    technique = get_technique(name)
    facts = {
        "family": technique.family,
        "types": ", ".join(technique.types) or "none of the published registry",
        "languages": ", ".join(sorted(technique.languages, reverse=True)),
        "reversibility": technique.reversibility,
        "ceiling": f"{_ceilings(technique)} %",
        "training": "never: ood and hard draw it" if technique.held_out else "yes",
    }
    if technique not in SHIPPED:
        facts["training"] = "never: splits draw from shipped techniques only"
    plain, shown = _examples(technique, SEVERITIES)
    facts["plain"] = _visible(plain)
    facts |= {f"severity {severity}": _visible(content) for severity, content in shown.items()}
    width = max(map(len, facts))
    lines = [f"{technique.name}: {technique.summary}", *(f"{key:{width}}  {value}" for key, value in facts.items())]
    return "\n".join(lines) + "\n"


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
        "and `dev`; every recipe of `ood` has one of them, and `hard` draws from all techniques, these too.",
        "`riskchain messages catalogue --technique NAME` prints one with an example at each severity.",
        "",
        "*Reversibility* is the published vocabulary: EXACT (one source), AMBIGUOUS (several; context and prior",
        "decide), SEMANTIC (only the meaning leads back). *Ceiling* is the mean probability, in per cent at severity",
        "1 / 2 / 3, of the likeliest entry for a reader who knows the recipe; what changes the wording alone has 100.",
        "Examples are at severity 2; in them ⏎ is a line break, ␣ an ideographic space and `⟨XXXX⟩` an invisible",
        "character by its code point. Which published types a technique covers stands in the map at the end.",
    ]


def _published() -> Iterator[str]:
    yield from ("", "## The six published recipes", "", "| variant | recipe | what it does | example |")
    yield "|---|---|---|---|"
    plain = _plain(load_bank(pool=Pool.TRAIN).parity_skeletons[8], EntryStyle.PAPER)
    session = _written(plain, PAPER_RECIPES)
    for variant, name in session.recipes.items():
        yield f"| {variant} | `{name}` | {_cell(get_recipe(name).description)} | {_span(_content(session, variant))} |"
    yield ""
    yield f"The plain message: {_span(plain.messages[0].text)}"


def _table(members: Sequence[Technique]) -> Iterator[str]:
    yield "| technique | what it does | reversibility | ceiling | example |"
    yield "|---|---|---|---|---|"
    for technique in members:
        name = f"`{technique.name}`" + (" **ood**" if technique.held_out else "")
        if technique.languages == {"en"}:
            name += " (English)"
        example = _span(_examples(technique, [_SHOWN_SEVERITY])[1][_SHOWN_SEVERITY])
        cells = (name, _cell(technique.summary), technique.reversibility, _ceilings(technique), example)
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
            session = write_session(plain, _KEY, "catalogue", str(index), recipes=[recipe], bank=bank)
            total += session.gold.ceilings[GATE_VARIANT] or 0.0
        means.append(f"{100 * total / _CEILING_SESSIONS:.0f}")
    return " / ".join(means)


def _examples(technique: Technique, severities: Sequence[int]) -> tuple[str, dict[int, str]]:
    """Return a plain text and what is shown of it at each severity: all leave a mark on it, if any text is such."""
    for index, skeleton in enumerate(_skeletons(technique)):
        plain = _plain(skeleton, EntryStyle.OPEN, str(index))
        text = plain.messages[0].text
        shown = {
            severity: _content(_written(plain, [f"{technique.name}@{severity}"]), GATE_VARIANT)
            for severity in severities
        }
        if text not in shown.values():
            break
    return text, shown


def _forms() -> Iterator[str]:
    yield from ("", "## Session forms", "", "Beyond one message with one entry; never in `test`.", "")
    yield from ("| form | types | example |", "|---|---|---|")
    for form, types in FORM_TYPES.items():
        skeleton = next(s for s in load_bank(pool=Pool.TRAIN).skeletons if s.form is form and s.language == "zh")
        plain = _plain(skeleton, EntryStyle.OPEN)
        said = " / ".join(f"{message.role}: {_span(message.text)}" for message in plain.messages)
        yield f"| `{form}` | {', '.join(types)} | {said} → `{plain.entry}` |"
    example = next(s for s in load_bank(pool=Pool.TRAIN).skeletons if s.form is Form.NO_ENTRY)
    yield f"| `{Form.NO_ENTRY}` | | {_span(_plain(example, EntryStyle.OPEN).messages[0].text)} → none |"


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


def _visible(text: str) -> str:
    """Return a text on one line, with what cannot be seen made visible."""
    return show_invisible(text.translate(_MARKS))


def _span(text: str) -> str:
    """Return a text as a code span in a table cell, so that nothing in it is taken for Markdown."""
    text = _visible(text)
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    padding = " " if len(fence) > 1 or text[:1] == text[-1:] == " " else ""
    return _cell(f"{fence}{padding}{text}{padding}{fence}")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
