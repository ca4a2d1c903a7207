"""The judges of a study: which one is meant, its key, and whether it answers."""
