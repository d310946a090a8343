"""The judge J: narrow questions about how a report relates to what was observed. It never decides right and wrong."""
