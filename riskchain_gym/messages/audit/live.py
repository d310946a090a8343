"""Live domains: nothing in inputs or gold leads anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from riskchain_gym.messages.audit.folder import AuditedFolder, Line
from riskchain_gym.messages.audit.hosts import live_hosts, live_hosts_disguised
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.audit.separation import strings
from riskchain_gym.messages.rows import GoldRow, InputRow


def check_live(folder: AuditedFolder) -> Findings:
    """No text names a host outside the reserved name space.

    Canonical texts are read strictly. Disguised ones, and all texts of a transfer set, are searched for what surely is
    a live host.
    """
    found = Findings("rows")
    for split in folder.splits:
        own: dict[str, set[str]] = {}
        for line in split.gold or ():
            found.count += 1
            if line.row is not None:
                own[line.name] = {label for address in _addresses(line.row) for label in address.split(".")}
            for host in _gold_hosts(line, own.get(line.name, set()), strictly=not folder.imported):
                found.add(f"{split.name} {line.name}", f"the gold names '{host}'")
        for shown in split.inputs:
            found.count += 1
            labels = own.get(shown.name)
            texts = ["\n".join(strings(shown.raw))] if labels is not None else list(_without_codes(folder, shown))
            for host in dict.fromkeys(host for text in texts for host in live_hosts_disguised(text, labels)):
                found.add(f"{split.name} {shown.name}", f"names '{host}'")
    return found


def _addresses(gold: GoldRow) -> tuple[str, ...]:
    return (*((gold.entry,) if gold.entry is not None else ()), *gold.decoys)


def _gold_hosts(line: Line[GoldRow], own: set[str], *, strictly: bool) -> dict[str, None]:
    hosts = dict.fromkeys(live_hosts_disguised("\n".join(strings(line.raw)), own))
    if line.row is not None and strictly:
        for text in (*_addresses(line.row), *(message.text for message in line.row.messages)):
            hosts |= dict.fromkeys(live_hosts(text))
    return hosts


def _without_codes(folder: AuditedFolder, line: Line[InputRow]) -> Iterator[str]:
    """Yield the texts of a row whose addresses are unknown, its platform's codes taken out of them."""
    for text in strings(line.raw):
        done = 0
        kept: list[str] = []
        for start, end in folder.bank.profiles[line.row.platform].find(text) if line.row is not None else ():
            kept.append(text[done:start])
            done = end
        yield "".join((*kept, text[done:]))
