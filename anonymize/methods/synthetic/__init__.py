"""Draws a synthetic face: only expression, gaze and head pose come from the person."""
