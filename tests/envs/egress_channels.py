"""Every way that a page has of speaking to the world: the script that tries it, and what the site serves for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ELEMENT = """const put = (name, given, where = document.head) =>
  where.appendChild(Object.assign(document.createElement(name), given));
const body = document.body;"""


@dataclass(frozen=True)
class Channel:
    """One way out.

    Attributes:
        script: Tries it; ``{to}`` stands for the address and port to reach.
        leaves: Whether it takes the place of the document, or of what it stands in.
        served: What the site serves for it, by path: status, headers, body.
    """

    script: str
    leaves: bool = False
    served: Callable[[str], dict[str, tuple[int, dict[str, str], str]]] | None = None


def _redirect(path: str) -> Callable[[str], dict[str, tuple[int, dict[str, str], str]]]:
    return lambda to: {path: (302, {"Location": f"http://{to}/redirected"}, "")}


def _script(path: str, text: str) -> Callable[[str], dict[str, tuple[int, dict[str, str], str]]]:
    return lambda to: {path: (200, {"Content-Type": "text/javascript"}, text.replace("{to}", to))}


_RTC = """(async () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: '%s', username: 'u', credential: 'p' }] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
})();"""

_ICE = """(async () => {
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await one.setRemoteDescription(other.localDescription);
  const place = '{to}'.replace(':', ' ');
  await one.addIceCandidate({ candidate: `candidate:1 1 %s`, sdpMid: '0' });
})();"""

CHANNELS: dict[str, Channel] = {
    "fetch": Channel("fetch('http://{to}/', { mode: 'no-cors' }).catch(() => 0);"),
    "img": Channel("new Image().src = 'http://{to}/i.png';"),
    "iframe": Channel("put('iframe', { src: 'http://{to}/' }, body);"),
    "beacon": Channel("navigator.sendBeacon('http://{to}/', 'x');"),
    "keepalive": Channel("fetch('http://{to}/', { method: 'POST', mode: 'no-cors', keepalive: true }).catch(() => 0);"),
    "WebSocket": Channel("new WebSocket('ws://{to}/');"),
    "EventSource": Channel("new EventSource('http://{to}/');"),
    "worker": Channel(
        "new Worker('/worker.js');",
        served=_script("/worker.js", "fetch('http://{to}/', { mode: 'no-cors' }).catch(() => 0);"),
    ),
    "service worker": Channel(
        "navigator.serviceWorker?.register('/service.js').catch(() => 0);",
        served=_script(
            "/service.js",
            "addEventListener('install', (event) =>"
            " event.waitUntil(fetch('http://{to}/', { mode: 'no-cors' }).catch(() => 0)));",
        ),
    ),
    "preconnect": Channel("put('link', { rel: 'preconnect', href: 'http://{to}/' });"),
    "prefetch": Channel("put('link', { rel: 'prefetch', href: 'http://{to}/' });"),
    "speculation rules": Channel(
        "put('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch:"
        " [{ source: 'list', urls: ['http://{to}/'], eagerness: 'immediate' }] }) });"
    ),
    "ping": Channel("put('a', { href: '#', ping: 'http://{to}/' }, body).click();"),
    "css import": Channel("put('style', { textContent: '@import url(http://{to}/)' });"),
    "navigation": Channel("location.href = 'http://{to}/';", leaves=True),
    "redirected navigation": Channel("location.href = '/go';", leaves=True, served=_redirect("/go")),
    "redirected fetch": Channel("fetch('/jump', { mode: 'no-cors' }).catch(() => 0);", served=_redirect("/jump")),
    "meta refresh": Channel("put('meta', { httpEquiv: 'refresh', content: '0;url=http://{to}/' });", leaves=True),
    "form post": Channel("put('form', { method: 'post', action: 'http://{to}/' }, body).submit();", leaves=True),
    "window.open": Channel("window.open('http://{to}/');"),
    "STUN": Channel(_RTC % "stun:{to}"),
    "TURN over UDP": Channel(_RTC % "turn:{to}?transport=udp"),
    "TURN over TCP": Channel(_RTC % "turn:{to}?transport=tcp"),
    "candidate over UDP": Channel(_ICE % "udp 2122260223 ${place} typ host"),
    "candidate over TCP": Channel(_ICE % "tcp 1518280447 ${place} typ host tcptype passive"),
    "favicon": Channel("put('link', { rel: 'icon', href: 'http://{to}/icon.png' });"),
    "WebTransport": Channel("new WebTransport('https://{to}/').ready.catch(() => 0);"),
    "download": Channel("put('a', { href: 'http://{to}/x.bin', download: 'x' }, body).click();", leaves=True),
    "XMLHttpRequest": Channel("const asks = new XMLHttpRequest(); asks.open('GET', 'http://{to}/'); asks.send();"),
    "script": Channel("put('script', { src: 'http://{to}/x.js' });"),
    "import": Channel("import('http://{to}/x.js').catch(() => 0);"),
    "stylesheet": Channel("put('link', { rel: 'stylesheet', href: 'http://{to}/x.css' });"),
    "preload": Channel("put('link', { rel: 'preload', as: 'image', href: 'http://{to}/x.png' });"),
    "modulepreload": Channel("put('link', { rel: 'modulepreload', href: 'http://{to}/x.js' });"),
    "font": Channel("new FontFace('x', 'url(http://{to}/x.woff2)').load().catch(() => 0);"),
    "background": Channel("body.style.background = 'url(http://{to}/x.png)';"),
    "video": Channel("put('video', { src: 'http://{to}/x.mp4', preload: 'auto' }, body);"),
    "poster": Channel("put('video', { poster: 'http://{to}/x.png' }, body);"),
    "object": Channel("put('object', { data: 'http://{to}/x' }, body);"),
    "embed": Channel("put('embed', { src: 'http://{to}/x.html' }, body);"),
    "SVG image": Channel("body.insertAdjacentHTML('beforeend', '<svg><image href=\"http://{to}/x.png\"/></svg>');"),
    "WebSocket in a worker": Channel(
        "new Worker('/socket.js');", served=_script("/socket.js", "new WebSocket('ws://{to}/');")
    ),
    "shared worker": Channel(
        "new SharedWorker('/shared.js');",
        served=_script("/shared.js", "fetch('http://{to}/', { mode: 'no-cors' }).catch(() => 0);"),
    ),
    "worker of a blob": Channel(
        "new Worker(URL.createObjectURL(new Blob([\"fetch('http://{to}/', { mode: 'no-cors' }).catch(() => 0)\"])));"
    ),
    "frame of a blob": Channel(
        "put('iframe', { src: URL.createObjectURL(new Blob(['<img src=http://{to}/x.png>'],"
        " { type: 'text/html' })) }, body);"
    ),
    "frame of data": Channel("put('iframe', { src: 'data:text/html,<img src=http://{to}/x.png>' }, body);"),
    "srcdoc": Channel("put('iframe', { srcdoc: '<img src=http://{to}/x.png>' }, body);"),
    "refresh header": Channel(
        "location.href = '/refresh';",
        leaves=True,
        served=lambda to: {"/refresh": (200, {"Refresh": f"0;url=http://{to}/", "Content-Type": "text/html"}, "<p>")},
    ),
    "link header": Channel(
        "location.href = '/linked';",
        leaves=True,
        served=lambda to: {
            "/linked": (200, {"Link": f"<http://{to}/x.css>;rel=preload;as=style", "Content-Type": "text/html"}, "<p>")
        },
    ),
    "policy report": Channel(
        "location.href = '/reports';",
        leaves=True,
        served=lambda to: {
            "/reports": (
                200,
                {
                    "Content-Security-Policy": f"img-src 'none'; report-uri http://{to}/",
                    "Content-Type": "text/html",
                },
                "<img src=/x.png>",
            )
        },
    ),
    "308 on a form": Channel(
        "put('form', { method: 'post', action: '/moved' }, body).submit();",
        leaves=True,
        served=lambda to: {"/moved": (308, {"Location": f"http://{to}/"}, "")},
    ),
}

PUBLISHED = (
    *("fetch", "img", "iframe", "beacon", "keepalive", "WebSocket", "EventSource", "worker", "service worker"),
    *("preconnect", "prefetch", "speculation rules", "ping", "css import", "navigation", "redirected navigation"),
    *("redirected fetch", "meta refresh", "form post", "window.open", "STUN", "TURN over UDP", "TURN over TCP"),
    *("favicon", "WebTransport", "download"),
)
"""The channels that every seal must close; the others are what else a page can try."""


NOT_SHOWN = {"chromium-headless-shell": frozenset({"preconnect", "favicon"}), "chromium": frozenset({"preconnect"})}
"""Channels that a driven browser opens on no page, sealed or not, so that its seal is not shown to hold them: the
headless shell never connects ahead of need and asks for no icon; the other does, when nothing drives it."""


def page_of(name: str, to: str) -> str:
    """Return the body of a page that tries one channel and says so in its title."""
    script = CHANNELS[name].script.replace("{to}", to)
    return f"<p>试</p><script>{{ {ELEMENT} {script} }} document.title = 'tried';</script>"


def page_of_all(to: Callable[[str], str]) -> str:
    """Return the body of a page that tries every channel at once, what leaves the document in frames of their own.

    Args:
        to: Address and port of a channel.
    """
    parts = [
        f"<iframe src='/try/{index}'></iframe>"
        if channel.leaves
        else f"<script>{{ {ELEMENT} {channel.script.replace('{to}', to(name))} }}</script>"
        for index, (name, channel) in enumerate(CHANNELS.items())
    ]
    return "<p>试</p>" + "".join(parts) + "<script>document.title = 'tried';</script>"


def site(to: Callable[[str], str]) -> dict[str, tuple[int, dict[str, str], str]]:
    """Return everything that the site serves, by path: ``/all``, ``/try/N`` for each channel, and what they ask for."""
    html = {"Content-Type": "text/html; charset=utf-8"}
    served = {"/all": (200, html, page_of_all(to))}
    for index, (name, channel) in enumerate(CHANNELS.items()):
        served[f"/try/{index}"] = (200, html, page_of(name, to(name)))
        if channel.served is not None:
            served |= channel.served(to(name))
    return served
