"""What ``split=`` means: a split of sites, messages made on the fly, or messages from a built folder."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path

from riskchain_gym.benchmark.splits import split_dir
from riskchain_gym.envs.cases import ChainSource
from riskchain_gym.envs.config import ENV_IDS, EnvConfig, Kind
from riskchain_gym.envs.site_cases import SiteChains
from riskchain_gym.envs.suggest import shown
from riskchain_gym.messages.rows import INPUTS, MANIFEST
from riskchain_gym.protocol.errors import ConfigError, NeedsBrowserError, UnknownNameError

GENERATED = "messages/"
"""How the name of a generated message split begins; the name of its plan follows."""


def open_source(config: EnvConfig, kind: Kind) -> ChainSource:
    """Return the chains of the split that an environment is set to.

    Args:
        config: Reads ``split``, ``reward`` and ``chains``.
        kind: The environment; only a restore-only one plays messages without a site.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The environment needs sites and the split has none, the split's sites need a browser and the
            backend has none, or the path cannot be one.
        InputFileError: A file of the split is missing, malformed, or not the one its manifest pins.
    """
    split = config.split
    generated = split.startswith(GENERATED)
    if not generated and not _is_message_folder(split):
        try:
            chains = SiteChains(split, with_gold=config.needs_gold, chains=config.chains)
        except UnknownNameError as error:
            if kind != "restore" or _has_sites(split):
                raise
            raise UnknownNameError(f"{error} {_message_splits(split)}") from error
        if kind != "restore" and config.backend != "chromium" and chains.has_imported(config.chains):
            raise NeedsBrowserError(
                f"split: {shown(split, 200)} has imported sites, whose pages only a browser can show: "
                f'use backend="chromium" instead of backend="{config.backend}".'
            )
        return chains
    if kind != "restore":
        raise ConfigError(
            f"split: {ENV_IDS[kind]} opens sites, and the messages of {shown(split, 200)} have none yet: use "
            f"{ENV_IDS['restore']}, or a split with sites such as 'mini'."
        )
    if generated and (Path(split) / INPUTS).is_file():
        raise ConfigError(
            f"split: {shown(split, 200)} names both a generated split and a folder here: write './{split}' for the "
            "folder, or work from another place for the generated one."
        )
    if not generated:
        from riskchain_gym.envs.message_folder_cases import FolderChains

        return FolderChains(Path(split))
    from riskchain_gym.envs.message_cases import STREAM, GeneratedChains, StreamedChains

    name = split.removeprefix(GENERATED)
    return StreamedChains() if name == STREAM else GeneratedChains(name)


def _has_sites(split: str) -> bool:
    try:
        split_dir(split)
    except UnknownNameError:
        return False
    return True


def _message_splits(split: str) -> str:
    from riskchain_gym.messages.plans import PLANS

    near = get_close_matches(split.rpartition("/")[2], PLANS, n=1)
    hint = f"Did you mean '{GENERATED}{near[0]}'? " if near else ""
    return (
        f"{hint}Messages without a site: {', '.join(GENERATED + name for name in PLANS)}, or the folder of a built one."
    )


def _is_message_folder(split: str) -> bool:
    """Say whether a split is the path of one message split.

    Raises:
        ConfigError: It is the path of a whole build of them, or of a transfer set, which no environment plays.
    """
    if "/" not in split and os.sep not in split:
        return False
    # os.path answers for a name that no file can have, where a Path raises.
    if os.path.isfile(os.path.join(split, INPUTS)):  # noqa: PTH113, PTH118
        # The manifest of a built split stands beside its folder, that of a transfer set within.
        if (Path(split) / MANIFEST).is_file():
            raise ConfigError(
                f"split: {shown(split, 200)} is a transfer set, most of whose messages name no entry to be paid for: "
                "read it with riskchain_gym.messages.pairs.load_transfer, or use `riskchain restore` and "
                "`riskchain messages score`."
            )
        return True
    if os.path.isdir(split) and (found := sorted(path.parent.name for path in Path(split).glob(f"*/{INPUTS}"))):  # noqa: PTH112
        raise ConfigError(
            f"split: {shown(split, 200)} holds several message splits: add the name of one ({', '.join(found)})."
        )
    return False
