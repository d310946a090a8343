"""The report of scored runs: a folder of static pages with a viewer of their episodes, which opens from disk."""
