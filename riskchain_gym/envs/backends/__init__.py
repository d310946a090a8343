"""Browse backends behind one protocol."""
