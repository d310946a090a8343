"""Replay sites: captured pages made into a site that asks nothing of the world outside."""
