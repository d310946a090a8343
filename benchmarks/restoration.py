"""How far each rung of the rule ladder restores messages, by recipe and severity, beside the computed ceiling.

Usage: python benchmarks/restoration.py [--sessions 60] [--technique NAME ...] [--check] [--json]

Tables: the six published recipes on sessions of the ``test`` pool; every technique alone at severity 1 to 3 on sessions
of the ``hard`` pool with entries of the open style, with columns for ``rules+lm`` and ``learned``; the session forms of
``hard``, undisguised; whole splits, each with rows for these two; the techniques that ``train`` shows by severity; and
how often clean text is changed and an entry found where there is none. The ``test`` rows
hold all six variants of every session; ``full`` is the share with texts, intent, platform and first entry right.
``ceiling`` is the mean probability of the likeliest entry for a reader who knows the recipe (see
``riskchain_gym.messages.ceiling``): what Entry Top-1 can reach. Rungs are cumulative; the last one is the ``rules``
restorer, beside which ``copy`` and ``normalize`` stand. Its speed is measured in processor time of one process on one
variant of every session of ``test``, none seen before, tables loaded.

``--check`` exits with 1 unless the six published recipes reach 99 % Entry Top-1, ``test`` reaches 99 % Entry Top-1 and
75 % Full, at least eight techniques at severity 2 have a ceiling of 90 % or more while the full ladder stays below
70 %, ``learned`` is 10 points or more above ``rules+lm`` on the techniques that ``train`` shows, and the full ladder
restores 200 messages a second.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice

from rich.console import Console
from rich.progress import track
from rich.table import Table

from riskchain_gym.agents.base import Restorer
from riskchain_gym.agents.restore.copying import CopyRestorer
from riskchain_gym.agents.restore.learned import LearnedRestorer
from riskchain_gym.agents.restore.normalizing import NormalizeRestorer
from riskchain_gym.agents.restore.rules import RulesRestorer, Rung
from riskchain_gym.agents.restore.rules_lm import RulesLMRestorer
from riskchain_gym.messages.bank import MessageBank, load_bank
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES
from riskchain_gym.messages.session import SURFACES, Session, build_session, write_session
from riskchain_gym.messages.splits import iter_sessions, sessions_with
from riskchain_gym.messages.techniques.base import SEVERITIES, Technique
from riskchain_gym.messages.techniques.registry import get_technique, techniques
from riskchain_gym.messages.turns import in_turn
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.keyed import derive_key, key_from_seed
from riskchain_gym.protocol.message import Message
from riskchain_gym.scoring.restoration import score_restoration

RESTORERS: dict[str, Restorer] = {
    "copy": CopyRestorer(),
    "normalize": NormalizeRestorer(),
    **{str(rung): RulesRestorer(rung) for rung in Rung},
}
SEED_KEY = key_from_seed(2026)
FULL = str(list(Rung)[-1])
WITH_MODEL: dict[str, Restorer] = {"rules+lm": RulesLMRestorer()}
LEARNED: dict[str, Restorer] = {"learned": LearnedRestorer()}
LEAST_PUBLISHED, LEAST_FULL, LEAST_CEILING, MOST_LADDER, LEAST_LEARNABLE = 99.0, 75.0, 90.0, 70.0, 8
LEAST_SPEED = 200.0
LEAST_GAIN = 10.0

Case = tuple[Message, MessageGold, float]


@dataclass
class Line:
    """One row of a table; shares in per cent.

    Attributes:
        recipe: Name of the recipe.
        held_out: Whether the training mix never uses it.
        cases: Number of messages.
        ceiling: Mean posterior of the likeliest entry.
        top1: Entry Top-1 by restorer.
        recall: Share of cases whose entry is among the five candidates of the last of these restorers.
        exact: Share of cases whose text it restores exactly.
        intent: Share of cases whose intent it names.
        full: Share of cases with texts, intent, platform and first entry right.
        cer: Its pooled character error rate.
    """

    recipe: str
    held_out: bool
    cases: int = 0
    ceiling: float = 0.0
    top1: dict[str, float] = field(default_factory=dict)
    recall: float = 0.0
    exact: float = 0.0
    intent: float = 0.0
    full: float = 0.0
    cer: float = 0.0


def measure(
    recipe: str, cases: Sequence[Case], *, held_out: bool = False, restorers: Mapping[str, Restorer] = RESTORERS
) -> Line:
    line = Line(recipe, held_out, len(cases), 100 * sum(c for _, _, c in cases) / len(cases))
    for name, restorer in restorers.items():
        results = [score_restoration(restorer.restore(message), gold) for message, gold, _ in cases]
        line.top1[name] = 100 * sum(r.entry_rank == 1 for r in results) / len(results)
        if name == list(restorers)[-1]:
            line.recall = 100 * sum(r.entry_rank is not None for r in results) / len(results)
            line.exact = 100 * sum(r.message_exact for r in results) / len(results)
            line.intent = 100 * sum(r.intent_correct for r in results) / len(results)
            line.full = 100 * sum(r.full for r in results) / len(results)
            line.cer = 100 * sum(r.edit_distance for r in results) / sum(r.reference_length for r in results)
    return line


def cases_of(sessions: Iterable[Session], variant: str) -> list[Case]:
    return [(s.variants[variant], s.gold, s.gold.ceilings[variant]) for s in sessions]


def published(count: int) -> Iterator[Line]:
    key = derive_key(SEED_KEY, "benchmark", "published")
    bank = load_bank(pool=Pool.TEST)
    sessions = [build_session(key, i, platform=PAPER_PLATFORMS[i % 6], bank=bank) for i in range(count)]
    for number, recipe in enumerate(PAPER_RECIPES):
        yield measure(recipe, cases_of(sessions, f"v{number:03d}"))


def alone(chosen: Sequence[Technique], count: int) -> Iterator[Line]:
    bank = load_bank(pool=Pool.HARD)
    for technique in track(chosen, "Techniques", console=Console(stderr=True)):
        for severity in SEVERITIES:
            recipe = f"{technique.name}@{severity}"
            cases = cases_of((one(bank, technique, recipe, i) for i in range(count)), "v000")
            line = measure(recipe, cases, held_out=technique.held_out)
            line.top1 |= measure(recipe, cases, restorers=WITH_MODEL | LEARNED).top1
            yield line


def one(bank: MessageBank, technique: Technique, recipe: str, index: int) -> Session:
    key = derive_key(SEED_KEY, "benchmark", "alone")
    english = [s for s in bank.skeletons if s.language == "en" and s.form == "single"]
    plain = plain_session(
        key,
        str(index),
        skeleton=in_turn(key, "skeletons", bank.parity_skeletons if "zh" in technique.languages else english, index),
        platform=PAPER_PLATFORMS[index % 6],
        surface=SURFACES[index % 4],
        style=EntryStyle.OPEN,
    )
    return write_session(plain, key, str(index), recipes=[recipe], bank=bank)


def forms(count: int) -> Iterator[Line]:
    by_form: dict[str, list[Session]] = defaultdict(list)
    for session in islice(sessions_with("hard", SEED_KEY, CLEAN), 20 * count):
        by_form[session.gold.form].append(session)
    for form, sessions in sorted(by_form.items()):
        yield measure(f"form {form}", cases_of(sessions[:count], "v000"))


def splits() -> Iterator[Line]:
    for split in ("test", "dev", "hard", "ood", "contrast"):
        sessions = list(iter_sessions(split, SEED_KEY))
        variants = sessions[0].variants if split == "test" else ["v000"]
        cases = [case for variant in variants for case in cases_of(sessions, variant)]
        yield measure(split, cases)
        yield measure(f"{split}, rules+lm", cases, restorers=WITH_MODEL)
        yield measure(f"{split}, learned", cases, restorers=LEARNED)
        if split == "hard":
            for name, unseen in (("hard, techniques of train", False), ("hard, others too", True)):
                part = [session for session in sessions if has_held_out(session) is unseen]
                yield measure(name, cases_of(part, "v000"))
                yield measure(f"{name}, learned", cases_of(part, "v000"), restorers=LEARNED)


def has_held_out(session: Session) -> bool:
    return any(get_technique(step.partition("@")[0]).held_out for step in session.recipes["v000"].split("+"))


def seen_by_severity(lines: Sequence[Line]) -> dict[str, float]:
    """Return the mean Entry Top-1 of techniques that ``train`` shows, by restorer and severity."""
    seen = [line for line in lines if not line.held_out]
    groups = [(f"@{severity}", f"severity {severity}") for severity in SEVERITIES] + [("", "severities 1 to 3")]
    return {
        f"{name}, {words}": sum(part) / len(part)
        for name in (*WITH_MODEL, *LEARNED)
        for end, words in groups
        if (part := [line.top1[name] for line in seen if line.recipe.endswith(end)])
    }


def controls() -> dict[str, float]:
    """Return how often clean text is changed, and how often an entry is found where there is none."""
    return {
        f"{rate}, {name}": share
        for name, restorer in (("rules", RESTORERS[FULL]), *LEARNED.items())
        for rate, share in controls_of(restorer).items()
    }


def controls_of(restorer: Restorer) -> dict[str, float]:
    changed = total = false = without = 0
    for session in iter_sessions("clean", SEED_KEY):
        commit = restorer.restore(session.variants["v000"])
        restored = {m.message_id: m.text for m in commit.reconstructed_messages}
        total += 1
        changed += any(restored[m.message_id] != m.text for m in session.gold.messages)
    for session in iter_sessions("no_entry", SEED_KEY):
        without += 1
        false += bool(restorer.restore(session.variants["v000"]).entry_candidates)
    return {"false_edit_rate_on_clean": 100 * changed / total, "false_entry_rate_without_entry": 100 * false / without}


def speed() -> float:
    """Return how many messages of ``test`` a second of processor time the full ladder restores; to be called first."""
    restorer = RESTORERS[FULL]
    sessions = list(iter_sessions("test", SEED_KEY))
    messages = [session.variants[f"v{i % 6:03d}"] for i, session in enumerate(sessions)]
    restorer.restore(messages.pop())  # loads the tables
    begin = time.process_time()
    for message in messages:
        restorer.restore(message)
    return sum(len(message.messages) for message in messages) / (time.process_time() - begin)


def show(title: str, lines: Sequence[Line]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("recipe")
    restorers = dict.fromkeys(name for line in lines for name in line.top1)
    for heading in ("ceiling", *restorers, "recall@5", "exact", "intent", "full", "CER"):
        table.add_column(heading, justify="right")
    for line in lines:
        top1 = [line.top1.get(name) for name in restorers]
        cells = [line.ceiling, *top1, line.recall, line.exact, line.intent, line.full]
        mark = " (ood)" if line.held_out else ""
        shown = ["" if cell is None else f"{cell:.1f}" for cell in cells]
        table.add_row(line.recipe + mark, *shown, f"{line.cer:.2f}")
    Console(width=170).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--technique", action="append", help="only these; repeat for more (default: all)")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = [get_technique(name) for name in arguments.technique or []] or list(techniques())
    fast = speed()
    paper = list(published(max(arguments.sessions, 120)))
    lines = list(alone(chosen, arguments.sessions))
    formed, whole = list(forms(arguments.sessions)), list(splits())
    rates = controls() | {"messages_per_second": fast}
    by_severity = seen_by_severity(lines)
    learnable = [
        line.recipe
        for line in lines
        if line.recipe.endswith("@2") and line.ceiling >= LEAST_CEILING and line.top1[FULL] < MOST_LADDER
    ]
    if arguments.json:
        rows = {"published": paper, "techniques": lines, "forms": formed, "splits": whole}
        print(
            json.dumps(
                {k: [asdict(line) for line in v] for k, v in rows.items()} | rates | by_severity, ensure_ascii=False
            )
        )
    else:
        show("Published recipes, test pool: Entry Top-1 by rung, %", paper)
        show("Techniques alone, hard pool: Entry Top-1 by rung, %", lines)
        show("Session forms of hard, undisguised: Entry Top-1 by rung, %", formed)
        show("Whole splits: Entry Top-1 by rung, %", whole)
        for name, share in by_severity.items():
            print(f"techniques that train shows, {name}: {share:.1f} %")
        for name, rate in rates.items():
            print(f"{name}: {rate:.1f}" + (" %" if "rate" in name else ""))
        print(f"severity 2, ceiling >= {LEAST_CEILING:g} %, full ladder < {MOST_LADDER:g} %: {len(learnable)}")
        print("  " + ", ".join(learnable))
    test = whole[0]
    good = (
        all(line.top1[FULL] >= LEAST_PUBLISHED for line in (*paper, test))
        and test.full >= LEAST_FULL
        and len(learnable) >= LEAST_LEARNABLE
        and by_severity["learned, severities 1 to 3"] >= by_severity["rules+lm, severities 1 to 3"] + LEAST_GAIN
        and rates["messages_per_second"] >= LEAST_SPEED
    )
    sys.exit(1 if arguments.check and not good else 0)


if __name__ == "__main__":
    main()
