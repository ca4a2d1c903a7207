"""From sound to a transcript: where somebody speaks, what is said, who says it."""
