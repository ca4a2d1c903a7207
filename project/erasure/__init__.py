"""Takes everything of a participant out of a study file: rows, history, and what other rows say about them."""
