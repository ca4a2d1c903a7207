"""Plots that we draw ourselves: described as data, painted the same to the screen, SVG and PNG."""
