"""The rule restorer, one disguise at a time and then together."""

from __future__ import annotations

import pytest

from riskchain_gym.agents.base import Restorer
from riskchain_gym.agents.restore.copying import CopyRestorer
from riskchain_gym.agents.restore.lattice import EAGER, read_run
from riskchain_gym.agents.restore.normalizing import NormalizeRestorer
from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.agents.restore.vocabulary import word_cost
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

RULES = RulesRestorer()


def restore(content: str, platform: str = "weibo") -> Commit:
    chat = ChatMessage(message_id="m001", content=content)
    return RULES.restore(Message(platform=Platform(platform), surface=Surface.COMMENT, messages=(chat,)))


def text_of(content: str, platform: str = "weibo") -> str:
    return restore(content, platform).reconstructed_messages[0].text


def entry_of(content: str, platform: str = "weibo") -> str:
    return restore(content, platform).entry_candidates[0].value


PLAIN = "读书会的时间表放在 mint4.ro.test，记得看。"


@pytest.mark.parametrize(
    ("platform", "content"),
    [
        ("bilibili", "读书[tv_某某]会的时间表放[某词_好?]在 mi[甲]nt4.r[乙]o.te[丙]st，记得[丁]看。"),
        ("douyin", "读书会的[V9]时间表放在 [777]mint[V9]4.ro.te[777]st，记得看。"),
        ("weibo", "[dog]读书会的时间表放在 mint4[dog].ro.test[dog]，记得看。"),
        ("wechat", "读书/某某 会的时间表放在 mi/甲乙 nt4.[丙]ro.t/丁 est，记得/某某 看。"),
        ("qq", "读书/ab 会的时间表放在/cd  mi/ef nt4.ro/gh .te/ijk st/lm ，记/ab 得看。"),
        ("qq", "读书会的时间表放在/cd  /ab mint4.ro.test，记得看。/lm"),
        ("baidu_tieba", "#(某某)读书会的时间表放在 mint#(甲)4.ro.#(乙?)test，记得看。"),
        ("tiktok", "读书🎈会的时间表放在 mi🎁nt4.ro.te❤️st，记得看。"),
        ("wechat_channels", "读书会的时间表🎈放在 mint4.r👍🏽o.test，记得看。"),
    ],
)
def test_codes_go_and_exactly_one_space_stays(platform: str, content: str) -> None:
    assert text_of(content, platform) == PLAIN


@pytest.mark.parametrize(
    "content",
    [
        "读书会的时间表放在 ｍｉｎｔ４．ｒｏ．ｔｅｓｔ，记得看。",
        "读书会的时间表放在 мιոт4.гο.тεѕт，记得看。",
        "读书会的时间表放在 𝓂𝒾𝓃𝓉4.𝐫𝐨.𝕥𝕖𝕤𝕥，记得看。",
        "读书会的时间表放在 ⓜⓘⓝⓣ④.ⓡⓞ.ⓣⓔⓢⓣ，记得看。",
        "读书会的时间表放在 🅼🅸🅽🆃4️⃣.ro.test，记得看。",
        "读书会的时间表放在 MÌnt4.Ro.TEST，记得看。",
        "读书会的时间表放在 mi\u200bnt\u20604.r\u00ado.te\ufeffst，记得看。",
        "读书会的时间表放在 m\u0336i\u0336n\u0336t\u03364.ro.test，记得看。",
        "读书会的时间表放在 mint4，ro.test，记得看。",
        "读书会的时间表放在 mint4。ro。test，记得看。",
        "读书会的时间表放在 mint4点ro点test，记得看。",
        "读书会的时间表放在 mint4·ro·test，记得看。",
        "读书会的时间表放在 m i n t 4 . r o . t e s t，记得看。",
        "读书会的时间表放在 mint4 ． ro ． test，记得看。",
    ],
)
def test_look_alike_letters_and_dots(content: str) -> None:
    assert text_of(content) == PLAIN


