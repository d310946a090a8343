"""A forked child holds nothing of a sandbox server open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import http.client, os, socket
from riskchain_gym.sites.server import SandboxServer

server = SandboxServer()
client = socket.create_connection(("127.0.0.1", server.port))
client.sendall(b"GET / HTTP/1.1")  # unfinished: a handler waits for the rest
another = socket.create_connection(("127.0.0.1", server.port))
while len(server._http._open) < 2:
    pass
ready, go = os.pipe()
child = os.fork()
if child == 0:
    server.close()
    with server:
        pass
    own = {client.getsockname(), another.getsockname()}
    held = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            one = socket.socket(fileno=os.dup(int(number)))
        except OSError:
            continue
        held += one.getsockname()[1:] == (server.port,)
        one.close()
    os.write(go, str(held).encode())
    os._exit(0)
os.waitpid(child, 0)
print(os.read(ready, 10).decode())
http.client.HTTPConnection("127.0.0.1", server.port, timeout=10).connect()
client.sendall(b"\\r\\n\\r\\n")
print(client.recv(10))
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a list of open files")
def test_a_forked_child_closes_the_servers_sockets_and_leaves_the_parents_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["0", "b''"], done.stderr
