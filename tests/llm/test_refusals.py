"""What counts as declining."""

from __future__ import annotations

import pytest

from riskchain_gym.llm.refusals import declines


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m unable to judge this page.",
        "Unfortunately, I cannot assist with this request.",
        "I must decline.",
        "As an AI language model, I have no opinion on it.",
        "抱歉，我无法协助处理这个请求。",
        "对不起,这个问题我不能回答。",
        "很遗憾，我不能提供这方面的内容。",
        "抱歉，無法協助。",
        "作为一个人工智能助手，我没有看法。",
        "我们换个话题吧。",
    ],
)
def test_refusals_are_recognised(text: str) -> None:
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "yes", "why": "The view shows it."}',
        "The view shows the quoted line.",
        "The page says: 抱歉，我们已停止服务. It is closed.",
        "页面写着“无法提现”，引文相符。",
        "Yes: the visitor cannot withdraw the deposit.",
        "是。该页面要求先充值。" * 9 + "后文提到：抱歉，我无法协助。",
    ],
)
def test_other_answers_are_none(text: str) -> None:
    assert not declines(text)
