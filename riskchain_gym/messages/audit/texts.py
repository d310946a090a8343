"""Checks on what is said: traces that lead back, entries of the right form, canonical texts that name them once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from riskchain_gym.messages.alignment import AlignmentRow
from riskchain_gym.messages.audit.folder import AuditedFolder, Pair
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.entries import ENTRY_PATTERN, entries_in
from riskchain_gym.messages.plain import Address, AddressKind
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.trace import TraceError, apply, reverse


def check_traces(folder: AuditedFolder) -> Findings:
    """The trace, and the alignment, lead from every disguised message to its canonical text and the trace back again.

    What recipients and the system say is unchanged.
    """
    found = Findings("messages")
    for split in folder.splits:
        aligned = {(r.sample_id, r.message_id): r for line in split.alignment or () if (r := line.row) is not None}
        for pair in split.pairs:
            for shown, plain in zip(pair.input.messages, pair.gold.messages, strict=False):
                found.count += 1
                row = aligned.get((pair.input.sample_id, shown.message_id))
                problem = trace_problem(pair.gold, shown.message_id, shown.content, plain.text)
                if split.alignment is not None:
                    problem = problem or _alignment_problem(row, shown.content, plain.text)
                if shown.role != "sender" and (
                    shown.content != plain.text or pair.gold.trace.stages.get(shown.message_id)
                ):
                    problem = problem or f"is of the {shown.role} and was changed"
                if problem:
                    found.add(pair.where, f"{shown.message_id} {problem}")
    return found


def trace_problem(gold: GoldRow, message_id: str, content: str, plain: str) -> str:
    """Return why the trace does not lead from the canonical text of a message to its content and back, or ``""``."""
    try:
        if (restored := reverse(content, gold.trace, message_id)) != plain:
            return f"the trace leads back to {restored!r}, the canonical text is {plain!r}"
        written = plain
        for stage in gold.trace.stages[message_id]:
            written = apply(written, stage)
    except TraceError as error:
        return str(error)
    return "" if written == content else f"the trace writes {written!r}, the content is {content!r}"


def _alignment_problem(row: AlignmentRow | None, content: str, plain: str) -> str:
    if row is None:
        return "has no alignment row"
    try:
        return "" if row.restore(content) == plain else "the alignment does not lead to the canonical text"
    except TraceError as error:
        return str(error)


def check_entries(folder: AuditedFolder) -> Findings:
    """Entries and decoys are lower-case three-label ``.test`` names, and each belongs to one session.

    The two halves of a contrast pair share theirs.
    """
    found = Findings("addresses")
    owners: dict[str, dict[str, str]] = defaultdict(dict)
    sessions = set()
    for pair in folder.pairs:
        gold = pair.gold
        for address in (*((gold.entry,) if gold.entry is not None else ()), *gold.decoys):
            if not ENTRY_PATTERN.fullmatch(address):
                found.add(pair.where, f"'{address}' is no lower-case label.label.test")
            owner = f"{pair.split} pair {gold.pair}" if gold.pair else f"{pair.split} {gold.session_id}"
            owners[address].setdefault(owner, pair.where)
        if gold.entry in gold.decoys:
            found.add(pair.where, f"'{gold.entry}' is both the entry and a decoy")
        sessions.add((pair.split, gold.session_id))
    found.count = len(owners)
    for address, places in owners.items():
        if len(places) > 1 and not folder.imported:
            first, second, *_ = places.values()
            found.add(second, f"'{address}' belongs to {first} already")
    return found


def check_canonical(folder: AuditedFolder) -> Findings:
    """A canonical session names its entry once and its decoys as recorded; its variants agree on what it says."""
    found = Findings("sessions")
    first: dict[str, Pair] = {}
    for pair in folder.pairs:
        known = first.setdefault(pair.gold.session_id, pair)
        if known is not pair:
            if _said(known.gold) != _said(pair.gold):
                found.add(pair.where, f"says another thing than {known.input.sample_id} of the same session")
            continue
        found.count += 1
        if problem := address_problem(pair.gold, imported=folder.imported):
            found.add(pair.where, problem)
    return found


def _said(gold: GoldRow) -> tuple[object, ...]:
    return (gold.entry, gold.messages, gold.intent, gold.platform, gold.decoys, gold.form, gold.skeleton, gold.language)


def address_problem(gold: GoldRow, *, imported: bool = False) -> str:
    """Return what the canonical texts name that is not recorded, or the other way round, or ``""``."""
    if imported:
        addresses = [address for m in gold.messages for address in entries_in(m.text)]
        return "" if gold.entry is None or addresses == [gold.entry] else f"does not name '{gold.entry}' once"
    named = Counter(address for m in gold.messages for address in ENTRY_PATTERN.findall(m.text))
    if gold.form == Form.NO_ENTRY:
        return f"names {', '.join(named)} or has an entry, but is to have none" if named or gold.entry else ""
    if gold.entry is None:
        return f"has no entry, but is of form '{gold.form}'"
    wanted = Counter(gold.decoys)
    if gold.form == Form.SPLIT:
        kinds = [address.kind for _, address in addresses_of(gold)]
        if kinds.count(AddressKind.FIRST) != 1 or kinds.count(AddressKind.REST) != 1:
            return f"does not hold each part of '{gold.entry}' once"
    else:
        wanted[gold.entry] += 1
    return "" if named == wanted else f"names {dict(named)}, recorded are {dict(wanted)}"


def addresses_of(gold: GoldRow) -> Iterator[tuple[str, Address]]:
    """Yield the message id and place of every address, or part of a split one, in the canonical texts."""
    first, _, rest = (gold.entry or "").partition(".")
    for message in gold.messages:
        for match in ENTRY_PATTERN.finditer(message.text):
            kind = AddressKind.ENTRY if match.group() == gold.entry else AddressKind.DECOY
            yield message.message_id, Address(*match.span(), kind)
        if gold.form == Form.SPLIT:
            for kind, part in ((AddressKind.FIRST, first), (AddressKind.REST, rest)):
                for start in _places(message.text, part):
                    yield message.message_id, Address(start, start + len(part), kind)


def _places(text: str, part: str) -> Iterator[int]:
    """Yield where a part stands by itself, not within a longer name."""
    start = text.find(part)
    while part and start >= 0:
        before, after = text[:start][-1:], text[start + len(part) :][:1]
        if not any(c.isascii() and (c.isalnum() or c in ".-") for c in before + after.replace(".", "")):
            yield start
        start = text.find(part, start + 1)
