"""Agents that misbehave as often as they are told to, and runs of them in processes of their own."""

from __future__ import annotations

import os
from pathlib import Path

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.settings import RunSettings

CHAINS = tuple(chain.chain_id for chain in load_public("mini"))[:3]
PROCESSES = RunSettings(backend="text", observe=(), workers=2, chains=CHAINS, isolation="process")

TROUBLE = "ODD_AGENT"
"""Environment variable: what the agent does, in which phase, and the folder that counts how often it has."""

CODE = '''
import json, os, signal, sys, threading, time
from pathlib import Path

import psutil
from riskchain_gym.agents.controls import Noop

with open(os.devnull if "IMPORTED" not in os.environ else os.environ["IMPORTED"], "a") as file:
    file.write(f"{os.getpid()}\\n")


def family():
    """The processes of the run, this one excepted."""
    return [p for p in psutil.Process(os.getppid()).children(recursive=True) if p.pid != os.getpid()]


def worker():
    return next(p for p in family() if "environment" in p.cmdline() and p.ppid() == os.getppid())


hangs = threading.Event()


class Odd(Noop):
    def act(self, observation):
        what, phase, folder, times = os.environ.get("ODD_AGENT", "nothing 0 . 0").split(" ")
        if int(observation["phase"]) == int(phase):
            self.trouble(what, Path(folder), int(times))
        return super().act(observation)

    def trouble(self, what, folder, times):
        for number in range(times):
            try:
                (folder / f"{what}-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            self.number = number
            getattr(self, what)(folder)
            return

    def kill_worker(self, folder):
        worker().kill()

    def stop_worker(self, folder):
        worker().suspend()

    def exit(self, folder):
        os._exit(3)

    def exit_every_other(self, folder):
        """An episode that is run between two of these is played to its end."""
        if self.number % 2 == 0:
            os._exit(3)

    def hang(self, folder):
        (folder / "hangs").touch()
        hangs.set()
        time.sleep(600)

    def flood(self, folder):
        for descriptor in range(3, 500):
            try:
                os.write(descriptor, b"\\xff" * 4000)
            except OSError:
                pass

    def exit_beside(self, folder):
        """The first to come here waits, the second ends the process that they share."""
        if self.number == 0:
            self.hang(folder)
        hangs.wait(60)
        os._exit(4)

    def raise_error(self, folder):
        raise LookupError("no such luck")

    def look_about(self, folder):
        found = worker()
        told = {"agent": os.getpid(), "parent": os.getppid(), "worker": found.pid, "key": "KEY" in found.environ()}
        (folder / "seen.json").write_text(json.dumps(told))

    def kill_parent(self, folder):
        pids = [os.getpid(), *(process.pid for process in family())]
        (folder / "pids.json").write_text(json.dumps(pids))
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)


class Asking(Odd):
    asks_model = True

    def __init__(self, model):
        super().__init__()
'''


def write_odd_agent(folder: Path) -> str:
    """Write the agent, once for all tests of a module: each of them runs the same one."""
    (folder / "odd_family.py").write_text(CODE.replace('"KEY"', repr("RISKCHAIN_LLM_API_KEY")))
    (folder / "agent.toml").write_text('name = "odd"\nagent = "odd_family:Odd"\n')
    (folder / "asking.toml").write_text('name = "asking"\nagent = "odd_family:Asking"\n')
    return str(folder / "agent.toml")


def trouble(what: str, phase: int, folder: Path, times: int = 1) -> str:
    folder.mkdir(exist_ok=True)
    return f"{what} {phase} {folder} {times}"


def children() -> list[str]:
    """Return the command lines of processes of a run below this one."""
    import psutil

    found = psutil.Process(os.getpid()).children(recursive=True)
    return [
        " ".join(process.cmdline()) for process in found if "riskchain_gym.evaluation.engine" in str(process.cmdline())
    ]
