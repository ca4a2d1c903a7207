"""Faces of a recording: tracking them, reviewing the tracks, and planning how they are hidden."""
