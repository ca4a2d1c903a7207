"""The window of role-played episodes."""
