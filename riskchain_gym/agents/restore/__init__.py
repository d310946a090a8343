"""Restorers: from a disguised message to its plain text, its intent and its ranked entries."""
