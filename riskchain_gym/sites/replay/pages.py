"""Our own two pages of a replay site: for what lies outside the capture, and for what it lacks."""

from __future__ import annotations

from html import escape

from riskchain_gym.sites.replay.model import Lang

_WORDS = {
    "zh": {
        "outside": ("链接未打开", "该链接指向存档以外的地址，这里不会打开。"),
        "missing": ("页面未存档", "该页面不在存档中。"),
        "back": "返回首页",
    },
    "en": {
        "outside": ("Link not followed", "This link leads outside the capture and is not followed."),
        "missing": ("Page not captured", "This page is not part of the capture."),
        "back": "Back to the first page",
    },
}


def own_page(what: str, lang: Lang, entry: str) -> bytes:
    """Return one of the two pages.

    Args:
        what: ``outside`` or ``missing``.
        lang: Language of the site.
        entry: Path of its landing page.
    """
    words = _WORDS["zh" if lang.startswith("zh") else "en"]
    title, sentence = words[what]
    tag = "zh-CN" if lang.startswith("zh") else "en"
    return (
        f'<!DOCTYPE html><html lang="{tag}"><head><title>{title}</title></head><body style="font-family:sans-serif;'
        f'margin:15vh auto;max-width:32em;padding:0 1em"><h1>{title}</h1><p>{sentence}</p>'
        f'<p><a id="back" href="{escape(entry)}">{words["back"]}</a></p></body></html>'
    ).encode()
