"""Every SQL statement on what a study holds: plain functions that take the study first and return its types."""
