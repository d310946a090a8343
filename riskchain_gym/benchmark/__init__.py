"""Benchmark: splits, bundles and freezing."""
