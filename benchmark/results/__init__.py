"""Answers of judges and people over frozen items, as the figures that papers report."""
