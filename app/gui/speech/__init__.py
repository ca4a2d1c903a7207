"""Finding speech and writing it down, in the window."""
