"""Driving one real Chromium: finding it, launching it, looking at a page and acting on it."""
