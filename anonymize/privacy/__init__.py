"""How private an export is, and how useful."""
