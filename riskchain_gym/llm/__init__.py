"""Calls to language models: an OpenAI-compatible client, its cache, prices, a budget, a scripted endpoint."""
