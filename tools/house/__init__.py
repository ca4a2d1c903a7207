"""Figures of the source tree: `python -m tools.house`."""
