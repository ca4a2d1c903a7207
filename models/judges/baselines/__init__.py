"""Judges without a model: what a figure has to be compared with before it means anything."""
