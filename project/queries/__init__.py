"""Every SQL statement on a study's content: plain functions that take the study first and return its types."""
