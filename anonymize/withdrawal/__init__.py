"""Withdrawal of a participant: erasure from the study and from everything on this machine made of it."""
