"""The window about how private exports are, and how useful."""
