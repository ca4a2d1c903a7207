"""The mode Transcript: correcting what was said while hearing it."""
