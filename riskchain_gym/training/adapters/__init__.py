"""Adapters for trainers and evaluators that speak text: one table of tools, one session, one layer a stack."""
