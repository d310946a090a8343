"""What is kept beside the episodes of a run: calls and replies, what judges said, and incidents, each by chain."""

from __future__ import annotations

import hashlib
import warnings
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.answers import AnswerFile
from riskchain_gym.evaluation.calls import REPLIES, CallLog, ChainCalls, was_answered
from riskchain_gym.evaluation.incidents import IncidentLog
from riskchain_gym.evaluation.judging import JudgedEpisode
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.evaluation.usage import total
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.protocol.commit import Commit

REPLY_LIMIT = 100_000
"""Longest reply that the viewer holds, in characters."""


class Replies:
    """The answers in a run folder, by the hash of their bytes.

    Args:
        folder: The folder of answers; it need not be there.
    """

    def __init__(self, folder: Path) -> None:
        self._cache = ReplyCache(folder)
        self._keys: dict[str, str] = {}
        for path in sorted(folder.glob("??/*.json")):
            body = self._body(path.stem)
            if body is not None:
                self._keys[hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()] = path.stem

    def get(self, sha256: str) -> str | None:
        """Return the answer with a hash, ``None`` where the folder does not hold it."""
        key = self._keys.get(sha256)
        return None if key is None else self._body(key)

    def _body(self, key: str) -> str | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of what a run would ask again; here nothing is asked
            return self._cache.get(key)


@dataclass(frozen=True)
class Beside:
    """What a run folder holds beside its episodes.

    Attributes:
        attempts: Attempts at each chain, in order; the last one says how it stands.
        replies: The models' answers.
        judged: What each judge said, by judge's file and chain.
        incidents: What went wrong with machines, by chain.
        restored: What was made of further variants, by chain and variant.
    """

    attempts: Mapping[str, list[ChainCalls]]
    replies: Replies
    judged: Mapping[str, AnswerFile[JudgedEpisode]]
    incidents: Mapping[str, list[Json]]
    restored: Mapping[str, dict[str, Commit | None]]

    @classmethod
    def of(cls, run: RunFolder) -> Beside:
        """Read what is beside the episodes of a run.

        Raises:
            InputFileError: A file of it is malformed.
        """
        attempts: dict[str, list[ChainCalls]] = defaultdict(list)
        for entry in CallLog(run.path).entries():
            attempts[entry.chain_id].append(entry)
        incidents: dict[str, list[Json]] = defaultdict(list)
        for incident in IncidentLog(run.path).entries():
            incidents[incident.chain_id].append(
                incident.model_dump(mode="json", exclude={"schema_version", "chain_id"})
            )
        restored: dict[str, dict[str, Commit | None]] = defaultdict(dict)
        for record in run.restorations():
            restored[record.trajectory.chain_id][record.trajectory.variant] = record.trajectory.commit
        judged = {
            path.name: AnswerFile(path, JudgedEpisode, lambda one: one.chain_id, _belongs)
            for path in sorted(run.path.glob("judged-*.jsonl"))
        }
        return cls(attempts, Replies(run.path / REPLIES), judged, incidents, restored)

    def cost(self, chain: str) -> float | None:
        """Return what the answers of a chain cost in US dollars, ``None`` where there is none or one is unknown."""
        answered = [call for call in self._calls(chain) if was_answered(call)]
        return total(answered) if answered else None

    def calls(self, chain: str) -> list[Json]:
        """Return the calls of the attempt that counts, each with its reply as far as it is in the run folder."""
        return [self._call(call) for call in self._calls(chain)]

    def broken_off(self, chain: str) -> list[Json]:
        """Return the attempts at a chain that came to nothing."""
        return [
            {"why": attempt.loss, "detail": attempt.detail, "calls": len(attempt.calls)}
            for attempt in self.attempts.get(chain, ())
            if attempt.lost
        ]

    def judges(self, record: EpisodeRecord) -> list[Json]:
        """Return what each judge said of an episode; what it said of another one at the same chain is left out."""
        found = [(name, file.known(record.trajectory.chain_id)) for name, file in self.judged.items()]
        return [_judge(name, one) for name, one in found if one is not None and one.episode == record.hash]

    def _calls(self, chain: str) -> tuple[CallRecord, ...]:
        attempts = self.attempts.get(chain)
        return attempts[-1].calls if attempts else ()

    def _call(self, call: CallRecord) -> Json:
        reply = self.replies.get(call.reply_sha256) if call.reply_sha256 else None
        return {
            **call.model_dump(mode="json", exclude={"usage", "reply_sha256", "request_sha256"}),
            "input": call.usage.input_tokens if call.usage else None,
            "output": call.usage.output_tokens if call.usage else None,
            "answered": bool(call.reply_sha256),
            "reply": None if reply is None else reply[:REPLY_LIMIT],
            "cut": reply is not None and len(reply) > REPLY_LIMIT,
        }


def _belongs(_: JudgedEpisode) -> None:
    """Take every line: what a judge said of another episode is left out where episodes are shown."""


def _judge(file: str, one: JudgedEpisode) -> Json:
    rulings = {ruling.key: ruling for ruling in one.rulings}
    return {
        "judge": one.result.judge,
        "file": file,
        "status": one.result.status,
        "error": one.error,
        "dimensions": {name: value.model_dump() for name, value in one.result.dimensions.items()},
        "points": [
            {
                "dimension": question.dimension,
                "claim": question.claim,
                "place": question.place,
                "step": question.step,
                "good": question.good,
                **(
                    rulings[question.key].model_dump(mode="json", exclude={"key"})
                    if question.key in rulings
                    else {"answer": None, "why": "", "error": "it was not asked", "raw": ""}
                ),
            }
            for question in one.questions
        ],
    }
