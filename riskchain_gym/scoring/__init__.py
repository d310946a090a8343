"""Scoring: restoration, gate, labels, evidence and validation."""
