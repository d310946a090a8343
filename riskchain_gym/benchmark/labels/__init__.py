"""Labels that people give: who labels what, their answers for ever, what follows from them, and the freeze."""
