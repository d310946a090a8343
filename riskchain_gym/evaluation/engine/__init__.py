"""The engine of a run: environments and agents in processes apart; their parent switches, writes and watches."""