@pytest.mark.parametrize(
    "content",
    [
        "读书会的时间表放在 mint4\nro\n.test，记得看。",
        "读书会的时间表放在 mint4\nro\n，test，记得看。",
        "读书会的时间表放在 mint4\nro\n点te[甲]st，记得看。",
        "读书会的时间表放在 mint4[甲]\nro\n[乙]．test，记得看。",
        "读书会的时间表放在 m\ni\nn\nt\n4\n\nr\no\n。\nt\ne\ns\nt，记得看。",
        "读书会的时间表放在 m\ni[甲]\nn\nt\n[乙]4\n[丙]\nr\no\n．\nt\n[丁]e\ns\nt，记得看。",
        "读书[甲]\n会的时间表放在 mi[乙]\nnt4.ro[丙]\n.te[丁]\nst，记得看。",
        "[甲]\n读书会的时间表放在[乙]\n mint4，r[丙]\no.test，记得[丁]\n看。",
    ],
)
def test_layouts_are_joined(content: str) -> None:
    assert text_of(content) == PLAIN


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        ("请[甲]先扌丁开 mint4.ro.test 查看。", "请先打开 mint4.ro.test 查看。"),
        ("让亻[甲]尔先看 mint4.ro.test。", "让你先看 mint4.ro.test。"),
        ("请找客月及帮忙，入口是 mint4，ro.test。", "请找客服帮忙，入口是 mint4.ro.test。"),
        ("新的地土止是 mint4，ro.test。", "新的地址是 mint4.ro.test。"),
        ("请修改蜜码，入口是 mint4，ro.test。", "请修改密码，入口是 mint4.ro.test。"),
        ("请下栽新版软件，入口是 mint4，ro.test。", "请下载新版软件，入口是 mint4.ro.test。"),
        ("请完成严证，入口是 mint4，ro.test。", "请完成验证，入口是 mint4.ro.test。"),
        ("请完成燕讠[甲]正，入口是 mint4，ro.test。", "请完成验证，入口是 mint4.ro.test。"),
        ("请自已看，入口是 mint4，ro.test。", "请自己看，入口是 mint4.ro.test。"),
        ("请扛开 mint4，ro.test。", "请打开 mint4.ro.test。"),
        ("裙里有通知，入口是 mint4，ro.test。", "群里有通知，入口是 mint4.ro.test。"),
        ("登陆网站的入口是 mint4，ro.test。", "登录网站的入口是 mint4.ro.test。"),
    ],
)
def test_words_are_restored_in_context(content: str, plain: str) -> None:
    assert text_of(content) == plain


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        ("请扌卩又名，入口是 mint4，ro.test。", "请报名，入口是 mint4.ro.test。"),
        ("请言兑明原因，入口是 mint4，ro.test。", "请说明原因，入口是 mint4.ro.test。"),
        ("大冢都在群里，入口是 mint4，ro.test。", "大家都在群里，入口是 mint4.ro.test。"),
        ("公司旳客服，入口是 mint4，ro.test。", "公司的客服，入口是 mint4.ro.test。"),
    ],
)
def test_parts_in_threes_or_whole_forms_and_characters_of_no_word(content: str, plain: str) -> None:
    assert text_of(content) == plain


def test_a_scorer_says_which_word_is_meant() -> None:
    class After:
        def word(self, previous: tuple[str, ...], word: str) -> float:
            return 0.0 if (*previous[-1:], word) == ("一名", "教师") else -word_cost(word)

    plain = "新来了一名教师"
    run = plain.replace("教师", "教室")
    assert read_run(run, EAGER, {}) == run
    assert read_run(run, EAGER, {}, scorer=After()) == plain


def test_noise_goes_but_the_space_before_the_entry_stays() -> None:
    noisy = "读＊书会·的\u3000时 间～表^放在 mint4，ro.test～，记得 看。"
    assert text_of(noisy) == PLAIN


def test_space_after_the_entry_stays_unless_punctuation_follows() -> None:
    assert text_of("打开/ab  mint4.ro.tes/cd t 查看/ab 。", "qq") == "打开 mint4.ro.test 查看。"
    assert text_of("打开/ab  mint4.ro.tes/cd t /ab 。", "qq") == "打开 mint4.ro.test。"


@pytest.mark.parametrize(
    "clean",
    [
        "一名女子在门口等车。",
        "台风今晚登陆，海边的人已经撤到市中心。",
        "联席会议上午九点开始，登记后入场。",
        "她的裙子是昨天刚买的，颜色很好看～",
        "明日早上立刻出发，口令是 10～20 之间的数。",
        "这个 App 的 latest 版本跑不了 pytest。",
        "她叫诺敏·托娅，爱吃羊肉。",
        "第一行\n第二行",
        "",
        "   ",
    ],
)
def test_clean_text_stays_clean_and_names_no_entry(clean: str) -> None:
    commit = restore(clean, "qq")
    assert commit.reconstructed_messages[0].text == clean
    assert commit.entry_candidates == ()
    assert commit.abstain
    assert commit.uncertainties


def test_clean_text_with_a_plain_entry_stays_clean() -> None:
    commit = restore(PLAIN)
    assert commit.reconstructed_messages[0].text == PLAIN
    assert not commit.abstain
    assert commit.uncertainties == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "一名女子在门口等车",
        "台风已经登陆海岸",
        "他住在市中心附近",
        "联席会议明天上午开",
        "这条裙子是新买的",
        "请立刻把雨伞收好",
        "他们早就认识了",
    ],
)
def test_real_words_survive_in_a_disguised_message(sentence: str) -> None:
    assert text_of(f"[甲]{sentence}，见 mint4，ro.test。") == f"{sentence}，见 mint4.ro.test。"


