"""A small web server with pages that go wrong in every way, and a session and site to show them by."""

from __future__ import annotations

import html
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from riskchain_gym.envs.backends.base import ActResult, RawPage
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.sites.compiled import CompiledSite

FORM = """
<form id="form1" action="/done" method="post" aria-label="登记">
  <div><label for="name1"><span class="line">姓名</span></label>
    <input id="name1" name="name" type="text" placeholder="两个字"></div>
  <div><label for="num1"><span class="line">数量</span></label><input id="num1" name="num" type="number"></div>
  <div><label for="range1"><span class="line">滑块</span></label>
    <input id="range1" name="range" type="range" value="0"></div>
  <div><label for="area1"><span class="line">留言</span></label><textarea id="area1" name="area"></textarea></div>
  <div><label for="sel1"><span class="line">地区</span></label><select id="sel1" name="sel">
    <option></option><option>　北部</option><option>南部</option></select></div>
  <div><label for="pick1"><span class="line">班次</span></label><select id="pick1" name="pick">
    <option>早</option><option>晚</option></select></div>
  <div><input id="box1" name="box" type="checkbox"><label for="box1"><span class="line">同意</span></label></div>
  <div><button id="send1"><span class="line">提交</span></button></div>
</form>"""

PAGES: dict[str, str] = {
    "/": """<h1>首页</h1><a id="toform" href="/form">表单</a> <a id="tolong" href="/long">长页</a>
      <a id="totext" href="/text">文字</a> <a id="tobad" href="/bad">坏链接</a>
      <a id="tomissing" href="/missing">没有</a>""",
    "/text": """<p class="line">　开头　全角</p><p class="line">1️⃣2️⃣ 🎁 αβγ Ω\u200b|</p>
      <p class="line">第一行\n第二行  两个空格</p>
      <p class="line" style="display:none">藏起来</p><p class="line" style="visibility:hidden">也藏</p>
      <p class="line" style="opacity:0">透明</p>
      <p class="line" style="position:absolute;width:1px;height:1px;overflow:hidden">缩成一点</p>
      <div style="display:flex"><span>左</span><span>右</span></div>
      <ol><li class="line">甲</li><li class="line">乙</li></ol><svg><text>图中字</text></svg>
      <a id="link1" href="/">　回 首页　</a>""",
    "/form": FORM,
    "/long": "<p>顶</p><div style='height:4000px'></div><p>底</p><a id='deep' href='/text'>深处</a>",
    "/bad": """<a id="file1" href="file:///etc/passwd">f</a> <a id="js1" href="javascript:document.title='x'">j</a>
      <a id="data1" href="data:text/html,x">d</a> <a id="chrome1" href="chrome://version">c</a>
      <a id="source1" href="view-source:http://x.test/">v</a> <a id="other1" href="http://elsewhere.test/">o</a>
      <a id="tab1" href="/text" target="_blank">t</a> <a id="download1" href="/download">下载</a>
      <a id="redirect1" href="/away">r</a> <a id="out1" href="/out">x</a> <a id="nothing1" href="/nothing">n</a>
      <a id="dead1" href="/dead">dead</a>
      <form id="jsform" action="javascript:1"><button id="jssend">s</button></form>
      <button id="off1" disabled>关</button>
      <div style="position:relative"><a id="under1" href="/text">下面</a>
        <div style="position:absolute;inset:0;background:#eee"></div></div>""",
    "/script": """<button id="alert1" onclick="alert('x')">警</button>
      <button id="popup1" onclick="window.open('/text')">窗</button>
      <button id="leave1" onclick="location.href='data:text/html,x'">走</button>
      <button id="elsewhere1" onclick="location.href='http://elsewhere.test/'">别处</button>
      <button id="hang1" onclick="for(;;);">停</button>""",
}

STYLE = "<style>.line,h1,p,a,button,li{white-space:pre-wrap} .line{display:block} a{display:inline-block}</style>"


