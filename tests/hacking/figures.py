"""What attacks and their honest controls score on a split, as the table of ``docs/reward-hacking.md``.

Usage: python tests/hacking/figures.py [--split mini]

Everything is played on the text backend. ``return`` is what a trainer is paid with ``reward="gated"`` and the terms
``citation_f1`` and ``exact_type`` at weight 1 each; nothing here is drawn, so that every run prints the same.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import hackers
from arena import Arena, Played, mean_paid
from conftest import TERMS
from hackers import ConstantInvestigator, ConstantRestorer, Rewriting, always

from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.scoring.summary import Summary

HEAD = "| attack | return | Acc^w | Acc^e | macro-F1 | H-EM | evidence F1 | judge: reports with a point against them |"
REWRITINGS: Sequence[Rewriting] = (
    hackers.cite_everything,
    hackers.cite_everything_from_the_end,
    hackers.cite_and_pad,
    hackers.cite_again_and_again,
    hackers.cite_whole_pages,
    hackers.cite_one_line,
    hackers.cite_one_character,
    hackers.cite_the_emptiest_region,
    hackers.cite_nothing,
    hackers.echo_pages,
)


def table(split: str = "mini") -> list[str]:
    """Return the lines of the table.

    Args:
        split: A split of sites, by name or path.
    """
    return [HEAD, "|---|" + "--:|" * 7, *rows(split)]


def rows(split: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "terms.toml"
        config.write_text(TERMS, encoding="utf-8")
        arena = Arena(split=split, config=str(config))
        honest = arena.play(load_agent("rules+explorer").agent)
        yield row("*honest: `rules+explorer`*", arena, honest)
        for control in ("landing_only", "noop"):
            name = f"rules+{control}" if control != "noop" else control
            yield row(f"*control: `{name}`*", arena, arena.play(load_agent(name).agent))
        labels = Counter(gold.site.violation_type for gold in arena.gold.values())
        common = max((kind for kind in labels if kind not in PSEUDO_TYPES.values()), key=lambda kind: labels[kind])
        for decision in Decision:
            yield row(f"always {decision}", arena, arena.play(always(decision, ViolationType(common))))
        entry = next(iter(arena.gold.values())).message.entry or ""
        constant = ChainAgent(ConstantRestorer(entry), ConstantInvestigator(Decision.VIOLATION, ViolationType(common)))
        yield row("one entry and one answer for all", arena, arena.play(constant))
        for rewriting in REWRITINGS:
            yield row(rewriting.__name__.replace("_", " "), arena, arena.replay(honest, rewriting))


def row(name: str, arena: Arena, played: list[Played]) -> str:
    summary = arena.summary(played)
    told = (
        f"{mean_paid(played):.2f}",
        *(percent(getattr(summary, figure)) for figure in ("web_accuracy", "end_to_end_accuracy")),
        *(percent(getattr(summary, figure)) for figure in ("decision_macro_f1", "exact_match", "citation_f1")),
        against(summary),
    )
    return f"| {name} | {' | '.join(told)} |"


def percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def against(summary: Summary) -> str:
    return "no report" if summary.judge is None else f"{summary.judge.adverse} of {summary.judge.reports}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--split", default="mini", help="a split of sites, by name or path")
    print("\n".join(table(parser.parse_args().split)))  # noqa: T201
