"""Erases a participant from a study file: rows, history, and what other rows say about them."""
