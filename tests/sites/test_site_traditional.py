"""Traditional Chinese: words before characters, the longest first, and nothing Simplified left in the content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.library import library as shared_library
from riskchain_gym.sites.traditional import Traditional

TABLE = content_dir("sites") / "languages" / "zh-TW.tsv"
# In no Taiwanese character set, but part of invented place names.
RARE_NAMES = "壋塬"


@pytest.fixture(scope="module")
def taiwan() -> Traditional:
    return Traditional(TABLE)


@pytest.fixture(scope="module")
def content() -> Library:
    return shared_library()


def table(folder: Path, *pairs: str) -> Traditional:
    """Return the conversion of a small table."""
    file = folder / "table.tsv"
    file.write_text("# a comment\n" + "\n".join(pair.replace("=", "\t") for pair in pairs) + "\n", encoding="utf-8")
    return Traditional(file)


def texts(value: Any) -> Iterator[str]:
    """Yield every text inside a value, the keys of mappings left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def foreign(text: str) -> set[str]:
    """Return the Han characters of a text that Taiwan's character set (Big5) does not hold."""
    han = set(re.findall(r"[\u3400-\u9fff]", text))
    return {mark for mark in han if not mark.encode("cp950", "ignore")} - set(RARE_NAMES)


def test_words_come_before_characters(tmp_path: Path) -> None:
    small = table(tmp_path, "里=裡", "公里=公里", "发=發", "头发=頭髮")
    assert small.text("这里三公里，发货，头发") == "这裡三公里，發貨，頭髮".replace("貨", "货")


def test_the_longest_word_wins_where_two_begin_together(tmp_path: Path) -> None:
    small = table(tmp_path, "文件=檔案", "文件夹=資料夾", "投标文件=投標文件")
    assert small.text("文件夹里的文件和投标文件") == "資料夾里的檔案和投標文件"


def test_a_word_keeps_another_from_matching_across_its_end(tmp_path: Path) -> None:
    small = table(tmp_path, "页面=頁面", "面点=麵點", "点=點")
    assert small.text("页面点一下，三份面点") == "頁面點一下，三份麵點"


def test_only_values_are_converted_and_placeholders_stay(taiwan: Traditional) -> None:
    block = {
        "text": "{{ nickname }}，[[ say('软件', '信息') ]]共 [[ price * 2 ]] 元",
        "items": [{"to": "home"}],
        "when": True,
    }
    assert taiwan.convert(block) == {
        "text": "{{ nickname }}，[[ say('軟體', '資訊') ]]共 [[ price * 2 ]] 元",
        "items": [{"to": "home"}],
        "when": True,
    }


@pytest.mark.parametrize("line", ["发", "发\t", "\t發", "发\t發\n发\t髮"])
def test_a_line_that_is_no_pair_or_stands_twice_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "table.tsv"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputFileError, match="must be a pair"):
        Traditional(file)


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("请到柜台登录账户，发送短信验证码", "請到櫃檯登入帳戶，發送簡訊驗證碼"),
        ("周先生每周一来，四周围都很安静", "周先生每週一來，四周圍都很安靜"),
        ("只有这一只猫，这只是说明", "只有這一隻貓，這只是說明"),
        ("三天后公布，复印件请核对后答复", "三天後公布，影本請核對後答覆"),
        ("当面点清，面馆的面条，方便面对面谈", "當面點清，麵館的麵條，方便面對面談"),
        ("平台风险，台风将至，舞台布置", "平台風險，颱風將至，舞台佈置"),
        ("签到之后贴上标签，其中签字两次", "簽到之後貼上標籤，其中簽字兩次"),
        ("转到账户里，三天到账", "轉到帳戶裡，三天入帳"),
        ("志愿者整理发票，理发师收头发", "志工整理發票，理髮師收頭髮"),
        ("不能干扰干部吃饼干，衣服干净", "不能干擾幹部吃餅乾，衣服乾淨"),
        ("点“下载”打开文件夹", "點「下載」打開資料夾"),
    ],
)
def test_ambiguous_characters_follow_their_words(taiwan: Traditional, simplified: str, traditional: str) -> None:
    assert taiwan.text(simplified) == traditional


def test_every_archetype_reads_in_taiwanese_characters(content: Library) -> None:
    left = {}
    for name in content.archetype_names():
        spec = content.archetype(name, "zh-TW").model_dump(mode="json")
        for text in texts({key: value for key, value in spec.items() if key != "summary"}):
            if foreign(text):
                left[name] = (foreign(text), text)
    assert not left


def test_every_bank_reads_in_taiwanese_characters(content: Library) -> None:
    left = {name: foreign("".join(entries)) for name, entries in content.banks("zh-TW").items()}
    assert not {name: marks for name, marks in left.items() if marks}


def test_no_source_of_the_table_is_left_in_the_banks(taiwan: Traditional, content: Library) -> None:
    pairs = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    targets = set("".join(target for _, target in pairs))
    only_simplified = {source for source, _ in pairs if len(source) == 1} - targets
    assert len(only_simplified) > 1500
    for name, entries in content.banks("zh-TW").items():
        if not name.endswith(("_en", "_zh_tw")):
            assert not only_simplified & set("".join(entries)), name


def test_the_table_is_sorted_and_holds_no_rare_planes() -> None:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    sources = [line.split("\t")[0] for line in lines]
    assert sources == sorted(sources, key=lambda source: (-len(source), source))
    assert all(ord(mark) < 0x10000 for line in lines for mark in line)
