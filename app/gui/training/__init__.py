"""The Training window, and the line that says why work is closed."""
