"""What benchmarks/browse.py measures with."""
