"""The audit: every check on a folder of messages, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.messages.audit.codes import check_codes
from riskchain_gym.messages.audit.disjoint import check_disjoint
from riskchain_gym.messages.audit.duplicates import check_duplicates
from riskchain_gym.messages.audit.files import check_files, check_ids, check_rows
from riskchain_gym.messages.audit.folder import AuditedFolder, read_folder
from riskchain_gym.messages.audit.links import check_links
from riskchain_gym.messages.audit.live import check_live
from riskchain_gym.messages.audit.parity import PARITY_SPLIT, check_parity
from riskchain_gym.messages.audit.private import check_private, check_separation
from riskchain_gym.messages.audit.result import CheckResult, Findings
from riskchain_gym.messages.audit.texts import check_canonical, check_entries, check_traces
from riskchain_gym.messages.bank import MessageBank, load_bank


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: What it is called.
        run: Looks at a folder.
        needs_gold: Whether it is skipped on a public part.
        needs_build: Whether it is skipped on a transfer set, whose texts nobody here has made.
        needs_split: A split without which it is skipped, or ``""``.
    """

    name: str
    run: Callable[[AuditedFolder], Findings]
    needs_gold: bool = False
    needs_build: bool = False
    needs_split: str = ""

    def on(self, folder: AuditedFolder) -> CheckResult:
        """Return what it finds in a folder, or why it was skipped."""
        reason = ""
        if self.needs_gold and not folder.has_gold:
            reason = "the folder holds no gold"
        elif self.needs_build and folder.imported:
            reason = "the texts were imported"
        elif self.needs_split and self.needs_split not in folder.pins:
            reason = f"the folder holds no split '{self.needs_split}'"
        if reason:
            return CheckResult(name=self.name, status="SKIPPED", looked_at=reason)
        return self.run(folder).result(self.name)


CHECKS = (
    Check("files", check_files),
    Check("rows", check_rows),
    Check("ids", check_ids),
    Check("traces", check_traces, needs_gold=True, needs_build=True),
    Check("entries", check_entries, needs_gold=True),
    Check("canonical texts", check_canonical, needs_gold=True),
    Check("platform codes", check_codes, needs_build=True),
    Check("duplicates", check_duplicates),
    Check("gold separation", check_separation),
    Check("unlinkable ids", check_links, needs_gold=True, needs_build=True),
    Check("live domains", check_live),
    Check("credentials", check_private),
    Check("disjoint pools", check_disjoint, needs_gold=True, needs_build=True),
    Check("parity", check_parity, needs_build=True, needs_split=PARITY_SPLIT),
)
"""Every check, in the order of results."""


def audit(folder: Path, bank: MessageBank | None = None) -> list[CheckResult]:
    """Return what every check finds in a folder of messages.

    Args:
        folder: A folder that ``riskchain build messages`` or ``riskchain messages import`` wrote; gold may be missing,
            as in the part that is given to others.
        bank: What its messages may be written from; the package's whole bank by default.

    Raises:
        InputFileError: The folder cannot be read: no manifest, no inputs, or a file that is not UTF-8.
    """
    read = read_folder(folder, bank or load_bank())
    return [check.on(read) for check in CHECKS]
