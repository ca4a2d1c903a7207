"""A study as data frames and arrays, for notebooks and scripts."""
