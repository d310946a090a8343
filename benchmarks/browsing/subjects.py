"""Who is measured: our environment, stock BrowserEnv, and the floor. Each opens a chain's site and clicks a link.

``aim`` finds the link and is not timed: looking for it is the agent's work.
"""

from __future__ import annotations

import base64
import json
import os
from typing import Any, Protocol
from urllib.parse import urlsplit

from browsing.tours import Tour, sites
from riskchain_gym.envs.browser.find import CHROMIUM_VARIABLE
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.sessions import open_session

VIEWPORT = {"width": 1280, "height": 900}


class Subject(Protocol):
    """One way of browsing."""

    def reset(self, chain: str) -> None:
        """Open the site of a chain as if nothing had been open before, and look at it."""

    def aim(self, name: str) -> None:
        """Choose the first link with that name."""

    def click(self) -> None:
        """Click it, and look at the page that it leads to."""

    def path(self) -> str:
        """Return the path of the page shown."""

    def close(self) -> None:
        """Release everything."""


class Ours:
    """``RiskChainBrowse-v0``.

    Args:
        binary: The browser to use; ``None`` for the one that the environment chooses.
        observe: As of the environment.
    """

    def __init__(self, binary: str | None = None, observe: tuple[str, ...] = ()) -> None:
        import gymnasium as gym

        if binary is not None:
            os.environ[CHROMIUM_VARIABLE] = binary
        self.env: Any = gym.make("riskchain_gym:RiskChainBrowse-v0", reward="none", observe=list(observe))
        self._seen: dict[str, Any] = {}
        self._action = ""

    def reset(self, chain: str) -> None:
        self._seen, _ = self.env.reset(options={"chain": chain})

    def aim(self, name: str) -> None:
        elements = json.loads(self._seen["elements"])["elements"]
        element = next(e["element_id"] for e in elements if e["role"] == "link" and e["name"] == name)
        self._action = json.dumps({"action": "click", "element_id": element})

    def click(self) -> None:
        self._seen = self.env.step(self._action)[0]

    def path(self) -> str:
        return str(json.loads(self._seen["elements"])["path"])

    def run(self, tour: Tour) -> None:
        self.reset(tour.chain)
        for name, _ in tour.clicks:
            self.aim(name)
            self.click()

    def close(self) -> None:
        self.env.close()


class Stock:
    """browsergym-core's ``BrowserEnv`` as it comes, but for two things that it needs to start and to find the site.

    It names no browser when it launches one, so the binary is put in; and its task opens the chain's site, served by
    our sandbox server on an address that needs no name resolution. The task asks for our viewport and for no
    ``slow_mo``, whose default of a second an operation would only make it slower. It always makes its whole
    observation: there is no switch for the screenshot.

    Args:
        binary: The browser to use.
    """

    def __init__(self, binary: str) -> None:
        from browsergym.core.env import BrowserEnv
        from browsergym.core.task import AbstractBrowserTask
        from playwright.sync_api import BrowserType

        launch = BrowserType.launch
        BrowserType.launch = lambda self, **options: launch(self, **{"executable_path": binary, **options})
        self._server, self._sites = SandboxServer(), sites()
        self._host = f"127.0.0.1:{self._server.port}"
        address = f"http://{self._host}/"

        class OpenSite(AbstractBrowserTask):
            def __init__(self, seed: int) -> None:
                super().__init__(seed)
                self.viewport, self.slow_mo = VIEWPORT, 0

            def setup(self, page: Any) -> tuple[str, dict[str, Any]]:
                page.goto(address)
                return "Investigate the site.", {}

            def validate(self, *_: Any) -> tuple[float, bool, str, dict[str, Any]]:
                return 0.0, False, "", {}

        self.env = BrowserEnv(OpenSite)
        self._seen: dict[str, Any] = {}
        self._action = ""

    def reset(self, chain: str) -> None:
        self._server.register(self._host, open_session(self._sites[chain]))
        self._seen, _ = self.env.reset(seed=0)

    def aim(self, name: str) -> None:
        nodes = self._seen["axtree_object"]["nodes"]
        links = (n for n in nodes if n["role"]["value"] == "link" and n.get("name", {}).get("value") == name)
        self._action = f"click({next(n['browsergym_id'] for n in links)!r})"

    def click(self) -> None:
        self._seen = self.env.step(self._action)[0]

    def path(self) -> str:
        return urlsplit(self._seen["url"]).path

    def close(self) -> None:
        self.env.close()
        self._server.close()


