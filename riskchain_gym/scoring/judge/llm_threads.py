"""Many questions at once, for judges that wait for others."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.questions import Judge, Question, Ruling


def ask_concurrently(
    judge: Judge, bundle: Bundle, questions: Iterable[Question], *, threads: int = 4
) -> tuple[Ruling, ...]:
    """Put every question to a judge that threads may share; the rulings come in the order of the questions.

    An interrupt is not kept waiting by questions in flight: they end with the judge's client.

    Args:
        judge: The judge.
        bundle: What it is shown.
        questions: What it is asked.
        threads: Questions in flight at once; a client's own limit holds besides.
    """
    pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="judge")
    try:
        return tuple(pool.map(lambda question: judge.rule(bundle, question), questions))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
