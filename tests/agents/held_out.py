"""Finds wording that only held-out splits have: ``python tests/agents/held_out.py [--check]``.

The wording of a split is cut into runs of up to six characters and Latin words, four characters long or more. Of those
that ``dev``, ``ood``, ``test`` or ``hard`` hold and ``train`` does not, the shortest are kept, as fingerprints in
``data/``: ``held_out.bin`` from sites and messages, ``held_out_messages.bin`` from messages alone. So a test can tell
in a moment whether a string gives away what is held out, though neither the sites nor the strings are at hand.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from riskchain_gym.agents.read.phrases import phrase_of, pieces
from riskchain_gym.fitting.gold_lines import SEED, SPLIT, built_sites, shown_texts, spelling
from riskchain_gym.fitting.ngram import SESSIONS
from riskchain_gym.fitting.words import write_or_check
from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.drafts import draft_unit
from riskchain_gym.messages.lexicon import TABLES
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.messages.pools import Pool
from riskchain_gym.protocol.keyed import key_from_seed

DATA = Path(__file__).parent / "data"
ANYWHERE, IN_MESSAGES = DATA / "held_out.bin", DATA / "held_out_messages.bin"
HELD_OUT = ("dev", "ood", "test", "hard")
"""Splits of messages."""

HELD_OUT_SITES = ("dev", "ood", "candidates")
"""Parts of the pool of sites; ``test`` and ``hard`` are chosen among the candidates."""

LONG = 4
"""Characters, blanks apart, from which on a string may not come from what is held out."""

LONGEST = 6
"""Characters and Latin words of the longest run that is looked at."""

_BYTES = 5
_ADDRESS = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_PLACE = re.compile(r"\{[A-Z0-9]+\}")
_SLOT = re.compile(r"\{([a-z_0-9]+)\}")


def runs(text: str) -> set[str]:
    """Return the long runs of a text, each in one spelling; a line break ends a run."""
    found = set()
    for line in text.split("\n"):
        cut = pieces(spelling(line))
        for start in range(len(cut)):
            for end in range(start + 1, min(start + LONGEST, len(cut)) + 1):
                run = phrase_of(cut[start:end])
                if len(run.replace(" ", "")) >= LONG:
                    found.add(run)
    return found


def fingerprint(run: str) -> bytes:
    return hashlib.blake2b(run.encode(), digest_size=_BYTES).digest()


def shortest(found: set[str]) -> set[str]:
    """Leave out the runs that hold another one."""
    return {run for run in found if runs(run) & found == {run}}


def read_fingerprints(path: Path) -> set[bytes]:
    raw = path.read_bytes()
    return {raw[start : start + _BYTES] for start in range(0, len(raw), _BYTES)}


def gives_away(text: str, fingerprints: set[bytes]) -> bool:
    """Return whether a text holds a run of held-out splits that train does not show."""
    return any(fingerprint(run) in fingerprints for run in runs(text))


def message_texts(split: str) -> Iterator[str]:
    """Yield what the messages of a split can say: those that are built, every phrase of every slot, word by word."""
    plan, key = get_plan(split), key_from_seed(SEED)
    for number in range(SESSIONS if plan.endless else plan.sessions):
        for draft in draft_unit(plan, key, number):
            yield from (_ADDRESS.sub("\n", message.text) for message in draft.plain.messages)
    bank = load_bank(pool=Pool(split))
    for skeleton in bank.skeletons:
        first = {name: phrases[0] for name, phrases in skeleton.slots.items()}
        for line in skeleton.messages:
            text = _PLACE.sub("\n", line.text)
            for slot in {*_SLOT.findall(text)}:
                for phrase in skeleton.slots[slot]:
                    yield _SLOT.sub(lambda place, filled={**first, slot: phrase}: filled[place.group(1)], text)
            if not _SLOT.search(text):
                yield text
    for table in map(bank.lexicon.table, TABLES):
        yield from chain.from_iterable((word, *surrogates) for word, surrogates in table.items())


def site_texts(part: str) -> Iterator[str]:
    """Yield what the sites of a part of the pool show."""
    for site, _ in built_sites(split=part):
        yield from (text for _, text in shown_texts(site))


def fingerprints_of(held: set[str], known: set[str]) -> bytes:
    return b"".join(sorted(map(fingerprint, shortest(held - known))))


def made_files() -> dict[Path, bytes]:
    """Return the content of both files."""
    said, shown = _all_runs(map(message_texts, HELD_OUT)), _all_runs(map(site_texts, HELD_OUT_SITES))
    known_said, known_shown = _all_runs([message_texts(SPLIT)]), _all_runs([site_texts(SPLIT)])
    return {
        ANYWHERE: fingerprints_of(said | shown, known_said | known_shown),
        IN_MESSAGES: fingerprints_of(said, known_said),
    }


def _all_runs(sources: Iterable[Iterable[str]]) -> set[str]:
    return set().union(*map(runs, set(chain.from_iterable(sources))))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    options = parser.parse_args(arguments)
    return write_or_check(made_files(), check=options.check)


if __name__ == "__main__":
    sys.exit(main())
