"""The plan of labels that another tool asked for: exactly what was answered, and the passes that are missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from riskchain_gym.benchmark.labels.cells import LAYERS, Given
from riskchain_gym.benchmark.labels.plan import Layer, Plan, Task, Worker, checked_name
from riskchain_gym.benchmark.labels.rows import Fault
from riskchain_gym.benchmark.labels.sources import ItemSites
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import sha256_of


def clashes(given: Sequence[Given], column_of: Mapping[str, str]) -> list[Fault]:
    """Return the faults of answers that do not go with another one.

    Args:
        given: The answers.
        column_of: The column of each field that has one.
    """
    faults: list[Fault] = []

    def fault(each: Given, field: str, problem: str) -> None:
        faults.append(Fault(each.line, column_of.get(field, field), problem))

    answers: dict[tuple[str, ...], Given] = {}
    people: dict[str, Given] = {}
    passed = {(each.item_id, each.annotator) for each in given if each.layer == "pass"}
    labelled = passed | {(each.item_id, each.annotator) for each in given if each.layer == "review"}
    for each in given:
        # Of one item there is one review and one adjudication, whoever gives it.
        by = each.annotator if each.layer in ("pass", "repeat") else ""
        first = answers.setdefault((each.item_id, each.layer, by), each)
        known = people.setdefault(each.annotator.lower(), each)
        if first is not each:
            who = f" by '{by}'" if by else ""
            fault(each, "layer", f"is a second {each.layer} of '{each.item_id}'{who} beside that of line {first.line}")
        if known.annotator != each.annotator:
            fault(each, "annotator", f"'{each.annotator}' is '{known.annotator}' (line {known.line}) in other capitals")
        if known.simulated != each.simulated:
            fault(each, "simulated", f"says of '{each.annotator}' what line {known.line} does not")
        if each.layer == "repeat" and (each.item_id, each.annotator) not in passed:
            fault(each, "layer", f"is a repeat, and '{each.annotator}' has no pass of '{each.item_id}'")
        if each.layer == "review" and (each.item_id, each.annotator) in passed:
            fault(each, "layer", f"is a review by '{each.annotator}', who has passed '{each.item_id}' already")
        if each.layer == "adjudication" and (each.item_id, each.annotator) in labelled:
            problem = f"is an adjudication by '{each.annotator}', who has passed or reviewed '{each.item_id}' already"
            fault(each, "layer", problem)
    return faults


def passes_of(given: Iterable[Given]) -> dict[str, list[str]]:
    """Return who passed each item, in order of id."""
    found: dict[str, list[str]] = {each.item_id: [] for each in sorted(given, key=lambda each: each.item_id)}
    for each in given:
        if each.layer == "pass":
            found[each.item_id].append(each.annotator)
    return found


def plan_of(given: Sequence[Given], sites: ItemSites, coordinator: str | None) -> Plan:
    """Return the plan that asks for what was answered; passes that an item lacks are asked of those who have least.

    Args:
        given: The answers.
        sites: What was labelled.
        coordinator: Who adjudicates what no answer does, ``None`` for nobody.

    Raises:
        ConfigError: The coordinator's name cannot be one, or is of somebody who has labelled.
    """
    layers: dict[str, set[Layer]] = defaultdict(set)
    for each in given:
        layers[each.annotator].add(each.layer)
    passes = passes_of(given)
    most = max(map(len, passes.values()))
    later = {(each.item_id, each.layer): each.annotator for each in given if each.layer not in ("pass", "repeat")}
    tasks = [_task(each.item_id, each.layer, each.annotator) for each in given if each.layer in ("pass", "repeat")]
    tasks += _missing(passes, most, set(later.items()), Counter(task.worker for task in tasks))
    tasks.sort(key=lambda task: task.worker)
    if coordinator is not None:
        _check_coordinator(coordinator, layers)
        layers[coordinator].add("adjudication")
        later |= {(item, "adjudication"): coordinator for item in passes if (item, "adjudication") not in later}
    tasks += [_task(item, layer, who) for (item, layer), who in sorted(later.items(), key=_in_order)]
    simulated = {each.annotator for each in given if each.simulated}
    return Plan(
        subject="sites",
        source=sites.source,
        source_sha256=sites.sha256,
        seed=None,
        passes=max(most, 1),
        workers=tuple(
            Worker(name=name, role=_role(layers[name]), simulated=name in simulated) for name in sorted(layers)
        ),
        items=tuple(passes),
        clusters={item: sites.clusters[item] for item in passes if item in sites.clusters},
        digests={item: sites.digests[item] for item in passes if item in sites.digests},
        tasks=tuple(tasks),
    )


def _missing(
    passes: Mapping[str, Sequence[str]], most: int, later: set[tuple[tuple[str, Layer], str]], load: Counter[str]
) -> list[Task]:
    """Return the passes that items lack, each asked of whoever has least to do and has not answered the item yet.

    Raises:
        ConfigError: Nobody is left who could pass an item independently.
    """
    tasks: list[Task] = []
    everybody = sorted({name for people in passes.values() for name in people})
    labelled: defaultdict[str, set[str]] = defaultdict(set)
    for (item, _), name in later:
        labelled[item].add(name)
    for item, passed in passes.items():
        people, busy = list(passed), labelled[item]
        for _ in range(most - len(people)):
            free = [name for name in everybody if name not in people and name not in busy]
            if not free:
                raise ConfigError(
                    f"The site '{item}' has {len(passed)} of {most} passes, and everybody who passes sites has "
                    "answered it already: put its missing pass into the file, or take its rows out."
                )
            name = min(free, key=lambda name: (load[name], name))
            tasks.append(_task(item, "pass", name))
            people.append(name)
            load[name] += 1
    return tasks


def _check_coordinator(name: str, layers: Mapping[str, set[Layer]]) -> None:
    checked_name(name, given="--coordinator")
    for other, done in layers.items():
        if other.lower() == name.lower() and (other != name or done != {"adjudication"}):
            raise ConfigError(f"--coordinator: '{other}' has labelled sites in the file: give somebody else's name.")


def _in_order(task: tuple[tuple[str, Layer], str]) -> tuple[str, int]:
    (item, layer), _ = task
    return item, LAYERS.index(layer)


def _role(layers: set[Layer]) -> Literal["annotator", "reviewer", "coordinator"]:
    if layers == {"adjudication"}:
        return "coordinator"
    return "reviewer" if layers == {"review"} else "annotator"


def _task(item: str, layer: Layer, worker: str) -> Task:
    task_id = f"t{sha256_of([item, layer, worker])[:16]}"
    return Task(task_id=task_id, item_id=item, layer=layer, worker=worker)