def test_codes_of_another_platform_are_text() -> None:
    assert text_of("今天[甲]很好", "qq") == "今天[甲]很好"
    assert text_of("今天#(甲)很好", "weibo") == "今天#(甲)很好"


def test_ambiguous_letters_become_lower_ranks() -> None:
    commit = restore("入口是 mοle0.ro.test。")
    values = [c.value for c in commit.entry_candidates]
    assert values[0] == "mole0.ro.test"
    assert values[1] == "m0le0.ro.test"
    confidences = [c.confidence for c in commit.entry_candidates]
    assert confidences == sorted(confidences, reverse=True)
    assert [c.rank for c in commit.entry_candidates] == list(range(1, len(values) + 1))
    assert any("'o'" in doubt for doubt in commit.uncertainties)


def test_a_dot_lost_without_trace_leaves_several_places() -> None:
    commit = restore("入口是 mint4ro.test。")
    values = [c.value for c in commit.entry_candidates]
    assert "mint4.ro.test" in values
    assert len(values) > 1
    assert commit.entry_candidates[0].confidence < 0.9
    assert any("dot" in doubt for doubt in commit.uncertainties)


def test_latin_words_before_the_entry_are_no_part_of_it() -> None:
    assert entry_of("打开 App mint4，ro.test。") == "mint4.ro.test"
    assert entry_of("见 README，mint4，ro.test。") == "mint4.ro.test"


@pytest.mark.parametrize(
    ("content", "intent"),
    [
        ("新的入口是 mint4.ro.test。", Intent.OPEN_SITE),
        ("客服说要复核，入口在 mint4.ro.test，按提示操作。", Intent.OPEN_SITE),
        ("到 mint4.ro.test 填写邀请码。", Intent.ENTER_CODE),
        ("搜索 mint4.ro.test 就能看到。", Intent.SEARCH_QUERY),
        ("从 mint4.ro.test 加他的账号。", Intent.ADD_ACCOUNT),
        ("联系 mint4.ro.test 的客服领取。", Intent.CONTACT_SERVICE),
        ("群里又有人提到 mint4.ro.test，说很好。", Intent.UNKNOWN),
        ("今天天气很好。", Intent.UNKNOWN),
        ("Type the invite code at mint4.ro.test to get in.", Intent.ENTER_CODE),
        ("Just search mint4.ro.test and it comes up first.", Intent.SEARCH_QUERY),
        ("Someone pinned mint4.ro.test on the board, no idea why.", Intent.UNKNOWN),
    ],
)
def test_intent_follows_the_clause_of_the_entry(content: str, intent: Intent) -> None:
    assert restore(content).intent is intent


def test_platform_is_copied() -> None:
    assert restore("你好", "douyin").platform == Platform.DOUYIN


def test_sessions_keep_order_and_rank_first_choices_first() -> None:
    parts = ("先看 mint4，ro.test。", "再看 sage7.ro.test。", "完")
    chats = tuple(ChatMessage(message_id=f"m{i}", content=content) for i, content in enumerate(parts))
    commit = RULES.restore(Message(platform=Platform.QQ, surface=Surface.GROUP_CHAT, messages=chats))
    assert [m.message_id for m in commit.reconstructed_messages] == ["m0", "m1", "m2"]
    assert [c.value for c in commit.entry_candidates[:2]] == ["mint4.ro.test", "sage7.ro.test"]


def test_copy_restorer_takes_only_what_is_plain() -> None:
    copy = CopyRestorer()
    assert isinstance(copy, Restorer)
    assert isinstance(RULES, Restorer)
    chats = (
        ChatMessage(message_id="a", content=PLAIN),
        ChatMessage(message_id="b", content="入口是 mint4，ro.test"),
    )
    commit = copy.restore(Message(platform=Platform.QQ, surface=Surface.COMMENT, messages=chats))
    assert [c.value for c in commit.entry_candidates] == ["mint4.ro.test"]
    assert commit.reconstructed_messages[1].text == chats[1].content


def test_normalize_restorer_folds_letters_and_nothing_else() -> None:
    normalize = NormalizeRestorer()
    assert isinstance(normalize, Restorer)
    chats = (
        ChatMessage(message_id="a", content="入口是 ｍіոt4.𝐫𝐨.ⓣⓔⓢⓣ，（记得[dog]看）！"),
        ChatMessage(message_id="b", content="入口是 mint4，ro.test"),
    )
    commit = normalize.restore(Message(platform=Platform.WEIBO, surface=Surface.COMMENT, messages=chats))
    assert [c.value for c in commit.entry_candidates] == ["mint4.ro.test"]
    assert commit.reconstructed_messages[0].text == "入口是 mint4.ro.test，（记得[dog]看）！"
    assert commit.reconstructed_messages[1].text == chats[1].content
