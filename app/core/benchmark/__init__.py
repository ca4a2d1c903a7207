"""The benchmark over a study: sets of items, runs of judges and people over them, and what came of these."""
