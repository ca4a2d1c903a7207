"""Draws the items of a benchmark set: sampling, class balance and wrong options."""
