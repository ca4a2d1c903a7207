"""The withdrawal of a participant: from the study, and from everything on this machine that was made of it."""
