"""Parts of ``benchmarks/rewards.py``."""
