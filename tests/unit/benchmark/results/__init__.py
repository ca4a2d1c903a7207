"""Figures from what was said."""
