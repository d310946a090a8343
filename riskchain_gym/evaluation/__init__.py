"""Evaluation: run folders, tables and report pages."""
