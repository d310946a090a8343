"""Is a judge to be trusted: faults planted into right reports, and claims whose answer is known."""
