"""The three Gymnasium environments: a thin translation of the phase machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from riskchain_gym.envs.actions import action_schema, sample_action
from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.factory import make_backend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.machine import Episode, GateJudge, Machine
from riskchain_gym.envs.observation import observation_space, observe
from riskchain_gym.envs.plain_spec import PlainSpec
from riskchain_gym.envs.rendering import RENDER_FPS, RENDERED, check_render_mode, draw, render_modes, write
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.envs.selection import CaseId, Selector
from riskchain_gym.envs.settings import resolve_config
from riskchain_gym.envs.sources import open_source
from riskchain_gym.envs.spaces import UnicodeText
from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.web_outcomes import WebOutcomes
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.gate import gate

EntryGate = Callable[[str, Commit], bool]
"""Says whether a commit leads to the site of the chain with that id."""


class RiskChainEnv(PlainSpec, gym.Env[dict[str, Any], str]):
    """The whole chain: restore a disguised message, commit, browse its site, report.

    An action is one JSON text, a ``Commit``, a ``BrowserAction`` or a ``Report`` as the phase wants
    (:meth:`action_schema`). Observations are described in :func:`~riskchain_gym.envs.observation.observe`.
    ``info`` holds scalars in every call: ``status``, ``phase``, ``valid``, ``strikes``, ``action_result``, and on the
    last step the flat dict ``outcome``.

    Only ``backend="chromium"`` has a browser. It is looked for when the environment is made, started when the first
    site is opened (here at the first commit), or at the first reset where ``observe`` names ``message_image``, and kept
    for later episodes. A browser that dies is started again and the episode's actions are replayed, unseen, at most
    twice an episode (:class:`~riskchain_gym.envs.backends.recovering.RecoveringBackend`). An episode whose browser does
    not start, or dies again after that, ends at once as ``infra_error``.

    All arguments are keywords; ``None`` means: as the config file, else the id's own file, says (see
    :class:`~riskchain_gym.envs.config.EnvConfig`).

    Args:
        config: A name in ``envs/`` (``published``) or the path of a TOML file.
        render_mode: ``ansi``, ``rgb_array``, ``human`` (the browser has a window; nothing is returned) or ``None``.
        unknown: Anything else is refused, with the nearest known name.

    Raises:
        ConfigError: An argument is unknown, bad, or contradicts another.
        UnknownNameError: There is no such split or chain.
        MissingExtraError: The backend or the render mode needs an extra that is not installed.
        BrowserUnavailableError: A site is to be opened, or a message drawn, in a browser and none was found.
    """

    kind: ClassVar[Kind] = "chain"
    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        *,
        split: str | None = None,
        variants: str | Sequence[str] | None = None,
        recipes: Sequence[str] | None = None,
        chains: Sequence[str] | None = None,
        order: str | None = None,
        shard: Sequence[int] | None = None,
        routing: str | None = None,
        p_reference: float | None = None,
        reward: str | None = None,
        discount: float | None = None,
        web_outcomes: float | str | os.PathLike[str] | None = None,
        backend: str | None = None,
        observe: Sequence[str] | None = None,
        actions: str | None = None,
        max_steps: int | None = None,
        max_seconds: float | None = None,
        config: str | os.PathLike[str] | None = None,
        render_mode: str | None = None,
        **unknown: object,
    ) -> None:
        arguments = {
            "split": split,
            "variants": variants,
            "recipes": recipes,
            "chains": chains,
            "order": order,
            "shard": shard,
            "routing": routing,
            "p_reference": p_reference,
            "reward": reward,
            "discount": discount,
            "web_outcomes": web_outcomes,
            "backend": backend,
            "observe": observe,
            "actions": actions,
            "max_steps": max_steps,
            "max_seconds": max_seconds,
            **unknown,
        }
        self.config: EnvConfig = resolve_config(self.kind, config, arguments)
        check_render_mode(render_mode, self.kind, self.config.backend)
        self.backend: BrowseBackend | None = None
        if self.kind != "restore":
            rendered = RENDERED if render_mode == "rgb_array" else ()
            headless = render_mode != "human"
            self.backend = make_backend(self.config, [*self.config.observe, *rendered], headless=headless)
        elif "message_image" in self.config.observe:
            self.backend = make_backend(self.config, ["message_image"])
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_modes": render_modes(self.kind, self.config.backend)}
        self._source = open_source(self.config, self.kind)
        self._selector = Selector(self._source, self.config, self.kind)
        self._outcomes = self._load_web_outcomes()
        self._entry_gate: EntryGate | None = None
        self._p_reference = self.config.p_reference
        self._machine: Machine | None = None
        self.observation_space = observation_space(self.config)
        self.action_space = UnicodeText()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; legal at any time, after :meth:`close` too.

        Args:
            seed: Seeds the choice of chains and restarts a sequential order.
            options: ``{"chain": id}`` plays that chain of the split, ``{"chain": id, "variant": name}`` that variant of
                its message.

        Raises:
            UnknownNameError: The split has no such chain, or the chain no such variant.
            ConfigError: Unknown options, or a gate is needed and none was injected.
            BrowserUnavailableError: ``RiskChainBrowse-v0`` opens its site here, ``message_image`` is drawn here, and
                the browser has never started and does not now.
        """
        info = self.begin(seed=seed, options=options)
        return observe(self.machine), info

    def begin(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Begin an episode as :meth:`reset` does, make no observation and return ``info`` alone."""
        super().reset(seed=seed)
        self._machine = None
        if seed is not None:
            self._selector.rewind()
        chosen = self._selector.choose(self.np_random, options)
        episode = self._episode(chosen, self._draw_routing())
        clock = self.backend.clock if isinstance(self.backend, RecoveringBackend) else time.monotonic
        self._machine = Machine(self.kind, self.config, episode, self.backend, clock)
        return self._info(self._machine)

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Send one action.

        Args:
            action: JSON text.

        Returns:
            Observation, reward, ``terminated`` (report, ⊥ or missing report), ``truncated`` (infrastructure failure
            only, a browser that does not start at the commit included) and info. When ``info["valid"]`` is false the
            whole episode is to be dropped.

        Raises:
            ResetNeeded: No episode is running.
        """
        reward, terminated, truncated, info = self.play(action)
        return observe(self.machine), reward, terminated, truncated, info

    def play(self, action: str) -> tuple[float, bool, bool, dict[str, Any]]:
        """Send one action as :meth:`step` does, but make no observation.

        Returns:
            Reward, ``terminated``, ``truncated`` and info.

        Raises:
            ResetNeeded: No episode is running.
        """
        machine = self._running()
        reward = machine.act(action)
        ended = machine.over
        return reward, ended and machine.valid, ended and not machine.valid, self._info(machine)

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """Return the current view: text for ``ansi``, uint8 (height, width, 3) for ``rgb_array``, else ``None``.

        For ``human`` the browser itself is what is looked at.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        if self.render_mode in (None, "human"):
            return None
        if self._machine is None:
            raise ResetNeeded("There is nothing to render before the first reset: call reset().")
        return write(self._machine) if self.render_mode == "ansi" else draw(self._machine, self.backend)

    def close(self) -> None:
        """End the episode and release what the backend holds; idempotent. A later :meth:`reset` is legal."""
        self._machine = None
        if self.backend is not None:
            self.backend.close()

    def action_schema(self) -> dict[str, dict[str, Any]]:
        """Return the JSON schema of the action of each phase, by phase name; of calls it says that they are text."""
        return action_schema(self.kind, self.config)

    def sample_action(self) -> str:
        """Return a random action that is valid now, drawn by the action space's generator.

        After the end of an episode it is ``{}``: a vector that resets on the next step ignores it.

        Raises:
            ResetNeeded: No episode has begun, or the environment is closed.
        """
        if self._machine is not None and self._machine.over:
            return "{}"
        return sample_action(self._running(), self.action_space.np_random)

    def inject_gate(self, entry_gate: EntryGate) -> None:
        """Let someone who holds the gold answer for the gate.

        Needed with ``reward="none"`` and a routing other than ``reference``, or ``revision = "told"``: the environment
        has no gold of its own.

        Args:
            entry_gate: Called with chain id and commit at every commit of the agent; what strikes freeze is none, and
                its gate is closed.
        """
        self._entry_gate = entry_gate

    def set_p_reference(self, p_reference: float) -> None:
        """Set the share of reference routing from the next reset on; a curriculum takes it from 1 to 0.

        In a vector: ``envs.call("set_p_reference", p)``.

        Args:
            p_reference: From 0 to 1.

        Raises:
            ConfigError: The routing is not ``curriculum``, or it is no such number.
        """
        if self.config.routing != "curriculum":
            raise ConfigError(
                f"set_p_reference goes with routing='curriculum', got routing='{self.config.routing}': make the "
                "environment with it."
            )
        if isinstance(p_reference, bool) or not isinstance(p_reference, Real) or not 0 <= p_reference <= 1:
            raise ConfigError(f"p_reference: give a number from 0 to 1, got {shown(p_reference)}.")
        self._p_reference = float(p_reference)

    @property
    def machine(self) -> Machine:
        """The phase machine of the current or last episode, with all that observations are made of.

        It holds the gold too: it is for wrappers, which show an agent what observations show and no more.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        if self._machine is None:
            raise ResetNeeded("There is no episode before the first reset or after close: call reset().")
        return self._machine

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory of the current or last episode.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        return self.machine.recorder.trajectory()

    @property
    def last_view(self) -> tuple[int, NDArray[np.uint8]] | None:
        """Browse step and viewport, uint8 (height, width, 3), of the view captured last; ``None`` before the first.

        It outlives the phase and the episode: what the last action of the budget led to is in no observation, because
        the report phase is blank, but it may be cited. Nothing is drawn on it. ``None`` always unless ``observe`` names
        a modality that shows it.
        """
        machine = self._machine
        if machine is None or machine.browsing is None or machine.browsing.screenshot is None:
            return None
        pages = machine.recorder.pages
        return (max(pages), machine.browsing.screenshot) if pages else None

    @property
    def chain_ids(self) -> Sequence[str]:
        """The chains in use, in sequential order; of an endless split each id is made when it is looked at."""
        return self._selector.chain_ids

    @property
    def recipe(self) -> str:
        """Name of the recipe that disguised the message of the current or last episode.

        For statistics over episodes: it stands in no observation and no ``info``.

        Raises:
            ResetNeeded: There was no reset yet.
        """
        if self._machine is None:
            raise ResetNeeded("There is no message before the first reset or after close: call reset().")
        case = self._machine.episode.case
        return case.chain.recipes[case.variant]

    def _running(self) -> Machine:
        if self._machine is None or self._machine.over:
            raise ResetNeeded("No episode is running (not begun, ended, or closed): call reset() first.")
        return self._machine

    def _load_web_outcomes(self) -> WebOutcomes | None:
        reads = self.config.needs_web_outcomes or (self.kind == "restore" and self.config.needs_gold)
        if self.config.web_outcomes is None or not reads:
            return None
        outcomes = WebOutcomes.load(self.config.web_outcomes)
        outcomes.check(self._selector.chain_ids)
        return outcomes

    def _draw_routing(self) -> str:
        if self._p_reference is None:
            return self.config.routing
        return "reference" if self.np_random.random() < self._p_reference else "committed"

    def _episode(self, chosen: CaseId, routing: str) -> Episode:
        chain_id = chosen.chain_id
        chain, gold = self._source.load(chain_id)
        if self.kind == "restore" and isinstance(gold, GoldChain):
            gold = gold.message
        judge: GateJudge | None = None
        if gold is not None and self.kind != "browse":
            judge = partial(_resolves, gold.entry)
        elif self._entry_gate is not None:
            judge = partial(self._entry_gate, chain_id)
        elif self.config.routing != "reference" or self.config.revision == "told":
            asks = ("routing", self.config.routing) if self.config.revision != "told" else ("revision", "told")
            raise ConfigError(
                f"{asks[0]}='{asks[1]}' must know whether an entry is right and reward='none' holds no gold: "
                "call env.unwrapped.inject_gate(...) first, or use reward='gated'."
            )
        w_hat = self._outcomes.of(chain_id) if self._outcomes is not None else None
        return Episode(Case(chain, chosen.variant), routing, make_reward(self.config, self.kind, w_hat), gold, judge)

    def _info(self, machine: Machine) -> dict[str, Any]:
        last = machine.recorder.last
        result = "" if last is None else f"{last.result.status}:{last.result.error}".removesuffix(":None")
        info: dict[str, Any] = {
            "status": machine.recorder.status.value,
            "phase": machine.phase.value,
            "valid": machine.valid,
            "strikes": machine.strikes,
            "action_result": result,
        }
        if machine.over and machine.outcome is not None:
            terms = {f"terms.{name}": value for name, value in machine.terms.items()}
            info["outcome"] = {**machine.outcome.flat(), **terms}
        return info


class RiskChainRestoreEnv(RiskChainEnv):
    """The restoration alone: one valid commit ends the episode.

    No site is opened, and no browser is needed unless ``observe`` names ``message_image``. It plays message splits too,
    which have no sites: ``split="messages/train"`` is one without end.
    """

    kind = "restore"


class RiskChainBrowseEnv(RiskChainEnv):
    """The investigation alone: the right site is opened at reset, and so is the browser, where there is one."""

    kind = "browse"


def _resolves(entry: str | None, commit: Commit) -> bool:
    return gate(commit, entry).passed
