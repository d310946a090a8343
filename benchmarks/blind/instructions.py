"""What a reader is told: the codebook in its own words, how a packet is written, and the form of the answer."""

from __future__ import annotations

from blind.rows import MAX_QUOTES
from riskchain_gym.protocol.codebook import DECISION_RULES, MINIMUM_EVIDENCE, PSEUDO_TYPES, Decision

_HEAD = """\
# Reading sites blind

You are given packets. Each is the text of one web site, all of it. For each packet decide, by the codebook below and
by nothing else, whether the site breaks the rules. Read a packet whole before you answer, and one at a time. Look at
nothing but this page and the packets. All operators, names and numbers are invented: that they are decides nothing.

## How a packet is written

- Pages are numbered in the order in which a walk came to them. The walk followed every link, pressed every button,
  sent every form with made-up values and passed every gate. What no page of the packet shows, no visitor can see.
- `# …` is a heading, `a: b` a label and its value, `a | b` a row of a table; `[picture] …` is text drawn in a picture.
- `[link]`, `[button]`, `[text box]`, `[password box]`, `[check box]`, `[list]`, `[slider]`, `[download]` and
  `[QR code]` are controls. Behind a text box its hint stands in brackets, behind a list stand its options.
- `→ page 4` is where a link or button leads. A button without it changes its own page.
- `--- the same page after “…”` tells what a page shows in addition after something was done. Lines that differ in
  numbers only are told once.
- In a conversation `[site]` and `[visitor]` say who speaks.
"""

_DECISIONS = {
    Decision.VIOLATION: "The minimum evidence of one type below is there, on one page or spread over several.",
    Decision.NON_VIOLATION: (
        "No type has its minimum evidence, and what is shown is an ordinary service. A lone half of it, a warning, "
        "news, or a word that only sounds like a type is not enough."
    ),
    Decision.INSUFFICIENT_EVIDENCE: (
        "No type has its minimum evidence, and what would decide cannot be seen anywhere on the site: the site says "
        "that it is missing, closed, unconfirmed, not yet there or only to be had elsewhere. A gate that was passed "
        "is no such thing."
    ),
}

_FORM = f"""\
## The answer

One JSON object a packet, one a line, in one file:

```
{{"packet": "01", "decision": "…", "type": "…", "quotes": ["…", "…"], "why": "…", "confidence": 4}}
```

- `decision`: one of the three; `type`: one of the nine with VIOLATION, else the one that goes with the decision.
- `quotes`: up to {MAX_QUOTES} lines of the packet, word for word, that decided.
- `why`: one sentence. For OTHER_PROHIBITED_ACTIVITY it names the policy and has ten characters or more.
- `confidence`: 1 (a guess) to 5 (certain).
"""


def instructions() -> str:
    """Return the page that goes with the packets."""
    decisions = [
        f"- {decision} (type: {PSEUDO_TYPES.get(decision, 'one of the nine')}): {said}"
        for decision, said in _DECISIONS.items()
    ]
    types = [f"- {kind}: {said}" for kind, said in MINIMUM_EVIDENCE.items()]
    rules = [f"- {rule}" for rule in DECISION_RULES]
    parts = [
        _HEAD,
        "## Decisions\n\n" + "\n".join(decisions) + "\n",
        "## Types, and what must be there at the least\n\n" + "\n".join(types) + "\n",
        "## Rules\n\n" + "\n".join(rules) + "\n",
        _FORM,
    ]
    return "\n".join(parts)
