"""The processes of a run as their parent sees them: started, watched, killed and replaced."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from riskchain_gym.evaluation.engine.channel import Channel, ChannelClosedError, packed
from riskchain_gym.evaluation.engine.child import END_CALLS
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.llm.settings import API_KEY_VARIABLE

_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from riskchain_gym.evaluation.engine.child import main; main()"
)
TIDY_S, _LOOK_EVERY_S = 3.0, 0.01
_AGENT_BYTES = 64 << 20
"""Bytes that a message of an agent may have."""


class Child:
    """A process that serves one side of episodes; it does not outlive this one, however this one ends.

    Args:
        side: ``environment`` or ``agent``.
        given: What it is told first; pickled.
        seats: Connections to it.
        keyed: Whether it may know the key of the models' server.

    Attributes:
        word: What it is called where it is lost: ``worker`` or ``agent``.
        channels: A connection for each seat.

    Raises:
        SideLostError: It cannot be started.
    """

    def __init__(self, side: str, given: Any, seats: int = 1, *, keyed: bool = False) -> None:
        self.word = "worker" if side == "environment" else "agent"
        pairs: list[tuple[socket.socket, socket.socket]] = []
        try:
            pairs.extend(socket.socketpair() for _ in range(seats + 1))
        except OSError as error:
            for pair in pairs:
                for end in pair:
                    end.close()
            raise self._unstarted(error) from error
        (self._line, _), *ours = pairs
        theirs = [pair[1] for pair in pairs]
        most = {} if side == "environment" else {"most": _AGENT_BYTES}
        self.channels = [Channel(pair[0], **most) for pair in ours]
        self._lock = threading.Lock()
        self._busy: set[int] = set()
        self._dead = False
        self._late: float | None = None
        self._suspects = 2  # where it is ended from here, it was none of them
        self._ending = threading.Lock()
        self._ended = ""
        numbers = [str(end.fileno()) for end in theirs]
        variables = {k: v for k, v in os.environ.items() if keyed or k != API_KEY_VARIABLE}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this Python, and this package
                [sys.executable, "-P", "-c", _BOOT, json.dumps(sys.path), side, *numbers],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what an agent prints is no output of this program
                pass_fds=[end.fileno() for end in theirs],
                start_new_session=True,
                env=variables,
            )
        except OSError as error:
            self._let_go()
            for channel in self.channels:
                channel.close()
            raise self._unstarted(error) from error
        finally:
            for end in theirs:
                end.close()
        with contextlib.suppress(ChannelClosedError, TimeoutError):  # one that has died already is noticed when asked
            self.channels[0].send(packed(given), TIDY_S)

    @property
    def pid(self) -> int:
        """Its process id, which is that of its group too."""
        return self._process.pid

    @property
    def dead(self) -> bool:
        """Whether it is known to be gone."""
        return self._dead

    @property
    def ended(self) -> bool:
        """Whether the process has ended; what it has started may hold its connections open still."""
        return self._process.poll() is not None

    def begin_call(self, seat: int) -> None:
        """Note that a seat waits for it.

        Raises:
            SideLostError: It is gone; another seat had to do with that.
        """
        with self._lock:
            if self._dead:
                raise self._beside()
            self._busy.add(seat)

    def end_call(self, seat: int) -> None:
        """Note that it has answered a seat."""
        with self._lock:
            self._busy.discard(seat)

    def lost(self, late: float | None = None, said: str = "") -> SideLostError:
        """Kill what is left of it, and return what that is to the episode of a seat that has waited for it.

        Args:
            late: Seconds that it had to answer in and has not; ``None`` where it is gone by itself.
            said: What it has done in place of answering, if it is known.
        """
        with self._lock:
            if not self._dead:
                self._dead, self._late, self._suspects = True, late, len(self._busy)
            late, suspects = self._late, self._suspects
        how = self.kill()
        cause = f"{self.word}_died" if late is None else f"{self.word}_late"
        if late is not None:
            how = said = f"gave no answer within {late:g} s and was killed"
        if suspects > 1:
            detail = f"the process of several episodes {how}, which of them it was is not known"
            return SideLostError(cause, detail, counted=False, alone=True)
        return SideLostError(cause, f"the process {said or how}")

    def end_calls(self) -> None:
        """Have it end calls to a model that are in flight."""
        with contextlib.suppress(OSError):
            self._line.sendall(END_CALLS)

    def cut(self) -> None:
        """Have it end at once, with its browsers; :meth:`kill` sees to it that it does."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def kill(self, until: float | None = None) -> str:
        """End it and all of its group, by SIGKILL at last; return how it has ended. Idempotent.

        Args:
            until: Until when it may end by itself, as :func:`time.monotonic` has it; where several are ended, they
                share that time.
        """
        until = time.monotonic() + TIDY_S if until is None else until
        with self._ending:
            # Its number may be another's once it has ended with all of its group: that is killed once and no more.
            if not self._ended:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(min(0.2, max(until - time.monotonic(), 0.0)))  # one that died says how
                how = _how(self._process.poll())
                self._dead = True
                self.cut()
                self._end_group(until)
                self._let_go()
                self._ended = how
            return self._ended

    def wait(self, seconds: float) -> None:
        """Let it end by itself, after the last call; it is killed if it does not in time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self.kill()

    def _end_group(self, until: float) -> None:
        """Let the group tidy up by itself for a moment, as drivers of browsers do; then kill what is left."""
        while time.monotonic() < until and (self._process.poll() is None or _members(self.pid)):
            time.sleep(_LOOK_EVERY_S)
        if self._process.poll() is None or _members(self.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def _unstarted(self, error: OSError) -> SideLostError:
        return SideLostError(f"{self.word}_died", f"the process could not be started ({error.strerror})")

    def _beside(self) -> SideLostError:
        detail = "the process was lost to another episode beside this one"
        return SideLostError(f"{self.word}_died", detail, counted=False)

    def _let_go(self) -> None:
        # Channels are closed by who waits at them: what is closed under a waiting thread may soon be another file.
        self._line.close()


def _members(group: int) -> bool:
    """Say whether a process of a group is alive whose leader has ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _how(code: int | None) -> str:
    if code is None:
        return "was killed"
    if code < 0:
        try:
            return f"was killed by signal {-code} ({signal.Signals(-code).name})"
        except ValueError:  # real-time signals have no names
            return f"was killed by signal {-code}"
    return f"ended with exit code {code}"
