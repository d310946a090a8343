"""Functions of others that environments are given by name: loading them, and calling them so that faults are theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gymnasium.envs.registration import load_env_creator

from riskchain_gym.envs.suggest import one_line, shown
from riskchain_gym.protocol.errors import ConfigError, RiskChainError

_LONGEST_CAUSE = 200


def load_function(name: str, setting: str) -> Callable[..., Any]:
    """Return what an entry point names.

    Args:
        name: ``module:function``; modules are loaded as Gymnasium loads those of environments.
        setting: The keyword argument that names it, for the error.

    Raises:
        ConfigError: There is no such module or function.
    """
    if not isinstance(name, str):
        raise ConfigError(f"{setting}: give 'module:function' as text, got {shown(name)}.")
    try:
        found = load_env_creator(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{setting}: {shown(name, 200)} cannot be loaded ({error}): give 'module:function' of a module that can be "
            "imported here."
        ) from error
    if not callable(found):
        raise ConfigError(f"{setting}: {shown(name, 200)} is no function: name one.")
    return found


class EntryPoint:
    """A function of somebody else's, known by the keyword argument and the name that it was given by.

    Args:
        setting: The keyword argument.
        name: ``module:function``.
        contract: What such a function takes and returns, as a sentence; it ends every complaint.

    Raises:
        ConfigError: There is no such function.
    """

    def __init__(self, setting: str, name: str, contract: str) -> None:
        self._function = load_function(name, setting)
        self._named = f"{setting}: {shown(name, 200)}"
        self._contract = contract

    def call(self, *arguments: Any) -> Any:
        """Return what the function returns.

        Raises:
            ConfigError: It raises.
            RiskChainError: It raises one, which says by itself what to do.
        """
        return self.guard(self._function, *arguments)

    def guard(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call another function that the entry point gave; as :meth:`call`."""
        try:
            return function(*arguments)
        except RiskChainError:
            raise
        except Exception as error:  # code of others: whatever it raises is named, and kept as the cause
            raise self.fault(f"raised {type(error).__name__} ({_text_of(error)})") from error

    def fault(self, what: str) -> ConfigError:
        """Return the error that says what is wrong with the entry point.

        Args:
            what: Behind its name: ``returned None``.
        """
        return ConfigError(f"{self._named} {what}: {self._contract}")


def _text_of(error: Exception) -> str:
    try:
        return one_line(str(error)[:_LONGEST_CAUSE])
    except Exception:  # noqa: BLE001 - an error of others may have no text that can be read; its class is told
        return "without a text"
