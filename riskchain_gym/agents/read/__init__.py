"""The rule-based reader: lines of text in, a cited report out."""
