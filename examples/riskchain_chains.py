"""RiskChain's chains as a task set of verifiers, which finds one by the name of a top-level module.

Usage, from this folder: vf-eval riskchain_chains --model MODEL --no-push -n 4
"""

from riskchain_gym.training.adapters.verifiers_env import RiskChainEnv, RiskChainTaskset

__all__ = ["RiskChainEnv", "RiskChainTaskset"]
