"""Names of the hosts that episodes are shown on."""

from __future__ import annotations

import re
import secrets
import string

from riskchain_gym.protocol.page import STABLE_HOST

_LENGTH = 20
_STABLE_LABEL = STABLE_HOST.partition(".")[0]

HOST_NAME = re.compile(rf"[a-z][a-z0-9]{{{_LENGTH - 1}}}\.test")
"""What such a name looks like."""


def opaque_host() -> str:
    """Return a host name that nothing can be read off and no earlier episode has used."""
    # Digits are equally wide in most fonts: where a page shows its host, its boxes are those of every other episode.
    return f"h{''.join(secrets.choice(string.digits) for _ in range(_LENGTH - 1))}.test"


def without_host(text: str, host: str) -> str:
    """Return what is told of a page with its host, wherever a script has written it, as ``STABLE_HOST`` has it.

    Only the first part of the name is looked for, in letters of either case: scripts may have written that alone.
    ``told`` in ``js/shared.js`` does the same inside the page.

    Args:
        text: What is told.
        host: The episode's host.
    """
    label = host.partition(".")[0]
    return text.replace(label, _STABLE_LABEL).replace(label.upper(), _STABLE_LABEL)
