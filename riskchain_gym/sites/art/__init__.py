"""Art: every picture of a site, drawn as inline SVG from a seed; no picture holds text."""
