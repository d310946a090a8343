"""The data files of a report's episodes, and what the index holds of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.evaluation.report.beside import Beside
from riskchain_gym.evaluation.report.episode_data import asked_for_entry, episode_data
from riskchain_gym.evaluation.report.index_data import CHAIN_FIELDS, EPISODE_FIELDS, chain_row, episode_row, table
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.report.page import episode_file
from riskchain_gym.evaluation.report.publishing import ReportFolder
from riskchain_gym.evaluation.score import Scores
from riskchain_gym.evaluation.store import SCORES, RunFolder
from riskchain_gym.protocol.errors import InputFileError


class EpisodeFiles:
    """The episodes of runs as they are written: one data file each, and their rows of the index.

    Args:
        folder: The folder of the report.
        split: Name or path of the runs' split.
    """

    def __init__(self, folder: ReportFolder, split: str) -> None:
        self._folder = folder
        self._public = {chain.chain_id: chain for chain in load_public(split)}
        self._gold = load_gold(split)
        self._chains: dict[str, tuple[int, list[object]]] = {}
        self._rows: list[list[object]] = []
        self._pictures: set[str] = set()

    def write(self, runs: Sequence[RunFolder], scores: Sequence[Scores]) -> Json:
        """Write the episodes of runs and return what the index holds of them.

        Args:
            runs: The runs.
            scores: Their scores, in the same order.

        Raises:
            InputFileError: A file of a run is damaged, or its scores lack an episode.
        """
        for number, (run, each) in enumerate(zip(runs, scores, strict=True)):
            self._add(number, run, each)
        chains = [row for _, row in self._chains.values()]
        return {"chains": table(CHAIN_FIELDS, chains), "episodes": table(EPISODE_FIELDS, self._rows)}

    def _add(self, number: int, run: RunFolder, scores: Scores) -> None:
        outcomes = {outcome.chain_id: outcome for outcome in scores.outcomes}
        beside, asked = Beside.of(run), asked_for_entry(run.manifest)
        for record in run.records():
            chain = record.trajectory.chain_id
            if chain not in outcomes:
                raise InputFileError(run.path / SCORES, "outcomes", f"has none of chain '{chain}': score the run again")
            outcome, public, gold = outcomes[chain], self._public[chain], self._gold[chain]
            missing = self._copy(run, record.media.values())
            data = episode_data(run.manifest, record, outcome, public, gold, beside) | {"missing": missing}
            file = self._folder.add_episode(len(self._rows), episode_file(data))
            row = chain_row(public, gold, record.trajectory.variant)
            place, _ = self._chains.setdefault(chain, (len(self._chains), row))
            self._rows.append(episode_row(number, place, file, record, outcome, beside.cost(chain), asked=asked))

    def _copy(self, run: RunFolder, names: Iterable[str]) -> list[str]:
        """Copy screenshots, each once, and return the names of those whose files are missing."""
        missing: list[str] = []
        for name in sorted(set(names)):
            data = run.media(name)
            if data is not None and name not in self._pictures:
                self._folder.add_picture(name, data)
                self._pictures.add(name)
            elif data is None:
                missing.append(name)
        return missing
