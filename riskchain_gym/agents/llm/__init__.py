"""Agents that are language models: one call an action, prompts from ``baselines/prompts/``."""
