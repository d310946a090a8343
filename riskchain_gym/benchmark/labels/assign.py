"""Who labels what: the plan of a project, drawn from a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from riskchain_gym.benchmark.labels.plan import Layer, Plan, Subject, Task, Worker
from riskchain_gym.benchmark.labels.teams import deal_evenly, deal_teams
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, derive_key, key_from_seed, keyed_id

SOME_REPEAT = 6
"""Items from which on an annotator has a repeat if repeats are asked for at all, however few."""

MOST_REPEATS = 0.5
"""Share of an annotator's items that may come again; with more, a third of a queue could not lie between."""


def draw_plan(
    subject: Subject,
    items: Sequence[str],
    workers: Sequence[Worker],
    *,
    source: str,
    source_sha256: str,
    seed: int,
    passes: int = 2,
    repeats: float = 0.05,
    clusters: Mapping[str, str] | None = None,
    digests: Mapping[str, str] | None = None,
) -> Plan:
    """Draw who answers what, in which order; the same arguments give the same bytes.

    Args:
        subject: What is labelled.
        items: The items, in any order.
        workers: Who labels: annotators, reviewers, and one coordinator where items are passed more than once.
        source: Where the items come from.
        source_sha256: Hash of what they are.
        seed: Draws all of it.
        passes: Independent passes of each item, each by another annotator.
        repeats: Share of each annotator's items that come again unannounced, 0 to 0.5; of six items or more at least
            one does, and of two none can, as it would follow at once.
        clusters: What items share, by item; others are left out.
        digests: SHA-256 of what imported sites are, by item; others are left out.

    Raises:
        ConfigError: No plan can be drawn; the message says what is missing or too much.
    """
    _check(items, workers, passes, repeats)
    ordered, key = sorted(items), derive_key(key_from_seed(seed), "labels", subject)
    annotators = [worker.name for worker in workers if worker.role == "annotator"]
    teams = dict(zip(ordered, deal_teams(KeyedRandom(key, "teams"), annotators, len(ordered), passes), strict=True))

    def task(item: str, layer: Layer, worker: str) -> Task:
        return Task(task_id=keyed_id(key, "task", item, layer, worker), item_id=item, layer=layer, worker=worker)

    tasks = list[Task]()
    for name in annotators:
        own = [item for item in ordered if name in teams[item]]
        for item, layer in _queue(KeyedRandom(key, "order", name), own, repeats):
            tasks.append(task(item, layer, name))
    if passes > 1:
        (coordinator,) = [worker.name for worker in workers if worker.role == "coordinator"]
        others = [worker.name for worker in workers if worker.role != "coordinator"]
        open_to = {item: [name for name in others if name not in teams[item]] for item in ordered}
        reviewers = deal_evenly(KeyedRandom(key, "reviewers"), open_to)
        for item in ordered:
            tasks += (task(item, "review", reviewers[item]), task(item, "adjudication", coordinator))
    return Plan(
        subject=subject,
        source=source,
        source_sha256=source_sha256,
        seed=seed,
        passes=passes,
        workers=tuple(workers),
        items=tuple(ordered),
        clusters={item: clusters[item] for item in ordered if item in clusters} if clusters else {},
        digests={item: digests[item] for item in ordered if item in digests} if digests else {},
        tasks=tuple(tasks),
    )


def _queue(rng: KeyedRandom, items: Sequence[str], repeats: float) -> list[tuple[str, Layer]]:
    """Return an annotator's items in a drawn order; some come again, at least a third of the queue later.

    The places of second times are spread over the last two thirds, one in each of as many equal parts.
    """
    firsts, again = list(items), round(repeats * len(items))
    if repeats and len(items) >= SOME_REPEAT:
        again = max(again, 1)
    rng.shuffle(firsts)
    length = len(firsts) + again
    apart = -(-length // 3)
    if not again or apart == 1:
        return [(item, "pass") for item in firsts]
    bounds = [apart + (length - apart) * part // again for part in range(again + 1)]
    places = {rng.integer(low, high - 1) for low, high in pairwise(bounds)}
    queue, waiting = list[tuple[str, Layer]](), list[str]()
    for place in range(length):
        if place >= apart and queue[place - apart][1] == "pass":
            waiting.append(queue[place - apart][0])
        if place in places:
            queue.append((waiting.pop(rng.below(len(waiting))), "repeat"))
        else:
            queue.append((firsts.pop(), "pass"))
    return queue


def _check(items: Sequence[str], workers: Sequence[Worker], passes: int, repeats: float) -> None:
    if not items:
        raise ConfigError("There is nothing to label: give at least one item.")
    if twice := _twice(items):
        raise ConfigError(f"The item '{twice}' is given more than once: give each one time.")
    if twice := _twice(worker.name.lower() for worker in workers):
        raise ConfigError(
            f"'{twice}' is named more than once: each person has one name and one role, and annotators review already."
        )
    if not 0 <= repeats <= MOST_REPEATS:
        raise ConfigError(f"repeats must be a share from 0 to {MOST_REPEATS}, got {repeats}.")
    if passes < 1:
        raise ConfigError(f"passes must be 1 or more, got {passes}.")
    roles = Counter(worker.role for worker in workers)
    if roles["annotator"] < passes:
        raise ConfigError(
            f"Each pass of an item is by another annotator: {passes} cannot be had of {roles['annotator']}, name more "
            "or ask for fewer passes."
        )
    if passes == 1:
        if idle := [worker.name for worker in workers if worker.role != "annotator"]:
            raise ConfigError(f"With one pass nobody disagrees: leave '{idle[0]}' out, or ask for two passes.")
        return
    if roles["annotator"] == passes and not roles["reviewer"]:
        raise ConfigError(
            f"With {passes} annotators and {passes} passes nobody is left to review where they differ: name a "
            "reviewer, or another annotator."
        )
    if roles["coordinator"] != 1:
        raise ConfigError(
            f"One coordinator settles what stays in dispute, got {roles['coordinator']}: name one, who does no more."
        )


def _twice(values: Iterable[str]) -> str:
    """Return a value that is there more than once, if any is."""
    return next((value for value, n in Counter(values).items() if n > 1), "")
