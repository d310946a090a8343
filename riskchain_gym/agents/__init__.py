"""Agents: the interface and the baselines."""