_LOOK = """() => [
  location.pathname, document.title, document.body.innerText,
  [...document.querySelectorAll('a[href],button,input,select,textarea,form')].map(e => {
    const box = e.getBoundingClientRect();
    return [e.id, e.tagName, e.type, e.innerText, e.value, e.disabled, e.checked, box.x, box.y, box.width, box.height];
  }),
]"""
_SHOW = "id => document.getElementById(id).scrollIntoView({block: 'center', behavior: 'instant'})"


class Floor:
    """What cannot be left out, on a browser that is kept and started with our flags.

    A reset is a fresh context (the one before it closed), a page, its site loaded, and one script that returns text and
    elements; a step is one click by the DevTools protocol, the navigation that it causes, and the same script. With
    ``screenshot`` either ends with one more call, whose picture is not even decoded.

    Args:
        binary: The browser to use.
        screenshot: Format of the pictures, or ``""`` for none.
    """

    def __init__(self, binary: str, screenshot: str = "") -> None:
        from playwright.sync_api import sync_playwright

        from riskchain_gym.envs.browser.flags import browser_flags, wants_sandbox
        from riskchain_gym.envs.browser.settings import BrowserSettings

        self._server, self._sites = SandboxServer(), sites()
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=binary,
            args=browser_flags(self._server.port, BrowserSettings()),
            chromium_sandbox=wants_sandbox(),
        )
        self._screenshot = screenshot
        self._count = 0
        self._context: Any = None
        self._page: Any = None
        self._cdp: Any = None
        self._seen: list[Any] = []
        self._at: dict[str, float] = {}

    def reset(self, chain: str) -> None:
        self._count += 1
        host = f"floor{self._count}.test"
        self._server.register(host, open_session(self._sites[chain]))
        if self._context is not None:
            self._context.close()
        self._context = self._browser.new_context(viewport=VIEWPORT, device_scale_factor=1)
        self._page, self._cdp = self._context.new_page(), None
        self._page.goto(f"http://{host}/")
        self._look()

    def aim(self, name: str) -> None:
        if self._cdp is None:
            self._cdp = self._context.new_cdp_session(self._page)
        found = next(e for e in self._seen[3] if e[1] == "A" and e[3].strip() == name)
        if found[8] < 0 or found[8] + found[10] > VIEWPORT["height"]:
            self._page.evaluate(_SHOW, found[0])
            found = next(e for e in self._page.evaluate(_LOOK)[3] if e[0] == found[0])
        self._at = {"x": found[7] + found[9] / 2, "y": found[8] + found[10] / 2}

    def click(self) -> None:
        with self._page.expect_navigation():
            for kind in ("mousePressed", "mouseReleased"):
                event = {"type": kind, **self._at, "button": "left", "clickCount": 1}
                self._cdp.send("Input.dispatchMouseEvent", event)
        self._look()

    def path(self) -> str:
        return str(self._seen[0])

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()
        self._server.close()

    def _look(self) -> None:
        self._seen = self._page.evaluate(_LOOK)
        if self._screenshot:
            if self._cdp is None:
                self._cdp = self._context.new_cdp_session(self._page)
            asked = {"format": self._screenshot, "optimizeForSpeed": True}
            base64.b64decode(self._cdp.send("Page.captureScreenshot", asked)["data"])


class Fleet:
    """Several of our environments in one process.

    Args:
        binary: The browser to use.
        count: How many.
    """

    def __init__(self, binary: str, count: int) -> None:
        os.environ[CHROMIUM_VARIABLE] = binary
        self._count = count
        self._all: list[Ours] = []

    def weigh(self, tours: list[Tour]) -> float:
        """Make the environments, let each take a tour, and return what they then take, in MiB of PSS.

        That is the drivers and browsers below this process, and by how much the process itself has grown.
        """
        import psutil

        me = psutil.Process()
        before = me.memory_full_info().pss
        self._all = [Ours(observe=("screenshot",)) for _ in range(self._count)]
        for i, ours in enumerate(self._all):
            ours.run(tours[i % len(tours)])
        below = sum(process.memory_full_info().pss for process in me.children(recursive=True))
        return float(below + me.memory_full_info().pss - before) / 2**20

    def close(self) -> None:
        for ours in self._all:
            ours.close()
