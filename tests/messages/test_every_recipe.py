"""Random messages: every technique, alone and in compositions, is taken back exactly."""

from __future__ import annotations

from collections import Counter

import pytest

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.ceiling import message_ceiling
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.recipes import PAPER_RECIPES, get_recipe
from riskchain_gym.messages.session import Session, write_session
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.techniques.base import SEVERITIES
from riskchain_gym.messages.techniques.registry import techniques
from riskchain_gym.messages.trace import alignment, reverse
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.protocol.message import Platform, Surface

KEY = key_from_seed(20260916)


def random_recipe(rng: KeyedRandom, language: str) -> str:
    """Return techniques of a language in random number, order and severity, or now and then a published recipe."""
    if language == "zh" and rng.chance(0.1):
        return rng.choice(PAPER_RECIPES)
    usable = [technique for technique in techniques() if language in technique.languages]
    while True:
        chosen = rng.sample(usable, rng.integer(1, 4))
        name = "+".join(f"{technique.name}@{rng.choice(SEVERITIES)}" for technique in chosen)
        try:
            return get_recipe(name).name
        except ConfigError:
            # Two codes that both need plain addresses do not go together.
            continue


def random_session(index: int) -> Session:
    rng = KeyedRandom(KEY, "random", str(index))
    bank = load_bank()
    skeleton = rng.choice(bank.skeletons)
    plain = plain_session(
        KEY,
        str(index),
        skeleton=skeleton,
        platform=rng.choice(list(Platform)),
        surface=rng.choice(list(Surface)),
        style=rng.choice(list(EntryStyle)),
    )
    return write_session(plain, KEY, str(index), recipes=[random_recipe(rng, skeleton.language)], bank=bank)


def check(session: Session) -> None:
    trace = session.gold.traces["v000"]
    for shown, canonical in zip(session.variants["v000"].messages, session.gold.messages, strict=True):
        assert reverse(shown.content, trace, shown.message_id) == canonical.text
        aligned = alignment(canonical.text, trace.stages[shown.message_id])
        assert "".join(a.character for a in aligned) == shown.content
        assert "".join(a.target for a in aligned) == canonical.text
    ceiling = session.gold.ceilings["v000"]
    assert ceiling is None or 0 < ceiling <= 1
    assert ceiling == 1 or get_recipe(session.recipes["v000"]).ambiguous


@pytest.mark.parametrize("messages", [800, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_messages_reverse_and_align(messages: int) -> None:
    used: Counter[str] = Counter()
    changed = 0
    for index in range(messages):
        session = random_session(index)
        try:
            check(session)
        except AssertionError as error:
            raise AssertionError(f"session {index}, recipe {session.recipes['v000']}") from error
        used.update(part.partition("@")[0] for part in session.recipes["v000"].split("+"))
        changed += any(session.gold.traces["v000"].stages.values())
    assert {technique.name for technique in techniques()} <= set(used)
    assert changed > 0.9 * messages


@pytest.mark.parametrize("messages", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_recipes_of_exact_codes_leave_no_doubt_of_the_entry(messages: int) -> None:
    certain = 0
    for index in range(messages):
        rng = KeyedRandom(KEY, "certain", str(index))
        skeleton = rng.choice([s for s in load_bank().skeletons if s.form is Form.SINGLE])
        recipe = get_recipe(random_recipe(rng, skeleton.language))
        if recipe.ambiguous or not recipe.inverses:
            continue
        plain = plain_session(
            KEY,
            str(index),
            skeleton=skeleton,
            platform=Platform.WEIBO,
            surface=Surface.COMMENT,
            style=EntryStyle.OPEN,
        )
        message = plain.messages[0]
        bank = load_bank()
        context = Context(message.addresses, bank.lexicon, bank.profiles[Platform.WEIBO], skeleton.language)
        _, stages = recipe.write(message.text, context, KEY, str(index))
        assert message_ceiling(message, recipe, stages, context) == pytest.approx(1, abs=1e-6), (index, recipe.name)
        certain += 1
    assert certain > messages / 5


@pytest.mark.parametrize("severity", [0, *SEVERITIES])
def test_every_technique_alone_reverses_at_every_severity(severity: int) -> None:
    bank = load_bank()
    for technique in techniques():
        skeletons = [s for s in bank.skeletons if s.language in technique.languages]
        for index, skeleton in enumerate(KeyedRandom(KEY, technique.name).sample(skeletons, 12)):
            plain = plain_session(
                KEY,
                str(index),
                skeleton=skeleton,
                platform=list(Platform)[index % 8],
                surface=Surface.COMMENT,
                style=EntryStyle.OPEN,
            )
            session = write_session(plain, KEY, str(index), recipes=[f"{technique.name}@{severity}"], bank=bank)
            check(session)
            assert severity or not any(session.gold.traces["v000"].stages.values())
