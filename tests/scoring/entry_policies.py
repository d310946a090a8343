"""The published table of entry policies, T077 to T087: value, historical, handoff, strict, for ``alpha.beta.test``."""

from __future__ import annotations

PUBLISHED = (
    ("alpha.beta.test", True, True, True),
    ("ALPHA.BETA.TEST", True, True, False),
    (" alpha.beta.test", True, True, False),
    ("alpha.beta.test/", True, True, False),
    ("alpha.beta.test.", True, False, False),
    ("https://alpha.beta.test", True, False, False),
    ("https://alpha.beta.test:443/", True, False, False),
    ("alpha.beta.test:443", True, False, False),
    ("http://alpha.beta.test", False, False, False),
    ("alpha.beta.test/start", False, False, False),
    ("alpha[.]beta.test", False, False, False),
)
