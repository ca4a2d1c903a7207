"""Asking judges about segments: what is asked, how fast, at what cost, and what came of it."""
