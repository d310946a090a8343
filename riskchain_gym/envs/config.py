"""The settings of an environment, and which of them go together."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from riskchain_gym.envs.suggest import did_you_mean
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import GATE_VARIANT
from riskchain_gym.protocol.model import Frozen, without_unsaid

Kind = Literal["chain", "restore", "browse"]
"""The three environments: the whole chain, restoration alone, investigation alone."""

Routing = Literal["reference", "committed", "curriculum"]
Revision = Literal["none", "blind", "told"]
RewardName = Literal["gated", "delta_gate", "delta_gate_shaped", "web", "none"]
Modality = Literal["screenshot", "screenshot_som", "axtree", "dom", "browsergym", "message_image"]

PICTURES: frozenset[Modality] = frozenset({"screenshot", "screenshot_som", "browsergym"})
"""The modalities for which the viewport is captured."""

TREES: frozenset[Modality] = frozenset({"axtree", "dom", "browsergym"})
"""The modalities that are made of the words of a page."""

ENV_IDS: dict[Kind, str] = {
    "chain": "RiskChain-v0",
    "restore": "RiskChainRestore-v0",
    "browse": "RiskChainBrowse-v0",
}

REWARDS: dict[Kind, tuple[RewardName, ...]] = {
    "chain": ("gated", "delta_gate", "delta_gate_shaped", "web", "none"),
    "restore": ("gated", "delta_gate", "none"),
    "browse": ("web", "none"),
}
"""The rewards each environment accepts."""

COMMITTED_REWARDS: tuple[RewardName, ...] = ("gated", "none")
"""The rewards that are defined when a wrong entry ends the episode at commit."""

END_TO_END_REWARDS: tuple[RewardName, ...] = ("gated", "delta_gate_shaped")
"""The rewards that sum to a^e, so that a wrong commit costs what its revision can win back at most."""

BACKENDS: dict[str, frozenset[Modality]] = {
    "chromium": frozenset({"screenshot", "screenshot_som", "axtree", "dom", "browsergym", "message_image"}),
    "text": frozenset(),
    "fake": frozenset({"screenshot", "screenshot_som", "axtree", "dom", "message_image"}),
}
"""The backends that ``backend=`` accepts, each with what it can add to observations."""


class RewardTerms(Frozen):
    """Weights of optional reward terms; they are reported apart and never enter the benchmark score.

    Their signs are fixed: turned round, a term would pay for errors, for steps, or for a wrong commit that is put right
    later.

    Attributes:
        citation_f1: Times the evidence F1 of the report, at the end; not negative.
        exact_type: Times 1 if decision and type are both right, at the end; not negative.
        cer: Times the character error rate of the restoration, at the end; not positive, so that it punishes errors.
        step_cost: Subtracted for every browse action that was carried out, with the step that carried it out; not
            negative.
        revised: Times what a revision changes in a^e, −1, 0 or 1, at the end; 0 to 1, so that what is right late is
            worth no more than what is right at once. Left out of JSON where it is 0.
    """

    citation_f1: Annotated[float, Field(ge=0)] = 0.0
    exact_type: Annotated[float, Field(ge=0)] = 0.0
    cer: Annotated[float, Field(le=0)] = 0.0
    step_cost: Annotated[float, Field(ge=0)] = 0.0
    revised: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), revised=0.0)

    @property
    def active(self) -> bool:
        """Whether a weight is not zero."""
        return any(self.model_dump().values())


class EnvConfig(Frozen):
    """Everything an environment can be set to. The keyword arguments among it are listed in :data:`KEYWORDS`.

    Attributes:
        split: Name of a split that ships, or the path of a split folder. A restore-only environment also plays messages
            without a site: ``messages/NAME``, made on the fly, or the path of a built split of messages.
        variants: Message variants to show, or ``all``; ``v000`` is the one that feeds the benchmark's gate.
        recipes: Show only variants made by these recipes; ``None`` for any.
        chains: Chain ids to use, in this order; ``None`` for the whole split.
        order: ``random`` (with replacement, by the seed) or ``sequential`` (each case once, then from the start).
        shard: ``(i, n)``: of the sequence, only the cases at positions i, i+n, i+2n …
        routing: Which site is opened after the commit (the right one, the committed one, or a mix).
        p_reference: Share of reference routing under ``curriculum``.
        reward: Name of the reward.
        discount: The trainer's γ; read by ``delta_gate_shaped`` and by evidence shaping.
        web_outcomes: ŵ, a number for all chains or the path of a ``WebOutcomes`` file.
        backend: Browse backend by name. ``fake`` shows one canned site whatever the chain's is, so what an episode
            with it is paid says nothing about the agent: it is for tests.
        observe: Modalities added to the observation. Those of pages are blank outside browse, so always in a
            restore-only environment; ``message_image`` is blank outside restore, so always in a browse-only one.
        actions: How browse actions are written: ``json``, or ``browsergym`` for calls like ``click('12')``. The other
            phases take JSON always.
        max_steps: Browse actions allowed.
        max_seconds: Wall time from the landing view on, or ``None`` for no limit. It covers the browse phase, and with
            ``on_budget="bottom"`` the report phase too; it is looked at with every action.
        protocol: Name written into trajectories; different rules need different names.
        viewport: Width and height of the viewport in CSS pixels.
        screenshot_format: What the browser encodes screenshots with: ``png`` keeps every pixel, ``jpeg`` is faster.
        message_theme: Colours of ``message_image``.
        scaffold: Whether browse observations list the coverage objectives.
        page_text: Whether browse and report observations hold the words of pages: text, titles, names of elements,
            alternative texts. Without them a page is seen in screenshots only, and counts as seen only there.
        picture_alt: Whether the text of pictures is their alternative text too, whatever backend opens the site; an
            imported site keeps its own.
        strikes: Invalid actions in a row that are one too many.
        on_strikes: What the last strike does: go to the next phase, or end the episode as ⊥.
        on_budget: What an exhausted budget does: open the report phase, or end the episode as ⊥.
        revision: Whether one revised commit may be sent in the report phase, which then shows the message and the
            frozen restoration again: ``none``; ``blind``; or ``told``, where it also says whether the committed entry
            leads to the site. It is counted apart. Left out of JSON where it is ``none``.
        terms: Weights of optional reward terms.
    """

    split: str = "mini"
    variants: Literal["all"] | Annotated[tuple[str, ...], Field(min_length=1)] = (GATE_VARIANT,)
    recipes: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    chains: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    order: Literal["random", "sequential"] = "random"
    shard: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1)]] | None = None
    routing: Routing = "reference"
    p_reference: Annotated[float, Field(ge=0, le=1)] | None = None
    reward: RewardName = "gated"
    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    web_outcomes: Annotated[float, Field(ge=0, le=1)] | str | None = None
    backend: str = "chromium"
    observe: tuple[Modality, ...] = ()
    actions: Literal["json", "browsergym"] = "json"
    max_steps: Annotated[int, Field(ge=1, le=1000)] = 30
    max_seconds: Annotated[float, Field(gt=0, le=1e9)] | None = None
    protocol: Annotated[str, Field(min_length=1)] = "riskchain-v0"
    viewport: tuple[Annotated[int, Field(ge=64, le=4096)], Annotated[int, Field(ge=64, le=4096)]] = (1280, 900)
    screenshot_format: Literal["png", "jpeg"] = "png"
    message_theme: Theme = "light"
    scaffold: bool = True
    page_text: bool = True
    picture_alt: bool = False
    strikes: Annotated[int, Field(ge=1)] = 3
    on_strikes: Literal["advance", "bottom"] = "advance"
    on_budget: Literal["report", "bottom"] = "report"
    revision: Revision = "none"
    terms: RewardTerms = RewardTerms()

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), revision="none")

    @property
    def page_modalities(self) -> tuple[str, ...]:
        """What an agent is given of each page, in the words of trajectories."""
        given = ("text", "elements") if self.page_text else ()
        seen = (modality for modality in self.observe if modality != "message_image")
        return (*given, *seen, *(("picture_alt",) if self.picture_alt else ()))

    @property
    def needs_gold(self) -> bool:
        """Whether anything the environment pays depends on gold."""
        return self.reward != "none"

    @property
    def needs_web_outcomes(self) -> bool:
        """Whether the reward reads ŵ in the full chain."""
        return self.reward in ("delta_gate", "delta_gate_shaped")


FILE_ONLY = (
    "protocol",
    "viewport",
    "screenshot_format",
    "message_theme",
    "scaffold",
    "page_text",
    "picture_alt",
    "strikes",
    "on_strikes",
    "on_budget",
    "revision",
    "terms",
)
"""Settings that make a protocol: a config file sets them, a keyword argument does not."""

KEYWORDS = tuple(name for name in EnvConfig.model_fields if name not in FILE_ONLY)
"""The settings that are keyword arguments (beside ``config``)."""


def check_combination(config: EnvConfig, kind: Kind) -> None:
    """Refuse settings that contradict each other, that name no backend, or that list something twice.

    Args:
        config: The merged settings.
        kind: The environment they are for.

    Raises:
        ConfigError: The message names the settings and says what to change.
    """
    env_id = ENV_IDS[kind]
    if config.backend not in BACKENDS:
        raise ConfigError(
            f"There is no backend '{config.backend}'.{did_you_mean(config.backend, BACKENDS)} "
            f"Known: {', '.join(BACKENDS)}."
        )
    for name in ("variants", "recipes", "chains", "observe"):
        listed = getattr(config, name)
        if isinstance(listed, tuple) and len(set(listed)) < len(listed):
            raise ConfigError(f"{name}: something is listed twice in {list(listed)}; list each once.")
    if config.reward not in REWARDS[kind]:
        raise ConfigError(f"{env_id} pays reward {_or(REWARDS[kind])}, not '{config.reward}': choose one of them.")
    if kind != "chain" and config.routing != "reference":
        raise ConfigError(f"{env_id} has no choice of routing, got routing='{config.routing}': leave it out.")
    if config.routing != "reference" and config.reward not in COMMITTED_REWARDS:
        raise ConfigError(
            f"reward='{config.reward}' needs routing='reference', got routing='{config.routing}' "
            f"(a wrong entry would end the episode unseen): use reward {_or(COMMITTED_REWARDS)}."
        )
    if (config.p_reference is not None) != (config.routing == "curriculum"):
        raise ConfigError(
            f"p_reference goes with routing='curriculum' and only with it, got p_reference={config.p_reference} "
            f"and routing='{config.routing}': give both or neither."
        )
    if config.revision != "none" and (kind != "chain" or config.routing != "reference"):
        raise ConfigError(
            f"revision='{config.revision}' revises a restoration once its site was seen, so it needs "
            f"{ENV_IDS['chain']} and routing='reference', got {env_id} and routing='{config.routing}': use those, or "
            "leave revision out."
        )
    if (config.needs_web_outcomes or (kind == "restore" and config.needs_gold)) and config.web_outcomes is None:
        raise ConfigError(
            f"reward='{config.reward}' needs the expected web outcome: pass web_outcomes= a number from 0 to 1 or the "
            "path of a WebOutcomes file."
        )
    if config.shard is not None and config.order != "sequential":
        raise ConfigError(f"shard={config.shard} needs order='sequential', got order='{config.order}': set both.")
    if config.shard is not None and config.shard[0] >= config.shard[1]:
        raise ConfigError(f"shard=(i, n) needs i below n, got {config.shard}: count shards from 0.")
    if not config.page_text and kind != "restore":
        _check_wordless(config)
    if config.terms.revised and config.revision == "none":
        raise ConfigError("terms.revised rates a revision and revision='none' allows none: set it to 0.")
    if config.terms.revised and config.reward not in END_TO_END_REWARDS:
        raise ConfigError(
            f"terms.revised would make a wrong commit, put right later, worth more than a right one with "
            f"reward='{config.reward}': use reward {_or(END_TO_END_REWARDS)}, or set it to 0."
        )
    if config.terms.active and not config.needs_gold:
        raise ConfigError("reward='none' holds no gold, so it can pay no terms: set their weights to 0.")
    if kind == "browse" and config.terms.cer:
        raise ConfigError(f"terms.cer rates a restoration and {env_id} has none: set it to 0.")
    if kind == "restore" and (config.terms.citation_f1 or config.terms.exact_type or config.terms.step_cost):
        raise ConfigError(f"{env_id} has no report and no browse step: leave only terms.cer.")


def _check_wordless(config: EnvConfig) -> None:
    if PICTURES.isdisjoint(config.observe):
        raise ConfigError(
            f"page_text=false leaves only screenshots to look at, got observe={list(config.observe)}: add 'screenshot'."
        )
    for modality in config.observe:
        if modality in TREES:
            raise ConfigError(
                f"page_text=false gives no word of a page and '{modality}' is made of them, got "
                f"observe={list(config.observe)}: leave out '{modality}'."
            )
    if config.picture_alt:
        raise ConfigError("picture_alt=true gives words that page_text=false withholds: set one of them only.")


def _or(names: tuple[str, ...]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
