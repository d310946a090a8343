"""What all environments of this package are as objects: made from plain JSON, and never copied."""

from __future__ import annotations

import json
import os
from typing import NoReturn

from gymnasium.envs.registration import EnvSpec

from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError


class PlainSpec:
    """Keeps the spec that an environment was made from, and refuses copies of it. To stand before ``gymnasium.Env``."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The spec this environment was made from; its arguments are plain JSON, so it survives a round trip."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            try:
                spec.kwargs = json.loads(json.dumps(spec.kwargs, default=os.fspath))
            except (TypeError, ValueError, RecursionError) as error:
                raise ConfigError(
                    f"Arguments must be plain JSON values, got {shown(spec.kwargs, 200)}: {error}."
                ) from error
        self._spec = spec

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} holds a running episode and what it is played on, and cannot be pickled or copied: "
            "send env.spec and make another one from it with gymnasium.make."
        )
