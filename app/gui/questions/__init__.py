"""The mode Questions and its windows."""
