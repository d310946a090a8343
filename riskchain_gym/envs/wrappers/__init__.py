"""Wrappers: one idea a file."""
