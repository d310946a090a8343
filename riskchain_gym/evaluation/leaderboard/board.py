"""What a board says, as one value: everything that its pages, files and figures show."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from riskchain_gym.evaluation.leaderboard.cards import Card
from riskchain_gym.evaluation.leaderboard.published import Published
from riskchain_gym.evaluation.prefix import PrefixScore, ToldBesidePrefix
from riskchain_gym.evaluation.repeats import Spread
from riskchain_gym.protocol.model import Frozen

Kind = Literal["baseline", "control", "oracle"]


class Figure(Frozen):
    """One figure with its 95 % interval.

    Attributes:
        value: The figure; of several repeats their mean.
        low: Lower end of the interval, ``None`` where it has none.
        high: Upper end.
    """

    value: float
    low: float | None = None
    high: float | None = None


class RunRef(Frozen):
    """A run that a row was made from.

    Attributes:
        folder: The end of its folder's path, as long as it must be to tell the runs of the board apart.
        run: Identity of the run: SHA-256 of ``run.json``.
        repeat: Which of several runs of the same agent it is.
        last: Hash of its last episode.
        frozen: Whether it was frozen, and is what it was frozen as.
    """

    folder: str
    run: str
    repeat: int
    last: str
    frozen: bool


class Spending(Frozen):
    """What a row's runs took; means are over episodes.

    Attributes:
        steps: Mean browse actions of an episode.
        asked: Models that were to be asked, the restorer's first; empty where no model is asked.
        answered: Models that say they have answered, with their versions.
        input_tokens: Mean tokens sent for an episode, ``None`` if unknown or no model was asked.
        output_tokens: Mean tokens received, likewise.
        cost: Mean US dollars of an episode's answers, likewise.
        total_cost: US dollars of all answers of the row, likewise.
    """

    steps: float | None = None
    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost: float | None = None
    total_cost: float | None = None


class StratumFigures(Frozen):
    """One agent on one stratum.

    Attributes:
        chains: How many chains, or restored messages, are in it.
        figures: Its figures by name; what is not known there is left out.
    """

    chains: int
    figures: dict[str, Figure]


class Entry(Frozen):
    """One row: an agent on one split.

    Attributes:
        name: What it is called on the board.
        agent: Name of the agent.
        kind: ``baseline``, ``control`` or ``oracle``.
        agent_sha256: Hash of its configuration.
        card: What is known of it that no run can know.
        runs: The runs it was made from: several where the agent was run repeatedly.
        backend: What showed the sites.
        max_steps: Browse actions that the agent was told it has.
        chains: Chains that it was scored on.
        planned: Chains that its runs were to hold.
        whole: Whether these are all chains of the split.
        rank: Its rank by Acc^e; ``None`` where it is not ranked.
        rank_low: Best rank in 95 % of the samples.
        rank_high: Worst rank in 95 % of the samples.
        web_rank: Its rank by Acc^w among the same rows.
        unranked: Why it is not ranked, in sentences; empty where nothing but open gold keeps it from a rank.
        broken: Episodes that break the protocol, of all repeats together.
        remarks: What must be read beside its figures.
        figures: Its figures by name.
        restored: Figures over all variants of the messages that were restored, by name; empty where none was.
        restorations: How many messages these are over, in each repeat.
        restored_strata: The same by variant, recipe, technique and severity of the messages.
        first_failures: Episodes by where they first went wrong, a mean over repeats.
        lost: Share of episodes lost to infrastructure.
        worst: Acc^e if each of them had failed.
        best: Acc^e if each of them had succeeded.
        spending: Steps, tokens and cost.
        spread: How far repeats lie apart; ``None`` for one run, or where no chain has a score in all of them.
        strata: Figures by dimension and stratum.
        prefixes: What it had come to after fewer steps; of repeats the mean.
    """

    name: str
    agent: str
    kind: Kind
    agent_sha256: str
    card: Card | None = None
    runs: tuple[RunRef, ...]
    backend: str
    max_steps: int
    chains: int
    planned: int
    whole: bool = True
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    web_rank: int | None = None
    unranked: tuple[str, ...] = ()
    broken: int = 0
    remarks: tuple[str, ...] = ()
    figures: dict[str, Figure]
    restored: dict[str, Figure] = Field(default_factory=dict)
    restorations: int = 0
    restored_strata: dict[str, dict[str, StratumFigures]] = Field(default_factory=dict)
    first_failures: dict[str, float]
    lost: float
    worst: float | None = None
    best: float | None = None
    spending: Spending
    spread: Spread | None = None
    strata: dict[str, dict[str, StratumFigures]] = Field(default_factory=dict)
    prefixes: tuple[PrefixScore, ...] = ()

    @property
    def accuracy(self) -> float | None:
        """Acc^e, by which rows are ordered."""
        figure = self.figures.get("end_to_end_accuracy")
        return None if figure is None else figure.value


class Control(Frozen):
    """A row that was computed for the board and that nobody ran.

    Attributes:
        name: What it is called.
        kind: ``control``, or ``oracle`` for the upper bound.
        figures: Its figures by name.
        first_failures: Chains by where it first goes wrong.
    """

    name: str
    kind: Kind
    figures: dict[str, Figure]
    first_failures: dict[str, float]


class Gap(Frozen):
    """By how much one row is ahead of another in one figure, paired over the same samples of chains.

    Attributes:
        difference: The first minus the second.
        low: Lower end of its 95 % interval, ``None`` where it has none.
        high: Upper end.
        apart: Whether the interval leaves zero out.
        apart_together: Whether it still does where the intervals of all pairs of the split are to hold together.
    """

    difference: float
    low: float | None = None
    high: float | None = None
    apart: bool = False
    apart_together: bool = False


class Pair(Frozen):
    """Two rows on the same chains.

    Attributes:
        first: Name of one.
        second: Name of the other.
        gaps: By how much the first is ahead, by figure.
    """

    first: str
    second: str
    gaps: dict[str, Gap]

    @property
    def turned(self) -> bool:
        """Whether who is ahead on the web alone is behind end to end."""
        web, gated = self.gaps.get("web_accuracy"), self.gaps.get("end_to_end_accuracy")
        return web is not None and gated is not None and web.difference * gated.difference < 0


class Section(Frozen):
    """One split, by its content.

    Attributes:
        name: What the split is called.
        split_sha256: Hash of its public file.
        gold_sha256: Hash of the gold.
        origin: ``open`` or ``sealed``; only sealed gold is ranked.
        split_chains: How many chains it has.
        entries: The rows that were run: ranked ones first, then other agents on the whole split, agents on a part of
            it, controls and oracles, each by Acc^e.
        controls: The rows that were computed.
        pairs: Every pair of rows on the same chains, the oracle left out.
        told: Runs that were told a budget beside prefixes of runs that were told more.
        critical: By how many standard errors the intervals of all pairs together are wide, by figure.
    """

    name: str
    split_sha256: str
    gold_sha256: str
    origin: Literal["open", "sealed"]
    split_chains: int
    entries: tuple[Entry, ...]
    controls: tuple[Control, ...] = ()
    pairs: tuple[Pair, ...] = ()
    told: tuple[ToldBesidePrefix, ...] = ()
    critical: dict[str, float] = Field(default_factory=dict)

    @property
    def rows(self) -> tuple[Entry | Control, ...]:
        """All rows, those that were computed last."""
        return (*self.entries, *self.controls)

    @property
    def sealed(self) -> bool:
        """Whether the gold is sealed, so that rows may be ranked."""
        return self.origin == "sealed"


class Board(Frozen):
    """The board.

    Attributes:
        package: Version of riskchain-gym that scored.
        sections: One a split, sealed ones first.
        baseline: Name of the row that others are compared with, or ``""``.
        published: Published aggregates to show beside, in a block of their own.
        left_out: What was given and is not on the board, in sentences.
    """

    schema_version: Literal["riskchain-leaderboard/v1"] = "riskchain-leaderboard/v1"
    package: str
    sections: tuple[Section, ...]
    baseline: str = ""
    published: Published | None = None
    left_out: tuple[str, ...] = ()
