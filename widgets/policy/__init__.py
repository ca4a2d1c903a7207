"""Views of what may leave this machine, and of what did."""
