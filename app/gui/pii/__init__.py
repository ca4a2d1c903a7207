"""The window in which one decides on personal information."""
