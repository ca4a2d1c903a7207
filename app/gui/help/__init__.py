"""The documentation inside the window: the help window, and which page belongs to what is in sight."""
