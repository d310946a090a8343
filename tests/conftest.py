"""In a core-only installation the browser's own test modules cannot be imported, so they are not collected."""

from importlib.util import find_spec

_NEEDS_BROWSER = ["annotation/test_chromium_*.py", "envs/test_chromium_*.py", "sites/test_site_browser.py"]
collect_ignore_glob = [] if find_spec("playwright") else _NEEDS_BROWSER
