"""What a run would ask of a model, tried out in this process before anything is paid."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import JsonValue

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.benchmark.splits import load_gold
from riskchain_gym.evaluation.closing import close_agent
from riskchain_gym.evaluation.engine.jobs import Job
from riskchain_gym.evaluation.engine.pool import EpisodePool
from riskchain_gym.evaluation.engine.staff import LocalStaff, loading
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.settings import RunSettings, options_in
from riskchain_gym.evaluation.usage import total
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.exchange import Exchange
from riskchain_gym.llm.fake import read_request
from riskchain_gym.llm.fake_agent import scripted_agent, tokens_of
from riskchain_gym.llm.fake_replies import Say
from riskchain_gym.llm.prices import PriceTable, shipped_prices
from riskchain_gym.llm.reply import Usage
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.trajectory import Phase

REHEARSED = 24
"""Chains that are tried out at most; the others are taken to be like them."""

PICTURE_TOKENS = 1_600
"""Tokens that a screenshot is taken to be: servers count between 250 and 2,500 for one of 1280 by 900 pixels."""


class Bill(Frozen):
    """What is asked for, all chains together.

    Attributes:
        calls: Calls.
        input_tokens: Tokens sent: one for each character that is not ASCII, one for four that are, the schema of the
            answer among them, and :data:`PICTURE_TOKENS` for each picture.
        output_tokens: Tokens received.
        cost: US dollars, or ``None`` if a price is unknown.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class Estimate(Frozen):
    """What a run would ask of a model.

    Attributes:
        chains: Chains that are still to be run.
        rehearsed: How many of them were tried out.
        models: The models that would be asked, sorted.
        about: As the scripted agent plays, which looks at a few pages and makes no mistake.
        used_up: If every step and every strike were used up, each prompt as long as the longest one that was tried out
            and each answer as long as it may be. No upper bound: longer pages make longer prompts, and attempts that
            are repeated for a failing server or an empty answer are in neither.
    """

    chains: int
    rehearsed: int
    models: tuple[str, ...]
    about: Bill
    used_up: Bill


def estimate(agent: str, manifest: RunManifest, settings: RunSettings, chains: Sequence[str]) -> Estimate | None:
    """Return what a run would ask of a model; ``None`` if the agent asks none. Nothing is sent and nothing written.

    Args:
        agent: The agent, as it was asked for.
        manifest: What would be run.
        settings: How it would be run.
        chains: The chains that are still to be run.

    Raises:
        NeedsBrowserError: Only a browser can show the split, so that nothing can be tried out.
    """
    prices = settings.asking.prices or shipped_prices()
    rehearsal = _Rehearsal(prices)
    tried = tuple(chains[:REHEARSED])
    with Models(make_client=rehearsal.client) as models:
        real = load_agent(agent, models=models, overrides=settings.asking.overrides.get(agent))
        close_agent(real)
        if not real.asks_model:
            return None
        rehearsed = RunSettings(
            settings.split, "text", (), 1, tried, settings.asking, settings.max_steps, settings.restored
        )
        calls = _play(agent, real, rehearsed, models)
    options = options_in(real.config)
    named = tuple(sorted({each.model for each in real.models}))
    if not tried:
        nothing = Bill(calls=0, input_tokens=0, output_tokens=0, cost=0.0)
        return Estimate(chains=0, rehearsed=0, models=named, about=nothing, used_up=nothing)
    pictures = _pictures(calls, options)
    scale = len(chains) / len(tried)
    sent = sum(_tokens(call).input_tokens for call in calls) + PICTURE_TOKENS * sum(pictures)
    extra = [_price(prices, call, PICTURE_TOKENS * shown, 0) for call, shown in zip(calls, pictures, strict=True)]
    paid = total(calls)
    about = Bill(
        calls=round(scale * len(calls)),
        input_tokens=round(scale * sent),
        output_tokens=round(scale * sum(_tokens(call).output_tokens for call in calls)),
        cost=None if paid is None else scale * (paid + sum(cost or 0.0 for cost in extra)),
    )
    most = _used_up(calls, pictures, rehearsal.longest, manifest, prices, repair=any(o.get("repair") for o in options))
    return Estimate(
        chains=len(chains), rehearsed=len(tried), models=named, about=about, used_up=_times(most, len(chains))
    )


def unasked(settings: ModelSettings) -> ModelClient:
    """Return a client that asks nobody, for looking at an agent without running it."""
    return _Rehearsal(shipped_prices()).client(settings)


