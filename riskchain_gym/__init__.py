"""RiskChain: restore a disguised message, commit, investigate its site, file a cited report.

Importing this package registers the Gymnasium ids ``RiskChain-v0``, ``RiskChainRestore-v0`` and
``RiskChainBrowse-v0``. It starts no browser, reads no dataset and writes no file.
"""

from riskchain_gym.envs.registration import register_envs

__version__ = "0.1.0"

__all__ = ["__version__", "register_envs"]

register_envs()
