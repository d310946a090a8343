"""Undoing what hides an entry, one way at a time: what else a message may name beside what the rules read.

Each way gives a text; which of the entries in these texts is meant is for somebody else to choose
(:mod:`riskchain_gym.agents.restore.undo.hypotheses`). The ways were written from messages of ``train`` alone.
Few messages need the rarest, ``unsigned``: of the first 6,000 of ``train`` five have their entry found by it alone.
"""
