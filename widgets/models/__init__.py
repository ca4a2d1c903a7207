"""The views of the window of models."""
