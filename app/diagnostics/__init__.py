"""Diagnostics of this machine: system libraries, hardware, packages and folders, and the desktop entry."""
