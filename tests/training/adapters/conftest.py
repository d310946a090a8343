"""Fixtures of the adapters' tests."""

from tool_player import infrastructure

__all__ = ["infrastructure"]
