"""Annotation schemes as data, and the loader that validates them."""
