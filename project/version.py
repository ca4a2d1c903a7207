"""The version of the program, written into every study and run."""

__version__ = "0.1.0"
