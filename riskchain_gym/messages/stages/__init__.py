"""Recipe stages: small rules that each write one kind of edit."""
