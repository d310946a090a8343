"""What all tests share: what is not collected in a core-only install, and where episodes are played."""

import os
from importlib.util import find_spec

_NEEDS_BROWSER = ["annotation/test_chromium_*.py", "envs/test_chromium_*.py", "sites/test_site_browser.py"]
# In a core-only install the browser's own test modules cannot be imported.
collect_ignore_glob = [] if find_spec("playwright") else _NEEDS_BROWSER

# Processes of their own take a second to start, and what a test patches would not be patched in them.
os.environ["RISKCHAIN_ISOLATION"] = "none"

# What is printed must not rest on what an earlier run of the tests, or their user, has computed.
os.environ["RISKCHAIN_CACHE"] = "off"

# Nor on how wide a terminal is that says so, as the one that runs tests side by side does.
os.environ.pop("COLUMNS", None)
