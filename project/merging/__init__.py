"""Merges the work of a copy into a study: a three-way comparison of rows, and conflicts."""
