"""Training: RLlib entry points, and adapters for other trainers."""
