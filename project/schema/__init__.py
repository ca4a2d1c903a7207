"""The tables of a study file, declared by subject, and the versions of its format."""
