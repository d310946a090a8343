"""Captures are hostile input: whatever is wrong with one is named, nothing is followed, and large things stay out."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.sites.replay.importer import Imported, Options, import_site
from riskchain_gym.sites.replay.model import ImportedSite
from riskchain_gym.sites.replay.session import ReplaySession

HOME = "http://shop.example/"


def entry(url: str = HOME, text: str = "<p>home", method: str = "GET", **response: Any) -> dict[str, Any]:
    content = {"mimeType": "text/html", "text": text, **response.pop("content", {})}
    answer = {"status": 200, "headers": [], "content": content, **response}
    return {"request": {"method": method, "url": url}, "response": answer}


def har(tmp_path: Path, *entries: Any) -> Path:
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8")
    return path


def played(made: Imported) -> ReplaySession:
    return ReplaySession(ImportedSite.of(made.site, made.bodies))


def body(made: Imported, path: str) -> str:
    answer = played(made).open(path).body
    assert answer is not None
    return answer.decode()


def folder(tmp_path: Path, **files: str | bytes) -> Path:
    root = tmp_path / "mirror"
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def test_a_body_may_be_base64_in_any_charset(tmp_path: Path) -> None:
    encoded = {
        "mimeType": "text/html",
        "encoding": "base64",
        "text": base64.b64encode("<p>中文页面".encode("gb18030")).decode(),
    }
    header = [{"name": "Content-Type", "value": "text/html"}]
    made = import_site(har(tmp_path, entry(content={**encoded, "mimeType": "text/html; charset=GBK"}, headers=header)))
    assert body(made, "/") == "<p>中文页面"
    undeclared = import_site(har(tmp_path, entry(content=encoded)))
    assert body(undeclared, "/") == "<p>中文页面"


@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("<meta charset='Big5'>", "big5", "繁體"),
        ("<meta http-equiv=Content-Type content='text/html; charset=shift_jis'>", "cp932", "テスト"),
        ("<meta charset=iso-8859-1>", "cp1252", "“café”"),
        ("<meta charset=rot13>", "utf-8", "plain"),
        ("<meta charset=utf-16>", "utf-8", "中文"),
        ("", "utf-8-sig", "中文"),
        ("", "utf-16", "中文"),
    ],
)
def test_pages_are_read_as_they_say(tmp_path: Path, declared: str, codec: str, text: str) -> None:
    made = import_site(folder(tmp_path, index_DOT_html=f"{declared}<p>{text}".encode(codec)))
    assert body(made, "/index.html") == f"<p>{text}"


def test_the_first_successful_answer_wins_and_others_are_counted(tmp_path: Path) -> None:
    failed = entry(text="busy", status=503)
    made = import_site(har(tmp_path, failed, entry(text="one"), entry(text="two"), entry(url=HOME.upper().lower())))
    assert body(made, "/") == "one"
    assert made.notes.repeated == {HOME: 3}


def test_queries_are_matched_exactly_and_then_left_out(tmp_path: Path) -> None:
    links = "<a href='/l?p=1'>1</a><a href='/l?p=2'>2</a><a href='/m?x'>m</a>"
    made = import_site(har(tmp_path, entry(text=links), entry(f"{HOME}l?p=1", "first"), entry(f"{HOME}m", "any")))
    session = played(made)
    assert body(made, "/") == f'<a href="/l?p=1">1</a><a href="{made.site.missing}">2</a><a href="/m">m</a>'
    assert session.get("/l?p=1").body == b"first"
    assert session.get("/m?y=3").body == b"any"
    assert session.get("/l?p=2").status == session.get("/none").status == 404


def test_redirects_are_replayed_and_circles_broken(tmp_path: Path) -> None:
    hop = {"status": 302, "content": {"text": ""}}
    home = entry(text="<a href=/a>a</a><a href=/b>b</a><a href=/o>o</a>")
    made = import_site(
        har(
            tmp_path,
            home,
            entry(f"{HOME}a", redirectURL="/t", **hop),
            entry(f"{HOME}t", "there"),
            entry(f"{HOME}b", redirectURL="/c", **hop),
            entry(f"{HOME}c", redirectURL="/b", **hop),
            entry(f"{HOME}o", redirectURL="http://evil.example/", **hop),
        )
    )
    session = played(made)
    assert (session.get("/a").status, session.get("/a").location) == (302, "/t")
    assert session.open("/b").status == 404
    assert session.get("/o").location == made.site.outside
    assert made.notes.dropped["redirect that leads nowhere"] == 1


def test_a_form_gets_the_captured_answer_else_our_page(tmp_path: Path) -> None:
    forms = (
        "<form method=post action=/do></form><form method=post action=/not></form><form method=post action=/l></form>"
    )
    made = import_site(
        har(
            tmp_path,
            entry(text=forms),
            entry(f"{HOME}do", "done", method="POST"),
            entry(f"{HOME}do", "asked"),
            entry(f"{HOME}l", "list"),
            entry(f"{HOME}do", method="DELETE"),
        )
    )
    session = played(made)
    assert session.post("/do", {"a": "1"}).body == b"done"
    assert session.post("/l", {}).body == b"list"
    assert session.post(made.site.missing, {}).status == 404
    assert made.notes.dropped["method DELETE"] == 1


def test_a_form_that_asks_gets_the_first_captured_success_whatever_it_asks(tmp_path: Path) -> None:
    made = import_site(
        har(
            tmp_path,
            entry(
                text="<form action=pay.html></form><form method=get action=/list?a=1></form><a href=/pay.html>pay</a>"
            ),
            entry(f"{HOME}pay.html?n=&card=0", "not now", status=500),
            entry(f"{HOME}pay.html?n=&card=123", "<form></form>paid"),
            entry(f"{HOME}pay.html?n=&card=456", "paid again"),
            entry(f"{HOME}list?a=1", "one"),
            entry(f"{HOME}list", "<form action='?'></form>all"),
            entry(f"{HOME}apart?q=1", "unlinked"),
        )
    )
    session = played(made)
    assert session.get("/pay.html?n=&card=%2A%2A").body.endswith(b"paid")
    assert session.get("/list?b=2").body.endswith(b"all"), "what was captured without a query answers for itself"
    assert b'<a href="' + made.site.missing.encode() in session.get("/").body, "a link asks for the very page"
    assert made.site.resources.keys() == {"/", "/list", "/pay.html", made.site.outside, made.site.missing}
    assert made.unreached == tuple(
        f"{HOME}{end}" for end in ("apart?q=1", "list?a=1", "pay.html?n=&card=0", "pay.html?n=&card=456")
    )
    assert import_site(tmp_path / "a.har").site == made.site


def test_a_page_that_asks_itself_answers(tmp_path: Path) -> None:
    made = import_site(har(tmp_path, entry(f"{HOME}?from=ad", "<form><input name=q></form>")))
    assert played(made).get("/?q=x").body == played(made).get("/?from=ad").body
    assert made.unreached == ()


def test_files_to_download_become_inert_text(tmp_path: Path) -> None:
    app = entry(f"{HOME}get/app.apk", "PK-binary", content={"mimeType": "application/vnd.android.package-archive"})
    made = import_site(har(tmp_path, entry(text="<a href=/get/app.apk>get</a>"), app))
    answer = played(made).get("/get/app.apk")
    assert answer.filename == "app.apk"
    assert answer.content_type == "text/plain; charset=utf-8"
    assert b"PK-binary" not in b"".join(made.bodies.values())


def test_only_what_the_entry_leads_to_is_kept(tmp_path: Path) -> None:
    source = folder(
        tmp_path, index_DOT_html="<img src=a.png>", a_DOT_png=b"\x89PNG", b_DOT_html="unlinked", c_DOT_js="x()"
    )
    made = import_site(source)
    assert set(made.site.resources) == {"/index.html", "/a.png", made.site.outside, made.site.missing}
    assert [address.rpartition("/")[2] for address in made.unreached] == ["b.html", "c.js"]
    with_scripts = import_site(source, Options(scripts=True))
    assert {"/b.html", "/c.js"} <= set(with_scripts.site.resources)


def test_links_and_odd_files_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("secret", encoding="utf-8")
    root = folder(
        tmp_path, index_DOT_html="<a href=s.html>s</a><a href=../secret.html>t</a><a href=d/secret.html>u</a>"
    )
    (root / "s.html").symlink_to(secret)
    (root / "d").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    made = import_site(root)
    assert set(made.notes.skipped) == {"s.html", "d", "pipe"}
    assert b"secret" not in b"".join(made.bodies.values()).replace(b"secret.html", b"")


def test_large_bodies_are_listed_and_left_out(tmp_path: Path) -> None:
    source = folder(tmp_path, index_DOT_html="<img src=big.png>", big_DOT_png=b"x" * 5000)
    made = import_site(source, Options(max_body_bytes=4000))
    assert made.notes.too_large == {"big.png": 5000}
    assert made.notes.missing == {"http://mirror.invalid/big.png": 1}


def test_folders_named_like_hosts_stand_for_them(tmp_path: Path) -> None:
    page = "<img src=http://cdn.example/i.png><a href='http://shop.example/'>"
    root = folder(tmp_path, index_DOT_html=page)
    for name, content in (("cdn.example/i.png", b"\x89PNG"), ("shop.example/index.html", b"shop")):
        path = root / name
        path.parent.mkdir()
        path.write_bytes(content)
    assert body(import_site(root), "/index.html") == '<img src="/cdn.example/i.png"><a href="/shop.example/index.html">'


def warc(tmp_path: Path, body: bytes, headers: list[tuple[str, str]], name: str = "a.warc.gz") -> Path:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    path = tmp_path / name
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=name.endswith("gz"))
        sent = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(HOME, "response", io.BytesIO(body), http_headers=sent))
    return path


def test_compressed_and_chunked_bodies_of_a_warc(tmp_path: Path) -> None:
    html = [("Content-Type", "text/html; charset=utf-8")]
    packed = gzip.compress("<p>压缩".encode())
    assert body(import_site(warc(tmp_path, packed, [*html, ("Content-Encoding", "gzip")])), "/") == "<p>压缩"
    chunked = b"3\r\n<p>\r\n2\r\nhi\r\n0\r\n\r\n"
    assert body(import_site(warc(tmp_path, chunked, [*html, ("Transfer-Encoding", "chunked")])), "/") == "<p>hi"


def test_a_body_that_grows_when_unpacked_is_cut_off(tmp_path: Path) -> None:
    bomb = gzip.compress(b"0" * 30_000_000)
    path = warc(tmp_path, bomb, [("Content-Type", "text/html"), ("Content-Encoding", "gzip")])
    with pytest.raises(InputFileError, match="holds no page"):
        import_site(path, Options(max_body_bytes=100_000))


def test_an_unknown_compression_is_listed(tmp_path: Path) -> None:
    path = warc(tmp_path, b"?", [("Content-Type", "text/html"), ("Content-Encoding", "br")])
    with pytest.raises(InputFileError, match="holds no page"):
        import_site(path)


BROKEN_HARS = [
    ("{", "is no JSON"),
    ("{}", "log: must be an object"),
    ('{"log": {"entries": {}}}', "log.entries: must be a list"),
    ('{"log": {"entries": []}}', "log.entries: is empty"),
    ('{"log": {"entries": [7]}}', "log.entries.0.request: must be an object"),
    (
        json.dumps({"log": {"entries": [entry(), entry(status="200")]}}),
        "log.entries.1.response.status: must be a whole number",
    ),
    (
        json.dumps({"log": {"entries": [entry(content={"encoding": "base64", "text": "???"})]}}),
        "content.text: is said to be base64",
    ),
    (json.dumps({"log": {"entries": [entry(content={"text": 5})]}}), "log.entries.0.response.content.text"),
    (json.dumps({"log": {"entries": [entry(status=404)]}}), "holds no page"),
    ("[" * 100_000, "is no"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN_HARS)
def test_a_broken_har_is_refused_with_the_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "b.har"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        import_site(path)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


@pytest.mark.parametrize("cut", ["head", "garbage", "gzip"])
def test_a_broken_warc_is_refused_with_the_record(tmp_path: Path, cut: str) -> None:
    whole = warc(tmp_path, b"<p>x", [("Content-Type", "text/html")], "w.warc").read_bytes()
    broken = {"head": b"WARC/1.0\r\nnothing", "garbage": whole + b"WARC/9.9 x\r\nhuh", "gzip": b"\x1f\x8bnot gzip"}[cut]
    path = tmp_path / "b.warc"
    path.write_bytes(broken)
    with pytest.raises(InputFileError, match=r"record \d|holds no"):
        import_site(path)


@pytest.mark.parametrize("name", ["missing.har", "text.txt"])
def test_what_is_no_capture_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"give a|is no capture"):
        import_site(tmp_path / name)


def test_the_entry_can_be_named(tmp_path: Path) -> None:
    source = folder(tmp_path, a_DOT_html="A", b_DOT_html="B")
    with pytest.raises(InputFileError, match=r"--entry where it begins \(a.html, b.html\)"):
        import_site(source)
    assert import_site(source, Options(entry="b.html")).site.entry == "/b.html"
    with pytest.raises(ConfigError, match=r"Pages: mirror\.invalid/a\.html"):
        import_site(source, Options(entry="c.html"))
    with pytest.raises(ConfigError, match="--base"):
        import_site(source, Options(entry="a.html", base="ftp://x"))


def test_a_path_on_the_root_leads_to_the_entry(tmp_path: Path) -> None:
    made = import_site(har(tmp_path, entry(f"{HOME}deep/start")))
    assert made.site.entry == "/deep/start"
    assert played(made).open("/").body == b"<p>home"
