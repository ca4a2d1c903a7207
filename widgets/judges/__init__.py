"""What judges and people say about a segment, side by side, and what was sent to get it."""
