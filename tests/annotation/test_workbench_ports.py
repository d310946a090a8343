"""The port of a workbench: the same one each time, for what a tab has not saved lies there."""

from __future__ import annotations

import socket

import pytest

from riskchain_gym.annotation.ports import PortMemory
from riskchain_gym.protocol.errors import ConfigError


@pytest.fixture
def taken():
    """The ports that are taken."""
    return set()


@pytest.fixture
def start(taken):
    """Listens on a port, as a workbench does, and says on which."""

    def listen(port):
        if port in taken:
            raise ConfigError(f"Port {port} cannot be had.")
        return port or 50_000 + len(taken)

    return listen


def test_the_last_port_is_taken_again(tmp_path, start):
    ports = PortMemory(tmp_path, "ann")
    assert ports.last is None
    ports.keep(ports.serve(start))
    assert PortMemory(tmp_path, "ann").last == 50_000
    assert PortMemory(tmp_path, "ann").serve(start) == 50_000
    assert PortMemory(tmp_path, "bob").last is None


def test_a_last_port_that_is_taken_gives_way(tmp_path, start, taken):
    ports = PortMemory(tmp_path, "ann")
    ports.keep(50_000)
    taken.add(50_000)
    assert ports.serve(start) == 50_001


def test_a_port_that_is_given_wins_or_fails(tmp_path, start, taken):
    ports = PortMemory(tmp_path, "ann")
    ports.keep(50_000)
    assert ports.serve(start, 50_009) == 50_009
    taken.add(50_009)
    with pytest.raises(ConfigError, match="50009"):
        ports.serve(start, 50_009)
    taken.add(50_000)
    assert ports.serve(start, 0) == 50_002, "0 is any that is free"


@pytest.mark.parametrize("said", [b"", b"0", b"-5", b"65536", b"99999999999", b"4e3", "５０００".encode(), b"\xff"])
def test_a_file_that_says_no_port_is_none(tmp_path, said):
    ports = PortMemory(tmp_path, "ann")
    ports.keep(50_000)
    (tmp_path / "drafts" / "ann.port").write_bytes(said)
    assert ports.last is None
    ports.keep(50_001)
    assert ports.last == 50_001


def test_a_workbench_knows_its_port(tmp_path):
    pytest.importorskip("uvicorn")
    from workbench_kit import ALONE, make_project

    from riskchain_gym.annotation.desk import Desk
    from riskchain_gym.annotation.serving import WorkbenchServer

    with Desk(make_project(tmp_path / "p", sites=1, workers=ALONE), "ann") as desk:
        server = WorkbenchServer(desk)
        with pytest.raises(ConfigError, match=f"Port {server.port} cannot be had"):
            WorkbenchServer(desk, server.port)
        with socket.create_connection(("127.0.0.1", server.port)):
            assert f":{server.port}/" in server.address
        server.stop()
        server.run()
