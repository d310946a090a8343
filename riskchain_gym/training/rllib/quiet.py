"""What RLlib says to itself."""

from __future__ import annotations

import logging


def quiet() -> None:
    """Show errors of RLlib and Tune only: their warnings are about their own code and its future."""
    for name in ("ray.rllib", "ray.tune", "ray._common.deprecation"):
        logging.getLogger(name).setLevel(logging.ERROR)
