"""Saving what can be read of a damaged study, or going back to a backup, in the window."""
