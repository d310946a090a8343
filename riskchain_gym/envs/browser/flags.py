"""The command line of the browser: isolation first, then sameness from run to run."""

from __future__ import annotations

import os

from riskchain_gym.envs.browser.settings import BrowserSettings

SANDBOX_VARIABLE = "RISKCHAIN_CHROMIUM_SANDBOX"
"""Environment variable: ``0`` starts the browser without Chromium's own sandbox, for machines that forbid it."""


_NO_MULTICAST = "WebRtcHideLocalIpsWithMdns"
_DRIVERS_OWN = (
    *("ImprovedCookieControls", "LazyFrameLoading", "GlobalMediaControls", "DestroyProfileOnBrowserClose"),
    *("MediaRouter", "DialMediaRouteProvider", "AcceptCHFrame", "AutoExpandDetailsElement", "Translate"),
    *("CertificateTransparencyComponentUpdater", "AvoidUnnecessaryBeforeUnloadCheckSync", "HttpsUpgrades"),
    "PaintHolding",
)
"""Features that Playwright switches off. Chromium reads only the last flag of that name, so they are named again."""


def wants_sandbox() -> bool:
    """Say whether Chromium's own sandbox is used: not as root (Chromium refuses), not when switched off."""
    return os.geteuid() != 0 and os.environ.get(SANDBOX_VARIABLE, "1") != "0"


def browser_flags(sandbox_port: int, settings: BrowserSettings) -> list[str]:
    """Return the flags that keep every page on the local sandbox server and draw it the same way each time.

    Every ``*.test`` name leads to the sandbox server, every other name and address to nothing: requests, redirects,
    sockets, workers, beacons and prefetches included. The WebRTC policy closes one way around name resolution (full
    Chromium reads the first spelling, the headless shell the second); the other is that WebRTC asks the local network
    for names in ``.local`` by multicast, which goes with the feature that hides local addresses (none is told: without
    UDP there are no candidates). No loopback address is exempt, so a page reaches no other port of this machine.

    Args:
        sandbox_port: Port of the sandbox server on 127.0.0.1.
        settings: Viewport and language.
    """
    return [
        f"--host-resolver-rules=MAP *.test 127.0.0.1:{sandbox_port}, MAP * ~NOTFOUND",
        "--no-proxy-server",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        f"--disable-features={','.join((*_DRIVERS_OWN, _NO_MULTICAST))}",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-domain-reliability",
        "--disable-notifications",
        *("--enable-logging=stderr", "--log-level=2"),  # errors only: the headless shell logs what pages print
        "--no-first-run",
        "--disable-gpu",
        "--disable-partial-raster",  # where a tile is drawn anew in part, its edges differ by a shade with the timing
        "--disable-lcd-text",
        "--font-render-hinting=none",
        "--force-device-scale-factor=1",
        "--hide-scrollbars",
        f"--lang={settings.lang}",
        f"--window-size={settings.viewport_width_px},{settings.viewport_height_px}",
    ]
