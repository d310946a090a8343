"""What ``split=`` means: a split of sites, messages made on the fly, or messages from a built folder."""

from __future__ import annotations

import os
from pathlib import Path

from riskchain_gym.envs.cases import ChainSource
from riskchain_gym.envs.config import ENV_IDS, EnvConfig, Kind
from riskchain_gym.envs.site_cases import SiteChains
from riskchain_gym.envs.suggest import shown
from riskchain_gym.messages.rows import INPUTS
from riskchain_gym.protocol.errors import ConfigError

GENERATED = "messages/"
"""How the name of a generated message split begins; the name of its plan follows."""


def open_source(config: EnvConfig, kind: Kind) -> ChainSource:
    """Return the chains of the split that an environment is set to.

    Args:
        config: Reads ``split``, ``reward`` and ``chains``.
        kind: The environment; only a restore-only one plays messages without a site.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The environment needs sites and the split has none, or the path cannot be one.
        InputFileError: A file of the split is missing, malformed, or not the one its manifest pins.
    """
    split = config.split
    generated = split.startswith(GENERATED)
    if not generated and not _is_message_folder(split):
        return SiteChains(split, with_gold=config.needs_gold, chains=config.chains)
    if kind != "restore":
        raise ConfigError(
            f"split: {ENV_IDS[kind]} opens sites, and the messages of {shown(split, 200)} have none yet: use "
            f"{ENV_IDS['restore']}, or a split with sites such as 'mini'."
        )
    if not generated:
        from riskchain_gym.envs.message_folder_cases import FolderChains

        return FolderChains(Path(split))
    from riskchain_gym.envs.message_cases import STREAM, GeneratedChains, StreamedChains

    name = split.removeprefix(GENERATED)
    return StreamedChains() if name == STREAM else GeneratedChains(name)


def _is_message_folder(split: str) -> bool:
    """Say whether a split is the path of one message split.

    Raises:
        ConfigError: It is the path of a whole build of them.
    """
    if "/" not in split and os.sep not in split:
        return False
    # os.path answers for a name that no file can have, where a Path raises.
    if os.path.isfile(os.path.join(split, INPUTS)):  # noqa: PTH113, PTH118
        return True
    if os.path.isdir(split) and (found := sorted(path.parent.name for path in Path(split).glob(f"*/{INPUTS}"))):  # noqa: PTH112
        raise ConfigError(
            f"split: {shown(split, 200)} holds several message splits: add the name of one ({', '.join(found)})."
        )
    return False
