"""The mode Faces: what was found, what a person says about it, and what is left to look at."""
