"""Agreement between annotators: plain numbers over arrays. Nothing here knows a study, a window or a file."""
