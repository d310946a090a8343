"""The revised commit: what an agent may send once in the report phase where a protocol allows it."""

from __future__ import annotations

import json

from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.report import Report

_OF_COMMITS = Commit.model_fields.keys() - Report.model_fields.keys()
_OF_REPORTS = Report.model_fields.keys() - Commit.model_fields.keys()


def reads_as_commit(text: str) -> bool:
    """Say whether an action of the report phase means a commit: it names a field of commits, and none of reports.

    Args:
        text: The action.
    """
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(sent, dict) and not sent.keys().isdisjoint(_OF_COMMITS) and sent.keys().isdisjoint(_OF_REPORTS)
