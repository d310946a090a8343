"""A small site on this machine to capture: pages, style, a picture, a form, a charset, and much that lies outside."""

from __future__ import annotations

import base64
import http.client
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
HOME = """<!DOCTYPE html><html lang="zh-CN"><head><meta charset="gbk"><title>晴川小店</title>
<link rel="stylesheet" href="/style.css"><link rel="preload" as="font" href="http://{away}/font.woff2">
<link rel="dns-prefetch" href="//{away}"><script src="http://{away}/track.js"></script>
<style>@import url("http://{away}/late.css"); h1 {{ background: url(//{away}/h.png) }}
@font-face {{ font-family: x; src: url("http://{away}/x.woff2") }}</style></head>
<body background="http://{away}/body.png" onload="fetch('http://{away}/beacon')">
<h1>欢迎光临</h1><img src="/goods.png" alt="商品" srcset="http://{away}/large.png 2x"><img src="http://{away}/pixel.gif">
<iframe src="http://{away}/frame"></iframe><video poster="http://{away}/poster.png" src="http://{away}/film.mp4"></video>
<p><a href="/list?page=2" target="_blank">第二页</a> <a href="http://{away}/join">加入</a></p>
<form action="/order" method="post">
<label>邮箱 <input type="email" name="mail" required></label><button>下单</button></form>
<script>document.title = '脚本'; new Image().src = 'http://{away}/script.png';</script>
<noscript><p>请打开脚本</p></noscript></body></html>"""
LIST = "<!DOCTYPE html><html lang='zh-CN'><title>列表</title><p>第二页的货品</p><a href='/'>首页</a></html>"
THANKS = "<!DOCTYPE html><html lang='zh-CN'><title>完成</title><p>订单已收到</p></html>"
STYLE = "body {{ color: rgb(10, 20, 30); background: url(/goods.png) }} p {{ background: url(http://{away}/p.png) }}"


class Origin:
    """The site, and the listener that everything outside of it leads to."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._outside = _serve(self._listen)
        self.away = f"127.0.0.1:{self._outside.server_port}"
        self._site = _serve(self._answer)
        self.host = f"127.0.0.1:{self._site.server_port}"
        self.url = f"http://{self.host}/"

    def close(self) -> None:
        for server in (self._outside, self._site):
            server.shutdown()
            server.server_close()

    def page(self, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        html = {"Content-Type": "text/html"}
        match method, path.partition("?")[0]:
            case "GET", "/":
                return 200, html, HOME.format(away=self.away).encode("gbk")
            case "GET", "/list":
                return 200, {"Content-Type": "text/html; charset=utf-8"}, LIST.encode()
            case "POST", "/order":
                return 303, {"Location": "/thanks"}, b""
            case "GET", "/thanks":
                return 200, {"Content-Type": "text/html; charset=utf-8"}, THANKS.encode()
            case "GET", "/style.css":
                return 200, {"Content-Type": "text/css"}, STYLE.format(away=self.away).encode()
            case "GET", "/goods.png":
                return 200, {"Content-Type": "image/png"}, PNG
        return 404, html, b""

    def write_warc(self, path: Path) -> None:
        """Fetch everything as a crawler would, and keep requests and answers."""
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        asked = [("GET", "/"), ("GET", "/style.css"), ("GET", "/goods.png"), ("GET", "/list?page=2")]
        with path.open("wb") as file:
            writer = WARCWriter(file, gzip=path.suffix == ".gz")
            for method, target in [*asked, ("POST", "/order"), ("GET", "/thanks")]:
                connection = http.client.HTTPConnection(self.host)
                connection.request(method, target)
                answer = connection.getresponse()
                body, uri = answer.read(), f"http://{self.host}{target}"
                sent = StatusAndHeaders(f"{answer.status} {answer.reason}", answer.getheaders(), protocol="HTTP/1.1")
                response = writer.create_warc_record(uri, "response", io.BytesIO(body), http_headers=sent)
                said = StatusAndHeaders(f"{method} {target} HTTP/1.1", [("Host", self.host)], is_http_request=True)
                writer.write_request_response_pair(
                    writer.create_warc_record(uri, "request", http_headers=said), response
                )
                connection.close()

    def write_folder(self, folder: Path) -> None:
        """Keep the pages as files, as a mirroring tool would that converts no links."""
        folder.mkdir()
        named = {
            "index.html": "/",
            "style.css": "/style.css",
            "goods.png": "/goods.png",
            "list": "/list",
            "order": "/thanks",
        }
        for name, path in named.items():
            (folder / name).write_bytes(self.page("GET", path)[2])

    def _listen(self, handler: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        self.heard.append(handler.path)
        return 404, {}, b""

    def _answer(self, handler: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
        handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        return self.page(handler.command, handler.path)


def _serve(answer: Any) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answer(self)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02}).start()
    return server
