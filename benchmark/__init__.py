"""The tasks of the source papers, run over a whole study. Empty until the judges exist."""
