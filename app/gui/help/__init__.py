"""The documentation inside the window: which page belongs to what is in sight, and the window that shows it."""
