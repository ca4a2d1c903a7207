"""This machine: libraries of the system, what the program finds, and its place among the desktop's programs."""
