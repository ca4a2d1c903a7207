"""Plots of our own: described as data, painted the same to the screen, SVG and PNG."""
