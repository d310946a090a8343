"""Array environments: fixed-size observations and masked or per-character actions over the text environments."""
