"""The few words the engine itself puts on a page, by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """Words of one language; ``{…}`` are filled in by the engine."""

    missing_title: str
    missing_text: str
    back_home: str
    unreadable_form: str
    copyright: str
    record: str
    inert_file: str


_WORDS = {
    "zh-CN": Words(
        missing_title="页面不存在",
        missing_text="您访问的页面不存在或已被移动。",
        back_home="返回首页",
        unreadable_form="提交的内容无法识别，请检查后重新填写",
        copyright="© {year} {operator} 版权所有",
        record="虚备案 {number} 号",
        inert_file="文件 {file}\n这是一份演示用的纯文本文件，不含任何可执行内容。\n",
    ),
    "zh-TW": Words(
        missing_title="頁面不存在",
        missing_text="您造訪的頁面不存在或已被移動。",
        back_home="返回首頁",
        unreadable_form="送出的內容無法辨識，請檢查後重新填寫",
        copyright="© {year} {operator} 版權所有",
        record="虛備案 {number} 號",
        inert_file="檔案 {file}\n這是一份示範用的純文字檔案，不含任何可執行內容。\n",
    ),
    "en": Words(
        missing_title="Page not found",
        missing_text="The page you asked for does not exist or has been moved.",
        back_home="Back to the home page",
        unreadable_form="We could not read what was sent, please check it and try again",
        copyright="© {year} {operator}. All rights reserved.",
        record="Mock record no. {number}",
        inert_file="File {file}\nThis is a plain text file for demonstration; it holds nothing that can be run.\n",
    ),
}


def words(lang: str) -> Words:
    """Return the words of a language (English for ``mixed``, Simplified Chinese for one that is not known)."""
    if lang == "mixed":
        lang = "en"
    return _WORDS.get(lang, _WORDS["zh-CN"])
