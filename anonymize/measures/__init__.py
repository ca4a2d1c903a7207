"""Measures the privacy and the utility of a rendering: figures with their formulas and sources."""
