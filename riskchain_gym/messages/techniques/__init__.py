"""Techniques: one way of disguise each, with a severity; recipes are made of them."""
