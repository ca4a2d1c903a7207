"""A copy of a study with its annotations alone: no words, no names, no footage."""
