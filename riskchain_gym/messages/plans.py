"""The message splits: what each is for, and what its sessions are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from riskchain_gym.messages.menu import Choice
from riskchain_gym.messages.mix import Mix
from riskchain_gym.messages.plan import MessagePlan, Stratum
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES
from riskchain_gym.messages.session import SURFACES
from riskchain_gym.messages.skeletons import Form, Skeleton
from riskchain_gym.messages.techniques.base import Phase
from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.protocol.message import Platform

PAPER_PLATFORMS = (
    Platform.BILIBILI,
    Platform.DOUYIN,
    Platform.WECHAT,
    Platform.QQ,
    Platform.WEIBO,
    Platform.BAIDU_TIEBA,
)
"""The six platforms of the published set, used in equal parts."""

CLEAN_PREFIX = "c_clean_"
"""How the names of those skeletons begin that hold real words which look like disguised ones."""

TRAIN_SESSIONS = 3000
"""How many training sessions a build writes unless told otherwise; more can be made at any time."""


def _is(language: str, *forms: Form) -> Callable[[Skeleton], bool]:
    return lambda skeleton: skeleton.language == language and skeleton.form in forms


_CHAINED = (Form.SPLIT, Form.TURNS, Form.DECOY, Form.CORRECTION, Form.QUOTED)
_ZH, _ZH_CHAINED = _is("zh", Form.SINGLE), _is("zh", *_CHAINED)
_EN, _EN_CHAINED = _is("en", Form.SINGLE), _is("en", *_CHAINED)


def _is_no_entry_control(skeleton: Skeleton) -> bool:
    return skeleton.form is Form.NO_ENTRY and not skeleton.pair and not skeleton.name.startswith(CLEAN_PREFIX)


def _is_single_half(skeleton: Skeleton) -> bool:
    return bool(skeleton.pair) and skeleton.form is Form.SINGLE


PLANS = {
    plan.name: plan
    for plan in (
        MessagePlan(
            "test",
            Pool.TEST,
            600,
            (Stratum("single", _ZH),),
            recipes=PAPER_RECIPES,
            platforms=PAPER_PLATFORMS,
            surfaces=SURFACES,
        ),
        MessagePlan(
            "hard",
            Pool.HARD,
            600,
            (
                Stratum("single", _ZH, 12),
                Stratum("chained", _ZH_CHAINED, 5),
                Stratum("english", _EN, 2),
                Stratum("english_chained", _EN_CHAINED, 1),
            ),
            mix=Mix(
                Choice.ANY, counts={1: 1, 2: 2, 3: 2}, severities={2: 1, 3: 1}, first=(Phase.ENTRY,), beyond_paper=True
            ),
            floor=0.9,
        ),
        MessagePlan(
            "dev",
            Pool.DEV,
            600,
            (Stratum("single", _ZH, 15), Stratum("chained", _ZH_CHAINED, 3), Stratum("english", _EN, 2)),
            mix=Mix(published=0.4),
        ),
        MessagePlan(
            "ood",
            Pool.OOD,
            600,
            (Stratum("single", _ZH, 14), Stratum("chained", _ZH_CHAINED, 4), Stratum("english", _EN, 2)),
            mix=Mix(Choice.HELD_OUT),
        ),
        MessagePlan(
            "clean",
            Pool.CONTROL,
            120,
            (
                Stratum("clean", lambda s: s.name.startswith(CLEAN_PREFIX) and s.form is not Form.NO_ENTRY, 5),
                Stratum("clean_no_entry", lambda s: s.name.startswith(CLEAN_PREFIX) and s.form is Form.NO_ENTRY, 1),
            ),
            recipes=(CLEAN,),
        ),
        MessagePlan(
            "no_entry",
            Pool.CONTROL,
            120,
            (Stratum("no_entry", _is_no_entry_control),),
            mix=Mix(Choice.ANY),
        ),
        MessagePlan(
            "contrast",
            Pool.CONTROL,
            160,
            (
                Stratum("skeletons", lambda skeleton: bool(skeleton.pair), 6),
                Stratum("disguise", _is_single_half, 1),
                Stratum("letter", _is_single_half, 1),
            ),
            mix=Mix(Choice.ANY),
            floor=0.9,
            unit=2,
        ),
        MessagePlan(
            "train",
            Pool.TRAIN,
            TRAIN_SESSIONS,
            (
                Stratum("single", _ZH, 12),
                Stratum("chained", _ZH_CHAINED, 4),
                Stratum("no_entry", lambda skeleton: skeleton.form is Form.NO_ENTRY, 1),
                Stratum("english", _EN, 2),
                Stratum("english_chained", _EN_CHAINED, 1),
            ),
            mix=Mix(published=0.25, clean=0.05),
            all_marked=False,
            endless=True,
        ),
    )
}
"""Every split by name, in the order a build writes them; ``train`` is last, so that its size moves no other bytes.

``test`` is the published kind: 600 sessions, each under the six published recipes. ``hard`` has one variant a session,
its entry disguised beyond the published techniques and surely restorable by who knows the recipe. Every session of
``dev`` has one drawn recipe, for 30 % of them a published one. ``ood`` has a held-out technique in every recipe, and
skeletons, word pairs and codes that training never shows. Sessions under a published recipe have entries of the
published style, all others the open one, which ceilings are computed for.
"""


def get_plan(split: str) -> MessagePlan:
    """Return the plan of a split.

    Raises:
        UnknownNameError: There is no such split.
    """
    if split not in PLANS:
        near = get_close_matches(split, PLANS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UnknownNameError(f"There is no message split '{split}'.{hint} Message splits: {', '.join(PLANS)}.")
    return PLANS[split]
