"""Exports questions as a data set: scrubbed, under codes, in splits, with a data card and a loader."""