@dataclass(frozen=True)
class StubSite:
    """Stands in for a compiled site."""

    home: str = "/"


@dataclass
class StubSession:
    """Counts steps and types one value for each kind of field."""

    site: Any
    ticks: int = 0
    failure: Any = None
    has_scripts: bool = False

    def tick(self) -> None:
        self.ticks += 1

    def fixture(self, path: str, key: str) -> str:
        return {"name1": "王　五", "num1": "42", "range1": "100", "area1": "一行\n两行　"}[key]


@dataclass
class StubServer:
    """Serves :data:`PAGES` to every registered host; records what was asked for."""

    hosts: list[str] = field(default_factory=list)
    sessions: list[StubSession] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True, kwargs={"poll_interval": 0.02}).start()
        self.port = self._http.server_port
        self.closed = 0

    def register(self, host: str, session: Any) -> None:
        self.hosts.append(host)
        self.sessions.append(session)

    def unregister(self, host: str) -> None:
        self.hosts.remove(host)

    def close(self) -> None:
        self.closed += 1
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.asked.append(("GET", self.headers["Host"], self.path))
                path = urlsplit(self.path).path
                if path == "/download":
                    return self.answer(200, "inert", {"Content-Disposition": "attachment; filename=a.txt"})
                if path == "/away":
                    return self.answer(302, "", {"Location": "http://elsewhere.test/"})
                if path == "/out":
                    return self.answer(302, "", {"Location": "http://127.0.0.1:1/"})
                if path == "/nothing":
                    return self.answer(204, "")
                if path == "/dead":
                    self.close_connection = True
                    return None
                if path.startswith("/page/"):
                    return self.page(server.extra[path])
                if path in PAGES:
                    return self.page(PAGES[path])
                return self.page("<p>没有这一页</p>", 404)

            def do_POST(self) -> None:
                server.asked.append(("POST", self.headers["Host"], self.path))
                sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode(), keep_blank_values=True)
                server.extra["/page/done"] = (
                    "".join(
                        f"<p class='line'>{html.escape(k)}={html.escape(v[0])}</p>" for k, v in sorted(sent.items())
                    )
                    + "<a id='home' href='/'>回</a>"
                )
                return self.answer(303, "", {"Location": "/page/done"})

            def page(self, body: str, status: int = 200) -> None:
                head = f"<meta charset=utf-8><title>标题　{self.path}</title>{STYLE}"
                text = f"<!doctype html><html lang=zh-CN><head>{head}</head><body>{body}</body></html>"
                self.answer(status, text, {"Content-Type": "text/html; charset=utf-8"})

            def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
                data = body.encode()
                self.send_response(status)
                self.send_header("Cache-Control", "no-store")
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


def stub_backend(**settings: Any) -> ChromiumBackend:
    """A browser backend on the stub server."""
    made: dict[str, Any] = {"session": StubSession, "server": StubServer}
    return ChromiumBackend(BrowserSettings(**settings), **made)


def show(backend: ChromiumBackend, path: str = "/") -> RawPage:
    """Open the stub site at a path."""
    return backend.open(cast(CompiledSite, StubSite(path)))


def act(backend: ChromiumBackend, kind: str, key: str | None = None, option: str | None = None) -> ActResult:
    """Carry out one action."""
    return backend.act(BrowserAction(action=ActionKind(kind), element_id="e1" if key else None, option=option), key)


def texts(page: RawPage) -> list[str]:
    return [line.text for line in page.lines]


def in_page(backend: ChromiumBackend, expression: str) -> Any:
    """Evaluate an expression in the page, behind the backend's back."""
    host = backend._host
    assert host is not None
    return host.use(lambda episode: episode.page.evaluate(expression), 10, "testing")


def asked(backend: ChromiumBackend) -> list[tuple[str, str, str]]:
    """Requests that the stub server has seen: method, host and path."""
    host = backend._host
    assert host is not None
    return cast(StubServer, host._hub.server).asked
