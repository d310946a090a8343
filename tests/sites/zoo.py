"""A site made by hand whose pages hold every kind of block, for tests of how sites look."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from riskchain_gym.sites.blocks import AnyBlock
from riskchain_gym.sites.compiled import CompiledAction, CompiledLink, CompiledPage, CompiledSite, Look

_ART = ("document", "goods", "chart", "device", "scene", "person", "map", "book")

LANDING: tuple[dict[str, Any], ...] = (
    {"kind": "hero", "title": "慢一点也没关系", "subtitle": "把附近的小事，交给有空的人来做。", "art": "scene"},
    {
        "kind": "stats",
        "rows": [
            {"label": "注册会员", "value": "3,420 人"},
            {"label": "今日新增", "value": "57 个"},
            {"label": "更新日期", "value": "2026-06-03"},
        ],
    },
    {
        "kind": "cards",
        "items": [
            {"title": "办事大厅", "text": "按地点和时间挑选", "art": "document", "to": "inner", "link": "进入大厅"},
            {"title": "结算说明", "text": "什么时候结算、怎么结算，一页看完", "art": "chart", "to": "inner"},
            {
                "title": "手冲壶",
                "text": "细口，好控水",
                "price": "128 元",
                "art": "goods",
                "to": "inner",
                "link": "看看",
            },
        ],
    },
    {"kind": "notice", "text": "本周六上午例行维护，页面可能打开得慢一些。", "tone": "info"},
    {"kind": "heading", "text": "最近的消息"},
    {
        "kind": "links",
        "style": "list",
        "items": [{"text": "六月的安排", "to": "inner"}, {"text": "怎么联系我们", "to": "inner"}],
    },
)

EVERYTHING: tuple[dict[str, Any], ...] = (
    {"kind": "heading", "text": "所有的部件", "level": 1},
    {"kind": "text", "text": "这一页把每一种部件都放上，只为看清楚它们各自的样子，长一点的句子会在窄的窗口里折行。"},
    *({"kind": "text", "text": f"语气 {tone}", "tone": tone} for tone in ("info", "good", "warn", "bad")),
    {"kind": "badge", "text": "本周推荐", "tone": "good"},
    {"kind": "price", "text": "1,280 元"},
    {"kind": "small", "text": "价格含运费，七天之内可以退换。"},
    *({"kind": "notice", "text": f"提示：{tone}", "tone": tone} for tone in ("plain", "info", "good", "warn", "bad")),
    {"kind": "quote", "text": "“来过三次，每次都有新东西。”——一位读者"},
    {"kind": "heading", "text": "表格与明细"},
    {
        "kind": "table",
        "head": ["名称", "地点", "时间", "报酬"],
        "rows": [["资料录入", "线上", "9:00—12:00", "24 元"], ["活动签到", "同城", "14:00—18:00", "28 元"]],
    },
    {"kind": "details", "rows": [{"label": "单号", "value": "RW-204816"}, {"label": "下一步", "value": "等待确认"}]},
    {
        "kind": "form",
        "title": "报名",
        "do": "send",
        "submit": "提交报名",
        "fields": [
            {"name": "who", "label": "称呼", "placeholder": "怎么称呼您"},
            {"name": "kind", "label": "种类", "type": "select", "options": ["线上", "同城"]},
            {"name": "much", "label": "数量", "type": "range", "value": "40"},
            {"name": "more", "label": "留言", "type": "textarea"},
            {"name": "agree", "label": "我已阅读须知", "type": "checkbox"},
        ],
    },
    {"kind": "button", "text": "领取", "do": "send"},
    {"kind": "button", "text": "稍后再说", "do": "send"},
    {"kind": "heading", "text": "步骤"},
    {"kind": "steps", "items": ["选好时间", "填写称呼和电话", "等待确认短信"]},
    {"kind": "bullets", "items": ["当天有回音", "临时有事提前一天说"]},
    {"kind": "heading", "text": "图片", "level": 3},
    {"kind": "image", "art": "map", "alt": "附近的地图", "caption": "从北门进来，左手第二家。"},
    {"kind": "text", "text": "地图只画了大概的位置。"},
    {"kind": "heading", "text": "分页与折叠"},
    {
        "kind": "tabs",
        "name": "tab",
        "items": [
            {"title": "线上", "blocks": [{"kind": "text", "text": "线上的都在这里。"}]},
            {"title": "同城", "blocks": [{"kind": "text", "text": "同城的都在这里。"}]},
        ],
    },
    {
        "kind": "accordion",
        "name": "fold",
        "items": [
            {"title": "多久有回音", "blocks": [{"kind": "text", "text": "一般当天。"}]},
            {"title": "可以改时间吗", "blocks": [{"kind": "text", "text": "提前一天说即可。"}]},
        ],
    },
    {"kind": "heading", "text": "对话与下载"},
    {"kind": "chat", "lines": [{"text": "您好，请问需要什么？"}, {"who": "me", "text": "想问营业时间。"}]},
    {"kind": "download", "text": "下载说明", "file": "guide.txt"},
    {"kind": "qr", "text": "二维码图片", "to": "inner"},
    {"kind": "picture", "drawn": [{"kind": "notice", "text": "画在图片里的一句话"}, {"text": "图片里的又一句话"}]},
    {
        "kind": "links",
        "style": "buttons",
        "items": [{"text": "返回首页", "to": "home"}, {"text": "全部通知", "to": "inner"}],
    },
    {"kind": "links", "style": "row", "items": [{"text": "上一页", "to": "home"}, {"text": "下一页", "to": "inner"}]},
    {
        "kind": "cards",
        "items": [
            {"title": f"图样 {i + 1}", "text": "一两句说明。", "art": art, "to": "home"} for i, art in enumerate(_ART)
        ],
    },
)


def zoo(look: Look) -> CompiledSite:
    """Return the site, drawn with a look; its pages are ``/`` and ``/inner``."""
    blocks: TypeAdapter[tuple[AnyBlock, ...]] = TypeAdapter(tuple[AnyBlock, ...])
    nav = ("首页", "办事大厅", "结算说明", "我的记录", "常见问题", "联系我们")
    return CompiledSite(
        site_id="zoo",
        operator="小石桥便民社",
        slogan="附近的事，附近的人",
        lang="zh-CN",
        look=look,
        nav=tuple(CompiledLink(text=text, to=f"/p{i}" if i > 1 else ("/", "/inner")[i]) for i, text in enumerate(nav)),
        footer=(CompiledLink(text="关于我们", to="/inner"), CompiledLink(text="服务条款", to="/inner")),
        state={"tab": 0, "fold": 1},
        pages={
            "/": CompiledPage(title="小石桥便民社", blocks=blocks.validate_python(LANDING)),
            "/inner": CompiledPage(title="所有的部件", blocks=blocks.validate_python(EVERYTHING)),
            **{f"/p{i}": CompiledPage(title=nav[i], blocks=blocks.validate_python(LANDING[-2:])) for i in range(2, 6)},
        },
        actions={"/send": CompiledAction()},
    )
