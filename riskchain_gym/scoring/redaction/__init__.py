"""Redaction: what says who or where becomes a numbered token, in text and in screenshots, and is looked for again."""
