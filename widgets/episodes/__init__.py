"""Views of role-played episodes."""
