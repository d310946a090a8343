"""Environments: the phase machine, browse backends, spaces and registration."""
