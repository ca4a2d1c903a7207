"""Releases a data set: its plan, the rules that block it, and the files, which contain nothing else."""
