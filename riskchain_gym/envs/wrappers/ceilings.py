"""How far the array environments of restoration can get: whether the right entry can be committed at all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from riskchain_gym.envs.selection import CaseId, Selector
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.envs.sources import open_source
from riskchain_gym.envs.wrappers.edit_targets import edit_target
from riskchain_gym.envs.wrappers.editing import load_encoder, open_window
from riskchain_gym.envs.wrappers.proposing import CheckedProposer
from riskchain_gym.envs.wrappers.restoration import ranked
from riskchain_gym.envs.wrappers.restore_edit import ENCODER, WIDTH
from riskchain_gym.envs.wrappers.restore_select import CANDIDATES, PROPOSER
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.message import Message
from riskchain_gym.scoring.gate import gate


class Ceiling(NamedTuple):
    """What the best policy there can be reaches.

    Attributes:
        sessions: How many sessions were looked at.
        reached: In how many of them some action opens the gate.
    """

    sessions: int
    reached: int

    @property
    def share(self) -> float:
        """The highest gate rate that can be reached."""
        return self.reached / self.sessions


def candidate_ceiling(
    split: str, *, most: int | None = None, candidates: int = CANDIDATES, proposer: str = PROPOSER
) -> Ceiling:
    """Return the ceiling of ``RiskChainRestoreSelect-v0``: how often the right row is among those that are proposed.

    Args:
        split: A split with gold, e.g. ``messages/dev``.
        most: Look only at so many sessions, the first; needed for a split without end.
        candidates: As for the environment.
        proposer: As for the environment.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The proposer cannot be loaded.
    """
    propose = CheckedProposer(proposer, candidates)
    reached = []
    for _, message, gold in labelled(split, most):
        entries = propose(message, candidates).entries
        reached.append(any(gate(ranked(entry), gold.entry).passed for entry in entries))
    return Ceiling(len(reached), sum(reached))


def edit_ceiling(split: str, *, most: int | None = None, window: int = WIDTH, encoder: str = ENCODER) -> Ceiling:
    """Return the ceiling of what is cloned for ``RiskChainRestoreEdit-v0``: how often the target spells the entry.

    Args:
        split: A split with gold and traces, e.g. ``messages/dev``.
        most: Look only at so many sessions, the first; needed for a split without end.
        window: As for the environment.
        encoder: As for the environment.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The encoder cannot be loaded.
    """
    encode, _ = load_encoder(encoder, window)
    reached = [
        edit_target(open_window(message, encode, window), gold, case.variant).exact
        for case, message, gold in labelled(split, most)
    ]
    return Ceiling(len(reached), sum(reached))


def labelled(split: str, most: int | None = None) -> Iterator[tuple[CaseId, Message, MessageGold]]:
    """Yield the sessions of a split with what must be restored, in order.

    Args:
        split: A split with gold, of sites or of messages.
        most: How many at most.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: Its files cannot be read as a split.
    """
    config = resolve_config("restore", None, {"split": split, "order": "sequential"})
    source = open_source(config, "restore")
    selector = Selector(source, config, "restore")
    cases = selector.cases or (case for chain_id in selector.chain_ids for case in selector.cases_of(chain_id))
    for case in islice(cases, most):
        chain, gold = source.load(case.chain_id)
        told = gold.message if isinstance(gold, GoldChain) else gold
        assert told is not None, "a restore-only environment that pays is given gold"
        yield case, chain.variants[case.variant], told
