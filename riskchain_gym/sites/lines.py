"""Lines: the places of a family's pages that its members fill, so that all of them share the shape of every page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from riskchain_gym.sites.spec import FactSpec

LINE_KEY = "line"
"""Key by which a block, an item, a row, a card, a field, a button or a chat line takes its text from a member."""

LINE_FACT = "line__"
"""How the name of the fact begins that holds the wording chosen for a line."""

_TYPED = ("claim", "action")


class LineError(ValueError):
    """A line that cannot be put in place.

    Attributes:
        field: Dotted field it concerns.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


def put_lines(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return an archetype, family merged in, with every ``line: NAME`` replaced by the member's text and atom.

    A line is a text, a list of texts of which each site uses one, or a mapping ``{text, atom}``. A claim or an action
    without a ``type`` is one of the label's type. A line that is given as a list becomes a fact.

    Args:
        raw: The mapping as it was read; ``lines`` is taken out of it.

    Raises:
        LineError: The first of :func:`line_problems`.
    """
    merged, problems = _put_all(raw)
    if problems:
        raise problems[0]
    return merged


def line_problems(raw: Mapping[str, Any]) -> list[LineError]:
    """Return every line that a page uses and the member lacks, that no page uses, or that has a wrong form.

    Args:
        raw: The archetype as it was read, family merged in.
    """
    return _put_all(raw)[1]


def _put_all(raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[LineError]]:
    problems: list[LineError] = []
    lines = raw.get("lines") or {}
    if not isinstance(lines, Mapping):
        return dict(raw), [LineError("lines", "must be a mapping from line names to texts")]
    own_type, facts = _own_type(raw), dict[str, Any]()
    used = set(line_names(raw.get("pages", {})))
    ready: dict[str, dict[str, Any]] = {}
    missing = "a page of the family uses this line and the member does not give it"
    problems += [LineError(f"lines.{name}", missing) for name in sorted(used - lines.keys())]
    for name, line in lines.items():
        try:
            ready[str(name)] = _ready(str(name), line, own_type, facts)
        except LineError as error:
            problems.append(error)
        if name not in used:
            problems.append(
                LineError(f"lines.{name}", "no page of the family uses this line; remove it or fix the name")
            )
    if problems:
        return dict(raw), problems
    merged = {key: value for key, value in raw.items() if key != "lines"} | {"pages": _put(raw.get("pages", {}), ready)}
    if facts:
        merged["facts"] = {**raw.get("facts", {}), **facts}
    return merged, []


def line_field(family: Any, field: str) -> str | None:
    """Return the field of a member that a field of the merged archetype comes from, or ``None`` for one of the family.

    Args:
        family: The family as it was read.
        field: Dotted field, e.g. ``pages.rules.blocks.1.text``.
    """
    parts = field.split(".")
    if parts[0] == "facts" and len(parts) > 1 and parts[1].startswith(LINE_FACT):
        return f"lines.{parts[1].removeprefix(LINE_FACT)}"
    here = family
    for i, part in enumerate(parts):
        if isinstance(here, Mapping) and LINE_KEY in here:
            rest = parts[i:] if part == "atom" else []
            return ".".join(["lines", str(here[LINE_KEY]), *rest])
        try:
            here = here[int(part)] if isinstance(here, list) else here[part]
        except (LookupError, TypeError, ValueError):
            return None
    return None


def line_names(pages: Any) -> Iterator[str]:
    """Yield the names of the lines that raw pages use, in document order, repeated when used twice."""
    if isinstance(pages, Mapping):
        if LINE_KEY in pages:
            yield str(pages[LINE_KEY])
        for value in pages.values():
            yield from line_names(value)
    elif isinstance(pages, list):
        for value in pages:
            yield from line_names(value)


def wordings(text: str, facts: Mapping[str, FactSpec]) -> tuple[str, ...]:
    """Return what a text can be: every wording of a line that has several, else itself.

    Args:
        text: A text as the spec has it.
        facts: The archetype's facts.
    """
    inside = text.removeprefix("[[ ").removesuffix(" ]]")
    fact = facts.get(inside) if inside.startswith(LINE_FACT) else None
    return (text,) if fact is None or fact.choice is None else tuple(map(str, fact.choice))


def member_lines(written: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield name, wording and atom, as it is written, of the lines of a member; those of a wrong form are left out.

    Args:
        written: What the member's own file holds.
    """
    lines = written.get("lines")
    for name, line in lines.items() if isinstance(lines, Mapping) else ():
        facts: dict[str, Any] = {}
        try:
            ready = _ready(str(name), line, _own_type(written), facts)
        except LineError:
            continue
        for fact in facts.values() or [{"choice": [ready["text"]]}]:
            yield from ((str(name), wording, ready.get("atom")) for wording in fact["choice"])


def _own_type(raw: Mapping[str, Any]) -> Any:
    """Return the type that a claim or an action without one is of."""
    label = raw.get("label")
    return label.get("type") if isinstance(label, Mapping) and label.get("decision") == "VIOLATION" else None


def _ready(name: str, line: Any, own_type: Any, facts: dict[str, Any]) -> dict[str, Any]:
    given = dict(line) if isinstance(line, Mapping) else {"text": line}
    unknown = sorted(given.keys() - {"text", "atom"})
    if unknown:
        raise LineError(f"lines.{name}.{unknown[0]}", "a line has a text and perhaps an atom, nothing else")
    text = given.get("text")
    if isinstance(text, list):
        if not text or not all(isinstance(option, str) for option in text):
            raise LineError(f"lines.{name}", "a list of wordings must hold at least one text, and texts only")
        facts[LINE_FACT + name] = {"choice": text}
        given["text"] = f"[[ {LINE_FACT}{name} ]]"
    elif not isinstance(text, str):
        raise LineError(f"lines.{name}", f"must be a text, a list of texts or {{text, atom}}, not {text!r}")
    atom = given.get("atom")
    if isinstance(atom, Mapping) and atom.get("component") in _TYPED and "type" not in atom and own_type is not None:
        given["atom"] = {**atom, "type": own_type}
    return given


def _put(value: Any, lines: Mapping[str, Mapping[str, Any]]) -> Any:
    if isinstance(value, list):
        return [_put(item, lines) for item in value]
    if not isinstance(value, Mapping):
        return value
    rest = {key: _put(item, lines) for key, item in value.items() if key != LINE_KEY}
    if LINE_KEY in value:
        line = lines[str(value[LINE_KEY])]
        rest[_text_key(value)] = line["text"]
        if "atom" in line:
            rest["atom"] = line["atom"]
    return rest


def _text_key(owner: Mapping[str, Any]) -> str:
    """Return the key whose text a line fills: the one an atom marks."""
    if owner.get("kind") == "form":
        return "title"
    if "name" in owner:
        return "label"
    return "value" if "label" in owner and "kind" not in owner else "text"
