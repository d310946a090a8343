"""The coverage-driven explorer: which control to try next, and when to stop."""
