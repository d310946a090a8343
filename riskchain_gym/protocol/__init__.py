"""The words: values that cross a boundary, the codebook, failure kinds and errors."""
