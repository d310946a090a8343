"""Messages: word lists, disguise recipes and their reversible traces."""
