"""The bank's files: what ships is balanced and true, what is wrong is refused by file and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from riskchain_gym.messages.bank import DATA, load_bank
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.message import Platform


def test_the_six_paper_platforms_have_92_codes() -> None:
    profiles = load_bank().profiles
    sizes = {p: len(profiles[p].codes) for p in Platform}
    assert sum(sizes.values()) - sizes[Platform.TIKTOK] - sizes[Platform.WECHAT_CHANNELS] == 92
    assert profiles[Platform.QQ].find("看/wx 这/doge 里") == [(1, 5), (6, 12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "bank")
    return tmp_path / "bank"


def test_a_private_folder_is_a_bank_too(folder: Path) -> None:
    assert load_bank(folder) == load_bank()


@pytest.mark.parametrize(
    ("file", "old", "new", "field", "problem"),
    [
        ("tokens.toml", '"/wx "', '"/wx"', "profile.3.codes", "'/wx' has not the shape SLASH_CODE"),
        ("tokens.toml", '"[V5]"', '"[给力]"', "profile.1.codes", "a code is listed twice"),
        ("tokens.toml", 'platform = "tiktok"', 'platform = "qq"', "profile", "needs every platform exactly once"),
        ("tokens.toml", 'platform = "tiktok"', 'platform = "x"', "profile.7.platform", "Input should be"),
    ],
)
def test_a_wrong_file_is_named_with_its_field(
    folder: Path, file: str, old: str, new: str, field: str, problem: str
) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        load_bank(folder)
    assert (caught.value.path, caught.value.field) == (path, field)
    assert problem in caught.value.problem


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="holds no skeleton files, add one named"):
        load_bank(tmp_path / "nowhere")
