"""What the baselines know, made from the ``train`` splits alone: word counts, phrases, weights."""
