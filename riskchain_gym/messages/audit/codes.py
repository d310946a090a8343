"""Code isolation: a message carries emoji codes of its own platform only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from riskchain_gym.messages.audit.folder import AuditedFolder
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.rows import GoldRow, InputRow
from riskchain_gym.messages.tokens import TokenForm, TokenProfile
from riskchain_gym.protocol.message import Platform

_CODE_RULE = "token:"
"""How the rule of an edit that inserts a code begins; the platform follows."""


def check_codes(folder: AuditedFolder) -> Findings:
    """No input holds a code that another platform has and its own has not, and no trace inserts one.

    What another platform's code and an own one share is not counted. A plain emoji, which two platforms have for a
    code, is one only where the trace does not say that a word was written so; without gold it is not counted.
    """
    found = Findings("rows")
    gold = {pair.input.sample_id: pair.gold for pair in folder.pairs}
    for split in folder.splits:
        for line in split.inputs:
            if (row := line.row) is None:
                continue
            found.count += 1
            record = gold.get(row.sample_id)
            profiles = folder.bank.profiles
            for code in dict.fromkeys((*_foreign(row, record, profiles), *_inserted(row, record, profiles))):
                found.add(f"{split.name} {row.sample_id}", f"{code!r} is no code of {row.platform}")
    return found


def _foreign(row: InputRow, gold: GoldRow | None, profiles: Mapping[Platform, TokenProfile]) -> Iterator[str]:
    own = profiles[row.platform]
    others = {
        code: profile.form
        for profile in profiles.values()
        if profile.platform is not row.platform
        for code in profile.codes
        if code not in own.codes
    }
    written = "".join(
        edit.after
        for stages in (gold.trace.stages.values() if gold is not None else ())
        for stage in stages
        for edit in stage.edits
        if not edit.rule.startswith(_CODE_RULE)
    )
    for message in row.messages:
        spans = own.find(message.content)
        for code, form in others.items():
            if form is TokenForm.UNICODE_EMOJI and (gold is None or code in written):
                continue
            start = message.content.find(code)
            while start >= 0:
                if all(end <= start or start + len(code) <= begin for begin, end in spans):
                    yield code
                start = message.content.find(code, start + 1)


def _inserted(row: InputRow, gold: GoldRow | None, profiles: Mapping[Platform, TokenProfile]) -> Iterator[str]:
    own = profiles[row.platform]
    for stages in gold.trace.stages.values() if gold is not None else ():
        for stage in stages:
            for edit in stage.edits:
                if edit.rule.startswith(_CODE_RULE) and (
                    edit.rule != f"{_CODE_RULE}{row.platform}" or edit.after not in own.codes
                ):
                    yield edit.after
