"""Points of a face: finding them, and what they say about expression, gaze and pose."""