class _Rehearsal:
    """Answers by the script, in this process; what it counts as tokens is in its answers."""

    def __init__(self, prices: PriceTable) -> None:
        self._prices = prices
        self.longest = 0

    def client(self, settings: ModelSettings) -> ModelClient:
        return ModelClient(settings, prices=self._prices, transport=self)

    def send(self, payload: dict[str, Any]) -> Exchange:
        request = read_request(json.dumps(payload).encode())
        said = scripted_agent(request)
        assert isinstance(said, Say), "the script of the agent only speaks"
        self.longest = max(self.longest, payload.get("max_tokens", payload.get("max_completion_tokens", 0)))
        body = said.body(request.model)
        schema = payload.get("response_format", {}).get("json_schema")
        body["usage"]["prompt_tokens"] += tokens_of(json.dumps(schema)) if schema else 0
        return Exchange(status=200, body=json.dumps(body))

    def close(self) -> None:
        """Nothing is held."""


def _play(agent: str, real: LoadedAgent, settings: RunSettings, models: Models) -> list[CallRecord]:
    """Return the calls of the chains to be tried out; pictures are left out, the text backend has none."""
    given = settings.asking.overrides.get(agent, Overrides())
    if any(options.get("images") for options in options_in(real.config)):
        given = given.model_copy(update={"options": {**given.options, "images": False, "marks": False}})
    chains, split = settings.chains or (), settings.split
    rules = settings.environment()
    instructions = build_instructions(max_steps=rules.max_steps, revises=rules.revision != "none")
    staff = LocalStaff(settings, loading(lambda name: load_agent(name, models=models, overrides=given)))
    jobs = [Job(agent, chain, variant) for chain in chains for variant in (*settings.restored, "")]
    gold = cache(lambda: load_gold(split))
    refereed = rules.revision == "told"
    pool = EpisodePool(jobs, 1, staff, instructions, lambda chain: gold()[chain], refereed=refereed)
    try:
        calls = [call for ended in pool.finished() for call in ended.calls]
        pool.finish()
        return calls
    finally:
        pool.stop()


def _pictures(calls: Sequence[CallRecord], options: Sequence[dict[str, JsonValue]]) -> list[int]:
    """Return how many pictures would go with each call: the view with each browse step, and some with the report."""
    chosen = next((each for each in options if each.get("images")), None)
    if chosen is None:
        return [0] * len(calls)
    most = chosen.get("report_images")
    in_report = most if isinstance(most, int) else 0
    shown, views = [], 0
    for call in calls:
        views = views + 1 if call.phase is Phase.BROWSE else views
        shown.append({Phase.RESTORE: 0, Phase.BROWSE: 1, Phase.REPORT: min(in_report, views)}[call.phase])
        views = 0 if call.phase is Phase.REPORT else views
    return shown


def _used_up(
    calls: Sequence[CallRecord],
    pictures: Sequence[int],
    longest_answer: int,
    manifest: RunManifest,
    prices: PriceTable,
    *,
    repair: bool,
) -> Bill:
    """Return what one chain asks for that uses up every step and strike."""
    rules = manifest.environment
    attempts = {
        Phase.RESTORE: rules.strikes * (1 + len(manifest.restored)),
        Phase.BROWSE: rules.strikes * rules.max_steps,
        Phase.REPORT: rules.strikes,
    }
    made, sent, costs = 0, 0, []
    for phase, budget in attempts.items():
        of_phase = [(call, n) for call, n in zip(calls, pictures, strict=True) if call.phase is phase]
        if not of_phase:
            continue
        number = budget * (2 if repair else 1)
        prompt = max(_tokens(call).input_tokens for call, _ in of_phase) + PICTURE_TOKENS * max(n for _, n in of_phase)
        made += number
        sent += number * prompt
        costs.append(_price(prices, of_phase[0][0], number * prompt, number * longest_answer))
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    return Bill(calls=made, input_tokens=sent, output_tokens=made * longest_answer, cost=cost)


def _times(bill: Bill, n: int) -> Bill:
    cost = None if bill.cost is None else bill.cost * n
    return Bill(
        calls=bill.calls * n, input_tokens=bill.input_tokens * n, output_tokens=bill.output_tokens * n, cost=cost
    )


def _tokens(call: CallRecord) -> Usage:
    if call.usage is None:
        raise ConfigError("The rehearsal came to an answer without a count of tokens: please report this.")
    return call.usage


def _price(prices: PriceTable, call: CallRecord, sent: int, received: int) -> float | None:
    return prices.cost(call.model, Usage(input_tokens=sent, output_tokens=received))
