"""The views of the Training window."""
